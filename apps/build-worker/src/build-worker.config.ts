import { randomUUID } from 'node:crypto';
import { databaseSettings, integer, processSettings, setting, type ConfigOf } from '@plinth/config';
import { z } from 'zod';
import { githubSettings } from './github/github.config';
import { remoteSettings } from './remotes/remote.config';

/** Everything an operator can set on a build worker. */
export const buildWorkerSettings = {
  ...processSettings,
  ...databaseSettings,
  ...githubSettings,
  ...remoteSettings,
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
  compilerPoolSize: setting(
    'PLINTH_COMPILER_POOL_SIZE',
    integer(1, 64).default(2),
    'Data models that one build worker compiles at the same time.',
  ),
  compilerTimeoutMs: setting(
    'PLINTH_COMPILER_TIMEOUT_MS',
    integer(1_000, 600_000).default(50_000),
    'Longest time that one compilation may take, in milliseconds.',
  ),
  compilerMemoryMb: setting(
    'PLINTH_COMPILER_MEMORY_MB',
    integer(64, 16_384).default(512),
    'Heap of one compilation in MiB.',
  ),
};

export type BuildWorkerConfig = ConfigOf<typeof buildWorkerSettings>;
