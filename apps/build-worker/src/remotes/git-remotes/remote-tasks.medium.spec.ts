import 'reflect-metadata';
import { BaseRepository, type Database, type Transaction } from '@plinth/database';
import { createTestDatabase } from '@plinth/testing';
import { buildWorkerSchema } from '../../build-worker.schema';
import { RemoteTasksRepository, type ClaimedTask } from './remote-tasks.repository';

/** Statements that no service makes. */
class Rows extends BaseRepository {
  query<Row>(tx: Transaction, text: string): Promise<Row[]> {
    return this.managerFor(tx).query(text);
  }
}

let database: Database;
let drop: () => Promise<void>;
const tasks = new RemoteTasksRepository();
const rows = new Rows();

beforeAll(async () => {
  ({ database, drop } = await createTestDatabase(buildWorkerSchema));
  await database.transaction(1, async (tx) => {
    await rows.query(
      tx,
      `insert into repository (deployment_id, tenant_id, deploy_mode, deploy_branch_name, deploy_branch_read_only,
         deploy_branch_merge_allowed, deploy_project_root) values (1, 1, 'git', 'main', false, true, '')`,
    );
    await rows.query(
      tx,
      `insert into git_remote (deployment_id, tenant_id, kind, url, connected_at) values (1, 1, 'ssh', 'x', now())`,
    );
    await tasks.requestSync(tx, 1);
  });
});
afterAll(() => drop());

const inSystem = <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => database.asSystem(work);
const claim = async (): Promise<ClaimedTask> => (await inSystem((tx) => tasks.claim(tx))) as ClaimedTask;
const state = async () =>
  (
    await inSystem((tx) =>
      rows.query<{ claimId: string; leased: boolean; attempts: number; errorText: string | null }>(
        tx,
        `select claim_id as "claimId", lease_expires_at > now() as leased, attempts, error_text as "errorText"
         from remote_task`,
      ),
    )
  )[0];

describe('a task that a second worker has claimed after the first was late', () => {
  it('is neither renewed, finished, given back nor failed by the first, and finished by the second', async () => {
    const first = await claim();
    expect(await inSystem((tx) => tasks.renew(tx, first))).toBe(true);
    await inSystem((tx) => rows.query(tx, `update remote_task set lease_expires_at = now() - interval '1 second'`));
    const second = await claim();
    const held = { claimId: second.claimId, leased: true, attempts: 2, errorText: null };
    expect(await state()).toEqual(held);
    expect(await inSystem((tx) => tasks.renew(tx, first))).toBe(false);
    await inSystem((tx) => tasks.finish(tx, first));
    await inSystem((tx) => tasks.release(tx, first));
    await inSystem((tx) => tasks.fail(tx, first, new Error('late')));
    expect(await state()).toEqual(held);
    await inSystem((tx) => tasks.finish(tx, second));
    expect(await state()).toBeUndefined();
  });
});
