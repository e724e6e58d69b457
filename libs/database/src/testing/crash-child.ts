import { writeFileSync } from 'node:fs';
import { systemPrincipal } from '@plinth/auth';
import { configureFailpoint, runInContext } from '@plinth/observability';
import { pino } from 'pino';
import { Database } from '../database';
import { OutboxRelay } from '../outbox-relay';
import { SecretBox } from '../secret-box';
import { managerFor } from '../transaction';

/** What a crash test tells its child; comes as JSON in the first argument. */
export interface CrashOrder {
  action: 'mutate' | 'relay';
  failpoint: string | null;
  url: string;
  encryptionKey: string;
  key: string;
  /** File that gets a line for each delivery. */
  deliveries: string;
}

/** Does one write, or delivers what is in the outbox, and prints the reply; dies at the failpoint when one is named. */
async function obey(order: CrashOrder): Promise<void> {
  const database = await Database.open({
    service: 'workspace',
    entities: [],
    migrations: { preDeploy: [], postDeploy: [] },
    url: order.url,
    secrets: new SecretBox([order.encryptionKey]),
    migrate: 'none',
  });
  configureFailpoint(order.failpoint ?? undefined);
  const context = {
    requestId: 'r-1',
    idempotency: { operationId: 'addNote', key: order.key, fingerprint: 'f-1' },
    audit: { event: 'note.created', attributes: {}, deploymentId: null },
    replayed: false,
  };
  const reply = await runInContext(context, () => actions[order.action](database, order));
  process.stdout.write(JSON.stringify({ reply, replayed: context.replayed }));
  await database.close();
}

const actions: Record<CrashOrder['action'], (database: Database, order: CrashOrder) => Promise<unknown>> = {
  mutate: (database) =>
    database.mutate(systemPrincipal(1), async (tx) => {
      const [row] = (await managerFor(tx).query(
        'insert into note (tenant_id, text) values (1, gen_random_uuid()) returning text',
      )) as unknown[];
      return row;
    }),
  relay: (database, { deliveries }) => {
    const bus = { call: (_id: string, call: object) => appendDelivery(deliveries, call) };
    return new OutboxRelay(database, bus as never, pino({ enabled: false })).deliverBatch();
  },
};

const appendDelivery = (file: string, call: object): Promise<void> =>
  Promise.resolve(writeFileSync(file, `${JSON.stringify((call as { body: unknown }).body)}\n`, { flag: 'a' }));

const [, , order] = process.argv;
if (require.main === module && order !== undefined) void obey(JSON.parse(order) as CrashOrder);
