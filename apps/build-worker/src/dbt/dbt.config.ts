import { integer, setting } from '@plinth/config';
import { z } from 'zod';

/** How dbt is run. */
export const dbtSettings = {
  dbtCommand: setting(
    'PLINTH_DBT_COMMAND',
    z.string().min(1).default('dbt'),
    'The console script of dbt, as pip installs it: a path, or a name in /opt/dbt/bin, /usr/local/bin, /usr/bin or /bin. Without it, dbt syncs take manifests alone.',
  ),
  dbtHubUrl: setting(
    'PLINTH_DBT_HUB_URL',
    z.url().default('https://hub.getdbt.com'),
    'Address of the registry of dbt packages, or of a mirror.',
  ),
  dbtTimeoutMs: setting(
    'PLINTH_DBT_TIMEOUT_MS',
    integer(1_000, 3_600_000).default(600_000),
    'Longest time that dbt may take to read a project, in milliseconds.',
  ),
  dbtMemoryMb: setting(
    'PLINTH_DBT_MEMORY_MB',
    integer(256, 65_536).default(1_024),
    'Memory of dbt in MiB, beside 512 MiB for the files of the project.',
  ),
};
