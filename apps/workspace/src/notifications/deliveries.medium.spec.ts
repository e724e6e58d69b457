import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { managerFor, taskStoreOf, type Transaction } from '@plinth/database';
import { createTestDatabase, type ServiceDatabase } from '@plinth/testing';
import { subject } from '../testing/notification-runs';
import { workspaceSchema } from '../workspace.schema';
import { DeliveriesRepository, type Delivery } from './deliveries.repository';
import { RunsRepository, type ClaimedRun } from './runs.repository';

describe('mails of a run', () => {
  const deliveries = new DeliveriesRepository();
  let server: ServiceDatabase;
  let tenantId = 0;
  let run: ClaimedRun;

  beforeAll(async () => {
    server = await createTestDatabase(workspaceSchema);
  });
  afterAll(() => server?.drop());
  beforeEach(async () => {
    tenantId += 1;
    await subject.add(server.database, tenantId);
    run = (await taskStoreOf(server.database, new RunsRepository()).claim([])) as ClaimedRun;
    await inTenant(async (tx) => {
      const recipients = await managerFor(tx).query<{ id: number }[]>(
        `insert into notification_recipient (tenant_id, notification_id, type, user_id, email)
         select $1, $2, 'USER', n, '' from generate_series(1, 3) n returning id`,
        [tenantId, run.notificationId],
      );
      const picture = { subjectKey: 'all', securityContext: '' };
      const planned = recipients.map(({ id }) => ({
        ...{ recipientId: id, subjectKey: 'all', address: `a${id}@example.com`, messageId: `<${id}@example.com>` },
      }));
      await deliveries.plan(tx, run, planned, [picture]);
    });
  });

  const inTenant = <T>(work: (tx: Transaction) => Promise<T>): Promise<T> =>
    server.database.transaction(tenantId, work);
  const due = () => inTenant((tx) => deliveries.due(tx, run.id, 10));
  const begin = (tx: Transaction, delivery: Delivery | undefined, perMinute = 100) =>
    deliveries.begin(tx, run, delivery as Delivery, perMinute);

  it('are handed over as many a minute as the tenant may have, whichever run they are of', async () => {
    const [first, second, third] = await due();
    // The clock of a transaction stands still, and so does the minute.
    const permits = await inTenant(async (tx) => [
      await begin(tx, first, 2),
      await begin(tx, second, 2),
      await begin(tx, third, 2),
    ]);
    expect(permits).toEqual(['granted', 'granted', 'too many']);
    await inTenant((tx) => managerFor(tx).query(`update mail_allowance set minute = minute - interval '1 minute'`));
    expect(await inTenant((tx) => begin(tx, third, 2))).toBe('granted');
  });

  it('that wait for the allowance are due with the next minute', async () => {
    await inTenant((tx) => deliveries.waitForAllowance(tx, run.id));
    expect(await due()).toEqual([]);
    const [{ waits }] = await inTenant((tx) =>
      managerFor(tx).query<[{ waits: boolean }]>(
        `select bool_and(next_attempt_at <= now() + interval '1 minute') as waits from notification_delivery`,
      ),
    );
    expect(waits).toBe(true);
  });

  it('are not begun by a process that has lost the run', async () => {
    const [delivery] = await due();
    const lost = { ...run, claimId: randomUUID() };
    expect(await inTenant((tx) => deliveries.begin(tx, lost, delivery as Delivery, 100))).toBe('refused');
    expect(await inTenant((tx) => begin(tx, delivery))).toBe('granted');
  });

  it('are not begun for who was taken off, nor when mails are switched off', async () => {
    const [first, second] = await due();
    await inTenant((tx) =>
      managerFor(tx).query('delete from notification_recipient where id = $1', [first?.recipientId]),
    );
    expect(await inTenant((tx) => begin(tx, first))).toBe('refused');
    await inTenant((tx) => managerFor(tx).query('update notification set sends_mail = false'));
    expect(await inTenant((tx) => begin(tx, second))).toBe('refused');
  });

  it('that were taken are not begun again, also by who did not hear of it', async () => {
    const [delivery] = await due();
    await inTenant((tx) => begin(tx, delivery));
    await inTenant((tx) => deliveries.sent(tx, delivery as Delivery));
    expect(await inTenant((tx) => begin(tx, delivery))).toBe('refused');
    await inTenant((tx) => deliveries.failed(tx, delivery as Delivery, 'late', true));
    await inTenant((tx) => deliveries.putOff(tx, run.id, 'the server is away'));
    expect((await due()).map(({ id }) => id)).not.toContain(delivery?.id);
  });
});
