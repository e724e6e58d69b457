import { setTimeout as pause } from 'node:timers/promises';
import { boundMs, deadlineMs, isRunning, programsBelow, type TestDatabase, until } from '@plinth/testing';
import type { ApiReply } from './harness/api-client';
import { startSeparateServices, type SeparateServices } from './harness/separate-services';
import { createShopDatabase, isWaiting, Shop } from './harness/shop';

const CLIENTS = 50;
/** One shows what the next would; a longer run is for whoever has touched how engines are replaced. */
const REBUILDS = Number(process.env['PLINTH_TEST_REBUILDS'] ?? 2);
/** How long a client, such as a dashboard, waits before it asks the next time. */
const POLL_MS = 1_000;
/** In which every client has its answer again. */
const WITHIN_MS = 10_000;

let asked = 0;
/** No result of it is there yet, so that every process has its part in the answer. */
const newQuery = (): object => ({
  measures: ['orders.count'],
  filters: [{ member: 'orders.id', operator: 'gt', values: [String(-(asked += 1))] }],
});

/** What clients have seen who ask one query again and again. */
interface Seen {
  answers: number;
  /** What was neither an answer nor a wish for patience. */
  failures: ApiReply[];
  /** From a request to its answer, the client's own attempts among them, in milliseconds. */
  longestMs: number;
}

const comment = (number: number) => ({ path: 'model/cubes/number.yml', content: `# ${number}\ncubes: []\n` });
const asksForPatience = (reply: ApiReply): boolean =>
  isWaiting(reply) || (reply.status === 503 && reply.headers['retry-after'] !== undefined);

describe('a deployment with two runtimes whose clients do not rest', () => {
  let topology: SeparateServices;
  let database: TestDatabase;
  let shop: Shop;
  let token: string;

  beforeAll(async () => {
    [topology, database] = await Promise.all([
      startSeparateServices({
        buildWorkers: 1,
        runtimes: 2,
        services: [],
        environment: { PLINTH_RATE_LIMIT_PER_MINUTE: '0', PLINTH_ENGINE_SPARES: '1' },
      }),
      createShopDatabase(),
    ]);
    shop = await Shop.open(topology.admin, database);
    token = await shop.token();
  });
  beforeEach(async () => {
    expect(await shop.value(token, 'orders.count')).toBe('30000');
  });
  afterAll(async () => {
    await topology?.stop();
    await database?.drop();
  });

  /** Runs clients while something happens, and until each of them has been answered once more. */
  async function clientsWhile(count: number, happens: () => Promise<unknown>): Promise<Seen> {
    const seen: Seen = { answers: 0, failures: [], longestMs: 0 };
    let over = false;
    const answered = async (): Promise<void> => {
      const began = performance.now();
      const query = newQuery();
      for (;;) {
        const reply = await shop.load(token, query);
        if (reply.status === 200 && !isWaiting(reply)) break;
        if (!asksForPatience(reply)) seen.failures.push(reply);
        if (reply.status === 503) await pause(POLL_MS);
      }
      seen.answers += 1;
      seen.longestMs = Math.max(seen.longestMs, performance.now() - began);
    };
    const client = async (): Promise<void> => {
      while (!over) {
        await answered();
        await pause(POLL_MS);
      }
      await answered();
    };
    const clients = Array.from({ length: count }, client);
    await happens().finally(() => (over = true));
    await Promise.all(clients);
    process.stdout.write(`${count} clients: ${seen.answers} answers, longest ${Math.round(seen.longestMs)} ms\n`);
    return seen;
  }

  it(
    `is built ${REBUILDS} times, and no request fails`,
    async () => {
      const seen = await clientsWhile(CLIENTS, async () => {
        for (let number = 1; number <= REBUILDS; number += 1) {
          await shop.edit([comment(number)]);
          expect(await shop.publish()).toBe('built');
        }
      });
      expect(seen.failures).toEqual([]);
      expect(seen.answers).toBeGreaterThan(CLIENTS);
    },
    deadlineMs(300_000),
  );

  const runtimes = () =>
    ['runtime-1', 'runtime-2'].map((name) => ({ name, pid: topology.processes.get(name)?.pid ?? 0 }));
  const programsOf = (pid: number): number[] => programsBelow(pid, 'libs/engine/src/');
  const engines = (program: string) => runtimes().flatMap(({ pid }) => programsBelow(pid, program));
  const kill = async (pids: number[]): Promise<void> => {
    expect(pids.length).toBeGreaterThan(0);
    for (const pid of pids) process.kill(pid, 'SIGKILL');
  };
  /** Which takes what it has started with it. */
  const killRuntime = async (): Promise<void> => {
    const owner = runtimes().find(({ pid }) => programsOf(pid).length > 0);
    const left = programsOf(owner?.pid ?? 0);
    expect(left.length).toBeGreaterThan(0);
    topology.processes.get(owner?.name ?? '')?.kill('SIGKILL');
    await topology.processes.get(owner?.name ?? '')?.ended();
    await until(
      'the end of its engines',
      () => left.filter(isRunning),
      (running) => running.length === 0,
    );
  };
  const replaceRuntimes = async (): Promise<void> => {
    for (const { name } of runtimes()) await topology.restart(name);
  };

  it.each([
    ['the engine, which was killed,', () => kill(engines('libs/engine/src/engine/main'))],
    ['the process of its data model, which was killed,', () => kill(engines('libs/engine/src/model/main'))],
    ['the runtime that has the engine, which was killed,', killRuntime],
    ['each of its runtimes in turn, which are replaced,', replaceRuntimes],
  ])('is without %s and every client has an answer within ten seconds', async (_what, happens) => {
    const seen = await clientsWhile(CLIENTS / 2, async () => {
      await pause(2 * POLL_MS);
      await happens();
    });
    expect(seen.failures.map(({ status, body }) => ({ status, body }))).toEqual([]);
    expect(seen.longestMs).toBeLessThan(boundMs(WITHIN_MS));
  });
});
