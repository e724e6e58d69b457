import { existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ConfigError, environmentOver, loadConfig, type Environment } from '@plinth/config';
import { platformSettings, type PlatformConfig } from './platform.config';
import { privateFolder } from './private-folder';
import { newEncryptionKey, secretFile } from './secret-file';

/** The data folder of an embedded platform, and what of it the services need to know. */
export interface Installation {
  config: PlatformConfig;
  dataFolder: string;
  /** Settings for the services, apart from the address of the database. */
  environment: Environment;
  /** Removes the encryption key, if it is one that was made just now. */
  forgetNewKey?: () => void;
}

/** Reads the data folder; what is missing in it is made. Values that the operator set win over generated ones. */
export function makeInstallation(): Installation {
  const config = loadConfig(platformSettings);
  const dataFolder = resolve(config.dataFolder);
  // Whatever this process makes, and the programs that it starts, is for its own account.
  process.umask(0o077);
  privateFolder(dataFolder);
  const file = keyFileIn(dataFolder);
  if (isSet(environmentOver({}), 'PLINTH_ENCRYPTION_KEYS') || existsSync(file)) return read(config, dataFolder);
  secretFile(file, newEncryptionKey);
  return { ...read(config, dataFolder), forgetNewKey: () => rmSync(file) };
}

/**
 * As {@link makeInstallation} of one that is there: nothing is made.
 *
 * @throws ConfigError when there is no data folder, or no key in it, and the settings do not stand in for that
 */
export function findInstallation(): Installation {
  const config = loadConfig(platformSettings);
  const dataFolder = resolve(config.dataFolder);
  const isThere = existsSync(dataFolder);
  if (!isThere && config.databaseUrl === undefined) {
    throw new ConfigError([
      `PLINTH_DATA_FOLDER: there is no ${dataFolder}. Name the data folder of the platform, or its PLINTH_DATABASE_URL and PLINTH_ENCRYPTION_KEYS`,
    ]);
  }
  if (!isSet(environmentOver({}), 'PLINTH_ENCRYPTION_KEYS') && !existsSync(keyFileIn(dataFolder))) {
    throw new ConfigError([
      `PLINTH_ENCRYPTION_KEYS: is needed, for there is no ${keyFileIn(dataFolder)}. Give the keys that the platform has`,
    ]);
  }
  return read(config, dataFolder);
}

const keyFileIn = (dataFolder: string): string => join(dataFolder, 'encryption-keys');

function read(config: PlatformConfig, dataFolder: string): Installation {
  const given = environmentOver({});
  const environment = environmentOver({
    PLINTH_STORAGE_ROOT: join(dataFolder, 'repositories'),
    PLINTH_DATABASE_POOL_SIZE: '5',
    // The operator of one machine is its user: a database or a language model beside the platform is what they have.
    PLINTH_ENGINE_PRIVATE_ADDRESSES: 'true',
    PLINTH_AI_ALLOW_INSECURE_PROVIDERS: 'true',
    PLINTH_AI_ALLOW_PRIVATE_PROVIDERS: 'true',
    ...(!isSet(given, 'PLINTH_TLS_CERTIFICATE') && {
      PLINTH_PUBLIC_URL_TEMPLATE: `http://{host}:${given['PLINTH_PORT'] ?? '4000'}`,
    }),
    ...(!isSet(given, 'PLINTH_ENCRYPTION_KEYS') && {
      PLINTH_ENCRYPTION_KEYS_FILE: keyFileIn(dataFolder),
    }),
  });
  return { config, dataFolder, environment };
}

export const isSet = (environment: Environment, variable: string): boolean =>
  Boolean(environment[variable] ?? environment[`${variable}_FILE`]);
