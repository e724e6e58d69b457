import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { databaseSettings, environmentOver, loadConfig } from '@plinth/config';
import { SecretBox } from '@plinth/database';
import { findRunningPostgres, startEmbeddedPostgres } from '@plinth/embedded-postgres';
import { configureFailpoint } from '@plinth/observability';
import { BackupError } from '../backup/backup-error';
import { storageRootOf } from '../backup/storage-root';
import { isSet, makeInstallation } from '../installation';
import { platformSettings } from '../platform.config';

/** Where a platform keeps what it stores. */
export interface StoredPlatform {
  url: string;
  storageRoot: string;
}

/** @throws BackupError when there is no platform yet; none is made by looking for one */
export function requirePlatform(): void {
  const { databaseUrl, dataFolder } = loadConfig(platformSettings);
  if (databaseUrl !== undefined || existsSync(join(dataFolder, 'postgres.password'))) return;
  throw new BackupError(
    `There is no platform in ${resolve(dataFolder)}: set PLINTH_DATA_FOLDER or PLINTH_DATABASE_URL`,
  );
}

/** Works on the stored state. An embedded PostgreSQL that does not run, as while the platform is stopped, runs meanwhile. */
export async function withStoredPlatform<T>(work: (platform: StoredPlatform) => Promise<T>): Promise<T> {
  const { config, dataFolder, environment } = makeInstallation();
  if (config.failpoint !== undefined) configureFailpoint(config.failpoint);
  // What is to be removed or stopped at the end of the process is, also when it is ended from outside.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const storageRoot = resolve(storageRootOf(environment));
  const url = config.databaseUrl ?? findRunningPostgres(dataFolder)?.url;
  if (url !== undefined) return work({ url, storageRoot });
  const postgres = await startEmbeddedPostgres({ dataFolder, port: config.postgresPort, durable: true });
  try {
    return await work({ url: postgres.url, storageRoot });
  } finally {
    await postgres.stop();
  }
}

/** Ids of the keys that the platform would start with; none is made. */
export function configuredKeyIds(): readonly string[] {
  const given = environmentOver({});
  const file = join(loadConfig(platformSettings).dataFolder, 'encryption-keys');
  const environment =
    !isSet(given, 'PLINTH_ENCRYPTION_KEYS') && existsSync(file)
      ? environmentOver({ PLINTH_ENCRYPTION_KEYS: readFileSync(file, 'utf8').trim() })
      : given;
  if (!isSet(environment, 'PLINTH_ENCRYPTION_KEYS')) return [];
  const { encryptionKeys } = loadConfig({ encryptionKeys: databaseSettings.encryptionKeys }, environment);
  return new SecretBox(encryptionKeys).keyIds;
}
