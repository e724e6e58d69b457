import { databaseSettings, loadConfig, processSettings, type Environment } from '@plinth/config';
import { Database, outboxNotice, SecretBox, type ServiceSchema } from '@plinth/database';
import { findRunningPostgres } from '@plinth/embedded-postgres';
import { createLogger } from '@plinth/observability';
import { controlPlaneSchema } from '../../../control-plane/src';
import { findInstallation } from '../installation';

/** Opens a service's state, the control plane's by default: of the configured database, or of the embedded platform. */
export async function withDatabase<T>(
  work: (database: Database, environment: Environment) => Promise<T>,
  schema: ServiceSchema = controlPlaneSchema,
): Promise<T> {
  const { config, dataFolder, environment } = findInstallation();
  const url = config.databaseUrl ?? (await findRunningPostgres(dataFolder))?.url;
  if (!url) throw new Error(`No platform runs on ${dataFolder}: start it first, or set PLINTH_DATABASE_URL`);
  return withDatabaseOf({ ...environment, PLINTH_DATABASE_URL: url }, work, schema);
}

/** As {@link withDatabase}, of the database that the environment names. */
export async function withDatabaseOf<T>(
  environment: Environment,
  work: (database: Database, environment: Environment) => Promise<T>,
  schema: ServiceSchema = controlPlaneSchema,
): Promise<T> {
  const settings = loadConfig({ ...processSettings, ...databaseSettings }, environment);
  const database = await Database.open({
    ...schema,
    url: settings.databaseUrl,
    secrets: new SecretBox(settings.encryptionKeys),
    logger: createLogger('operator', 'silent'),
    // A transaction, and a read beside it.
    poolSize: 2,
  });
  let hasEvents = false;
  database.onEvents(() => {
    hasEvents = true;
  });
  try {
    return await work(database, environment);
  } finally {
    if (hasEvents) await wakeRelays(database, schema);
    await database.close();
  }
}

/** There is none in this process. Those elsewhere look by themselves, too, so what was done does not fail for it. */
async function wakeRelays(database: Database, { service }: ServiceSchema): Promise<void> {
  await database.readAsSystem({ name: 'wake-relays', text: outboxNotice(service) }).catch(() => undefined);
}

/** A command's answer: one line of JSON. */
export const print = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
