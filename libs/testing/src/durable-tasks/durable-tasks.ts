import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@plinth/observability';
import { TaskRunner, type Claim, type TaskRunnerOptions, type TaskStore } from '@plinth/tasks';
import { Registry } from 'prom-client';
import { runChild } from '../run-child';
import { createTestDatabase, type ServiceDatabase } from '../service-database';
import type { TaskCrashOrder } from './task-crash-child';
import type { TaskSubject } from './task-subject';

const TEN_YEARS_MS = 10 * 365 * 86_400_000;

/**
 * What holds for the tasks of every feature, whatever dies, is late or is counted by another clock.
 *
 * @param module file that exports the tasks as `subject`, for the processes that are killed
 */
export function describeDurableTasks<Task extends Claim, Result>(
  subject: TaskSubject<Task, Result>,
  module: string,
): void {
  describe(`durable tasks: ${subject.kind}`, () => {
    let server: ServiceDatabase;
    let first: TaskStore<Task, Result>;
    let second: TaskStore<Task, Result>;
    const runners: TaskRunner<Task, Result>[] = [];

    beforeAll(async () => {
      server = await createTestDatabase(subject.schema);
      first = subject.storeOf(server.database, 'first');
      second = subject.storeOf(server.database, 'second');
    });
    afterAll(() => server?.drop());
    beforeEach(() => sql(`delete from ${subject.table}`));
    afterEach(async () => {
      jest.restoreAllMocks();
      await Promise.all(runners.splice(0).map((runner) => runner.stop()));
    });

    const sql = <Row>(text: string): Promise<Row[]> => server.database.readAsSystem<Row>({ name: '', text });
    const add = async (...tenants: number[]): Promise<void> => {
      for (const tenantId of tenants) await subject.add(server.database, tenantId);
    };
    const taken = async (store: TaskStore<Task, Result>): Promise<Task> => {
      const task = await store.claim([]);
      if (!task) throw new Error('There is no task to take');
      return task;
    };
    const rows = () => sql(`select to_jsonb(task) as row from ${subject.table} task order by 1`);
    /** Holders are silent for longer than their lease, and all waits are over. */
    const expire = async (): Promise<void> => {
      await sql(
        `update ${subject.table} set lease_expires_at = now() - interval '1 second' where claim_id is not null`,
      );
      if (subject.isScheduled) await sql(`update ${subject.table} set next_attempt_at = now() - interval '1 second'`);
    };

    function run(work: TaskRunnerOptions<Task, Result>['work'], store = first): TaskRunner<Task, Result> {
      const logger = createLogger('test', 'silent');
      const common = { kind: subject.kind, concurrency: 1, drainMs: 0, describe: () => ({}), logger };
      const runner = new TaskRunner({ ...common, store, work, metrics: new Registry() });
      runners.push(runner);
      runner.start();
      return runner;
    }

    /** A runner at work on a task, until its signal is aborted. */
    async function atWork(): Promise<{ runner: TaskRunner<Task, Result>; aborted: Promise<unknown> }> {
      let begin: (signal: AbortSignal) => void = () => undefined;
      const begun = new Promise<AbortSignal>((resolve) => (begin = resolve));
      const runner = run(async (_task, signal) => {
        begin(signal);
        await once(signal, 'abort');
        throw signal.reason;
      });
      return { runner, aborted: once(await begun, 'abort') };
    }

    it('go to one of many that ask at once, each of them', async () => {
      await add(1, 2, 3, 4);
      const claims = await Promise.all(
        Array.from({ length: 12 }, (_, index) => (index % 2 ? first : second).claim([])),
      );
      const ids = claims.filter((task) => task !== undefined).map(({ claimId }) => claimId);
      for (let more = await first.claim([]); more; more = await first.claim([])) ids.push(more.claimId);
      expect(new Set(ids).size).toBe(4);
      expect(await sql(`select from ${subject.table} where claim_id is not null`)).toHaveLength(4);
    });

    it('are not changed by who lost them, whatever he says, and are by who has them', async () => {
      await add(1);
      const late = await taken(first);
      expect(await first.renew(late)).toBe(true);
      expect(await second.claim([])).toBeUndefined();
      await expire();
      const task = await taken(second);
      expect(task).toMatchObject({ attempts: 2, isTakenOver: true });
      expect(late.isTakenOver).toBe(false);
      const before = await rows();
      expect(await first.renew(late)).toBe(false);
      expect(await first.release(late)).toBe(false);
      expect(await first.finish(late, subject.result)).toBe(false);
      await first.fail(late, new Error('late'));
      expect(await rows()).toEqual(before);
      expect(await second.finish(task, subject.result)).toBe(true);
      await expire();
      expect(await first.claim([])).toBeUndefined();
    });

    it('tell one claim from the next, also of the same process', async () => {
      await add(1);
      const before = await taken(first);
      expect(await first.release(before)).toBe(true);
      const now = await taken(first);
      expect(await first.renew(before)).toBe(false);
      expect(await first.release(before)).toBe(false);
      expect(await first.finish(before, subject.result)).toBe(false);
      expect(await first.renew(now)).toBe(true);
    });

    it('come up again after an attempt that failed, not at once, and untried when they were given back', async () => {
      await add(1);
      await first.fail(await taken(first), new Error('no'));
      expect(await second.claim([])).toBeUndefined();
      expect(await second.nextDueMs()).toBeGreaterThan(0);
      await expire();
      const again = await taken(second);
      expect(again.attempts).toBe(2);
      await second.release(again);
      expect(await first.countWaiting()).toBe(1);
      expect((await taken(first)).attempts).toBe(2);
      expect(await first.countWaiting()).toBe(0);
    });

    it('are taken in turns by tenants, and of no tenant that is left out', async () => {
      await add(1, 1, 1, 2);
      expect(await taken(first)).toMatchObject({ tenantId: 1 });
      expect(await taken(second)).toMatchObject({ tenantId: 2 });
      expect(await first.claim([1])).toBeUndefined();
      expect(await first.claim([2])).toMatchObject({ tenantId: 1 });
    });

    it.each([-TEN_YEARS_MS, TEN_YEARS_MS])('are leased by the clock of the database: %d ms away', async (jump) => {
      await add(1);
      const now = Date.now();
      jest.spyOn(Date, 'now').mockReturnValue(now + jump);
      const task = await taken(first);
      expect(await second.claim([])).toBeUndefined();
      expect(await first.renew(task)).toBe(true);
      expect(await second.claim([])).toBeUndefined();
      const due = await second.nextDueMs();
      expect(due).toBeGreaterThan(0);
      expect(due).toBeLessThanOrEqual(first.leaseMs);
    });

    it('are given back by a process that stops, for the next', async () => {
      await add(1);
      const { runner, aborted } = await atWork();
      await runner.stop();
      await aborted;
      expect((await taken(second)).attempts).toBe(1);
    });

    it('are left alone by a process that has lost them while it works', async () => {
      await add(1);
      const { runner, aborted } = await atWork();
      await expire();
      const task = await taken(second);
      runner.recheck();
      await aborted;
      await runner.stop();
      expect(await second.finish(task, subject.result)).toBe(true);
    });

    it('are cancelled by deleting them, and work ends', async () => {
      await add(1);
      const { runner, aborted } = await atWork();
      await sql(`delete from ${subject.table}`);
      runner.recheck();
      await aborted;
      await runner.stop();
      expect(await rows()).toEqual([]);
    });

    it.each([
      ['after-claim', 1],
      ['before-finish', 2],
      ['after-finish', 1],
    ])('are done once, or twice where nobody knows, when a process is killed: %s', async (step, times) => {
      const folder = mkdtempSync(join(tmpdir(), 'plinth-tasks-'));
      const effects = join(folder, 'effects');
      const done = (): number => (existsSync(effects) ? readFileSync(effects, 'utf8').trim().split('\n').length : 0);
      try {
        await add(1);
        await kill({ module, url: server.url, effects, failpoint: `${subject.kind}.${step}` });
        expect(await second.claim([])).toBeUndefined();
        await expire();
        const left = await second.countWaiting();
        if (left > 0) {
          const task = await taken(second);
          expect(task.attempts).toBe(2);
          expect(await second.finish(task, subject.result)).toBe(true);
        }
        expect(done() + left).toBe(times);
        await expire();
        expect(await first.claim([])).toBeUndefined();
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  });
}

/** Runs a process that does tasks until it dies. */
async function kill(order: Omit<TaskCrashOrder, 'encryptionKey'>): Promise<void> {
  const encryptionKey = randomBytes(32).toString('base64');
  const program = join(__dirname, 'task-crash-child.ts');
  expect((await runChild(program, { ...order, encryptionKey })).killed).toBe(true);
}
