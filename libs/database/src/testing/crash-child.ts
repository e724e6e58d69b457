import { writeFileSync } from 'node:fs';
import { systemPrincipal } from '@plinth/auth';
import { obeyCrashOrder, type CrashAct } from '@plinth/testing';
import { pino } from 'pino';
import { managerFor, OutboxRelay, type Database } from '..';

/** Does one write. */
const write = (database: Database): Promise<unknown> =>
  database.mutate(systemPrincipal(1), async (tx) => {
    const [row] = (await managerFor(tx).query(
      'insert into note (tenant_id, text) values (1, gen_random_uuid()) returning text',
    )) as unknown[];
    return row;
  });

/** Delivers what is in the outbox: a line for each delivery. */
const relay = (database: Database, file: string): Promise<unknown> => {
  const call = async (_id: string, { body }: { body: unknown }): Promise<void> =>
    writeFileSync(file, `${JSON.stringify(body)}\n`, { flag: 'a' });
  return new OutboxRelay(database, { call } as never, pino({ enabled: false })).deliverBatch();
};

export const act: CrashAct = (database, { action, file }) =>
  action === 'relay' ? relay(database, file) : write(database);

if (require.main === module) void obeyCrashOrder(act);
