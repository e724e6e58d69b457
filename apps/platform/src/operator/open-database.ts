import { databaseSettings, loadConfig, processSettings } from '@plinth/config';
import { Database, SecretBox } from '@plinth/database';
import { findRunningPostgres } from '@plinth/embedded-postgres';
import { createLogger } from '@plinth/observability';
import { controlPlaneSchema } from '../../../control-plane/src';
import { openInstallation } from '../installation';

/** Opens the control plane's state: of the configured database, or of the embedded platform that runs. */
export async function withDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const { config, dataFolder, environment } = openInstallation();
  const url = config.databaseUrl ?? (await findRunningPostgres(dataFolder))?.url;
  if (!url) throw new Error(`No platform runs on ${dataFolder}: start it first, or set PLINTH_DATABASE_URL`);
  const settings = loadConfig(
    { ...processSettings, ...databaseSettings },
    { ...environment, PLINTH_DATABASE_URL: url },
  );
  const database = await Database.open({
    ...controlPlaneSchema,
    url,
    secrets: new SecretBox(settings.encryptionKeys),
    logger: createLogger('operator', 'silent'),
    poolSize: 1,
  });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** A command's answer: one line of JSON. */
export const print = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
