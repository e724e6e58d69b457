import { join, resolve } from 'node:path';
import { environmentOver, loadConfig, type Environment } from '@plinth/config';
import { platformSettings, type PlatformConfig } from './platform.config';
import { privateFolder } from './private-folder';
import { newEncryptionKey, secretFile } from './secret-file';

/** The data folder of an embedded platform, and what of it the services need to know. */
export interface Installation {
  config: PlatformConfig;
  dataFolder: string;
  /** Settings for the services, apart from the address of the database. */
  environment: Environment;
}

/** Reads the data folder; what is missing in it is made. Values that the operator set win over generated ones. */
export function openInstallation(): Installation {
  const config = loadConfig(platformSettings);
  const dataFolder = resolve(config.dataFolder);
  // Whatever this process makes, and the programs that it starts, is for its own account.
  process.umask(0o077);
  privateFolder(dataFolder);
  const given = environmentOver({});
  const environment = environmentOver({
    PLINTH_STORAGE_ROOT: join(dataFolder, 'repositories'),
    PLINTH_DATABASE_POOL_SIZE: '5',
    // The operator of one machine is its user: a database beside the platform is what they have.
    PLINTH_ENGINE_PRIVATE_ADDRESSES: 'true',
    ...(!isSet(given, 'PLINTH_TLS_CERTIFICATE') && {
      PLINTH_PUBLIC_URL_TEMPLATE: `http://{host}:${given['PLINTH_PORT'] ?? '4000'}`,
    }),
    ...(!isSet(given, 'PLINTH_ENCRYPTION_KEYS') && {
      PLINTH_ENCRYPTION_KEYS: secretFile(join(dataFolder, 'encryption-keys'), newEncryptionKey),
    }),
  });
  return { config, dataFolder, environment };
}

export const isSet = (environment: Environment, variable: string): boolean =>
  Boolean(environment[variable] ?? environment[`${variable}_FILE`]);
