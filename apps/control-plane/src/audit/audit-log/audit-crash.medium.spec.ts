import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createTestDatabase, runDoomed, type ServiceDatabase } from '@plinth/testing';
import { Client } from 'pg';
import { controlPlaneSchema } from '../../control-plane.schema';
import { verify } from '../../testing/audit-fixture';
import { obey, type CrashOrder } from '../../testing/audit-crash-child';

describe('an audited change whose process is killed with -9', () => {
  const encryptionKey = randomBytes(32).toString('base64');
  let server: ServiceDatabase;
  let owner: Client;

  beforeEach(async () => {
    server = await createTestDatabase(controlPlaneSchema);
    owner = new Client({ connectionString: server.url, options: '-c search_path=control_plane' });
    await owner.connect();
  });

  afterEach(async () => {
    await owner.end();
    await server.drop();
  });

  const order = (actions: CrashOrder['actions'], failpoint: string | null): CrashOrder => ({
    actions,
    failpoint,
    url: server.url,
    encryptionKey,
  });
  /** Runs a child to its end. Returns whether it was killed. */
  const child = async (actions: CrashOrder['actions'], failpoint: string): Promise<boolean> =>
    (await runDoomed(join(__dirname, '../../testing/audit-crash-child.ts'), order(actions, failpoint))).killed;

  const counts = async (): Promise<object> =>
    (
      await owner.query<object>(`select (select count(*)::int from user_account) as users,
        (select count(*)::int from audit_event) as events, (select count(*)::int from outbox) as waiting`)
    ).rows[0] ?? {};

  const verdict = async () => (await verify(server.database, { onlyTenantId: 1 }))[0] as object;

  it.each([
    ['mutate.after-work', 0],
    ['mutate.before-commit', 0],
    ['mutate.after-commit', 1],
    ['outbox.after-claim', 1],
    ['audit.after-append', 1],
    ['outbox.after-deliver', 1],
    ['outbox.before-commit', 1],
    ['outbox.after-commit', 1],
  ])('is in the log as often as it was made, and once after a retry: %s', async (failpoint, times) => {
    expect(await child(['change', 'relay'], failpoint)).toBe(true);
    await obey(order(['relay', 'relay'], null));
    expect(await counts()).toEqual({ users: times, events: 2 * times, waiting: 0 });
    await obey(order(['change', 'relay', 'relay'], null));
    expect(await counts()).toEqual({ users: 1, events: 2, waiting: 0 });
    expect(await verdict()).toMatchObject({ intact: 2, broken: null });
  });
});
