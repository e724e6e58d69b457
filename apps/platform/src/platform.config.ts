import { processSettings, secretSetting, setting, type ConfigOf } from '@plinth/config';
import { z } from 'zod';

/** What decides how the one-process platform is put together; the services read their own settings. */
export const platformSettings = {
  ...processSettings,
  dataFolder: setting(
    'PLINTH_DATA_FOLDER',
    z.string().default('.plinth'),
    'Folder of the embedded platform: database, repositories, generated keys.',
  ),
  databaseUrl: secretSetting(
    'PLINTH_DATABASE_URL',
    z.string().startsWith('postgres').optional(),
    'PostgreSQL to use instead of the embedded one.',
  ),
  postgresPort: setting(
    'PLINTH_POSTGRES_PORT',
    z.coerce.number().int().min(0).max(65_535).default(0),
    'Port of the embedded PostgreSQL on 127.0.0.1; 0 takes a free one at the first start, and later the same again.',
  ),
};

export type PlatformConfig = ConfigOf<typeof platformSettings>;
