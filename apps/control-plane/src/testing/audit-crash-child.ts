import { systemPrincipal } from '@plinth/auth';
import { Database, managerFor, OutboxRelay, recordAction, SecretBox } from '@plinth/database';
import { configureFailpoint, runInContext } from '@plinth/observability';
import { pino } from 'pino';
import { controlPlaneSchema } from '../control-plane.schema';
import { eventsService } from './audit-fixture';

/** What the crash test tells its child; comes as JSON in the first argument. */
export interface CrashOrder {
  actions: readonly ('change' | 'relay')[];
  failpoint: string | null;
  url: string;
  encryptionKey: string;
}

/** Makes audited changes, of two events each, and takes what is in the outbox into the audit log; dies at the failpoint when one is named. */
export async function obey(order: CrashOrder): Promise<void> {
  const database = await Database.open({
    ...controlPlaneSchema,
    url: order.url,
    secrets: new SecretBox([order.encryptionKey]),
    migrate: 'none',
  });
  configureFailpoint(order.failpoint ?? undefined);
  for (const action of order.actions) await (action === 'change' ? change(database) : relay(database));
  await database.close();
}

function change(database: Database): Promise<unknown> {
  const context = {
    requestId: 'r-1',
    idempotency: { operationId: 'createNote', key: 'k-1', fingerprint: 'f-1' },
    audit: { event: 'Created user', attributes: {}, deploymentId: null },
  };
  return runInContext(context, () =>
    database.mutate(systemPrincipal(1), async (tx) => {
      await managerFor(tx).query("insert into user_account (tenant_id, email, username) values (1, 'a@b.test', 'a')");
      recordAction(tx, systemPrincipal(1), { event: 'Updated role', attributes: {} });
    }),
  );
}

function relay(database: Database): Promise<number> {
  const events = eventsService(database);
  const bus = { call: (_id: string, { body }: { body: Parameters<typeof events.deliver>[0] }) => events.deliver(body) };
  return new OutboxRelay(database, bus as never, pino({ enabled: false })).deliverBatch();
}

const [, , order] = process.argv;
if (require.main === module && order !== undefined) void obey(JSON.parse(order) as CrashOrder);
