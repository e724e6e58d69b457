import { randomUUID } from 'node:crypto';
import { databaseSettings, integer, processSettings, sandboxSettings, setting, type ConfigOf } from '@plinth/config';
import { z } from 'zod';
import { dbtSettings } from './dbt/dbt.config';
import { githubSettings } from './remotes/github/github.config';
import { remoteSettings } from './remotes/git-remotes/remote.config';

const GIB = 2 ** 30;
const MAX_STORAGE_BYTES = 2 ** 50;

/** Everything an operator can set on a build worker. */
export const buildWorkerSettings = {
  ...processSettings,
  ...databaseSettings,
  ...sandboxSettings,
  ...githubSettings,
  ...remoteSettings,
  ...dbtSettings,
  storageRoot: setting(
    'PLINTH_STORAGE_ROOT',
    z.string().min(1),
    'Folder that holds the git repositories; all build workers share it.',
  ),
  workerId: setting(
    'PLINTH_WORKER_ID',
    z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/)
      .default(() => randomUUID()),
    'Name of this build worker among its peers: letters, digits, - and _. A random one when absent.',
  ),
  uploadMaxFileBytes: setting(
    'PLINTH_UPLOAD_MAX_FILE_BYTES',
    integer(1, 104_857_600).default(104_857_600),
    'Largest file of an upload, in bytes.',
  ),
  uploadMaxTotalBytes: setting(
    'PLINTH_UPLOAD_MAX_TOTAL_BYTES',
    integer(1, 1_099_511_627_776).default(1_073_741_824),
    'Most that all files of one upload may have together, in bytes.',
  ),
  uploadMaxFiles: setting('PLINTH_UPLOAD_MAX_FILES', integer(1, 100_000).default(20_000), 'Most files of one upload.'),
  uploadLifetimeMs: setting(
    'PLINTH_UPLOAD_LIFETIME_MS',
    integer(1_000, 86_400_000).default(3_600_000),
    'How long an upload waits for its next file or its end before it is forgotten, in milliseconds.',
  ),
  tenantStorageBytes: setting(
    'PLINTH_TENANT_STORAGE_BYTES',
    integer(0, MAX_STORAGE_BYTES).default(5 * GIB),
    'Most that all data models of one tenant may take on disk together, in bytes; 0 for no limit.',
  ),
  deploymentStorageBytes: setting(
    'PLINTH_DEPLOYMENT_STORAGE_BYTES',
    integer(0, MAX_STORAGE_BYTES).default(5 * GIB),
    'Most that the data model of one deployment may take on disk, in bytes; 0 for no limit.',
  ),
  compilerPoolSize: setting(
    'PLINTH_COMPILER_POOL_SIZE',
    integer(1, 64).default(2),
    'Data models that one build worker compiles at the same time.',
  ),
  compilerSpares: setting(
    'PLINTH_COMPILER_SPARES',
    integer(0, 16).default(1),
    'Compiler processes that are kept loaded for whoever compiles next: a second less to wait, 120 MiB each.',
  ),
  compilerTimeoutMs: setting(
    'PLINTH_COMPILER_TIMEOUT_MS',
    integer(1_000, 600_000).default(50_000),
    'Longest time that one compilation may take, in milliseconds.',
  ),
  compilerMemoryMb: setting(
    'PLINTH_COMPILER_MEMORY_MB',
    integer(64, 16_384).default(512),
    'Heap of one compilation in MiB; its process may take 256 MiB more.',
  ),
};

export type BuildWorkerConfig = ConfigOf<typeof buildWorkerSettings>;
