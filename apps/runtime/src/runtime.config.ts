import { randomUUID } from 'node:crypto';
import {
  databaseSettings,
  flag,
  integer,
  processSettings,
  sandboxSettings,
  setting,
  type ConfigOf,
} from '@plinth/config';
import { z } from 'zod';
import { clusterSettings } from './cluster.config';

/** Everything an operator can set on a runtime. */
export const runtimeSettings = {
  ...processSettings,
  ...databaseSettings,
  ...sandboxSettings,
  runtimeId: setting(
    'PLINTH_RUNTIME_ID',
    z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/)
      .default(() => randomUUID()),
    'Name of this runtime among its peers: letters, digits, - and _. A random one when absent.',
  ),
  engineDriver: setting(
    'PLINTH_ENGINE_DRIVER',
    z.enum(['process', 'kubernetes']).default('process'),
    'What runs engines: process, for processes beside the runtime, or kubernetes, for pods of the official image.',
  ),
  engineIdleS: setting(
    'PLINTH_ENGINE_IDLE_S',
    integer(0, 604_800).default(600),
    'Seconds without a query after which an engine is ended; 0 keeps it.',
  ),
  engineMax: setting(
    'PLINTH_ENGINE_MAX',
    integer(1, 10_000).default(20),
    'Engines that one runtime has at the same time. The one that is unused for longest makes room for another.',
  ),
  engineMemoryMb: setting(
    'PLINTH_ENGINE_MEMORY_MB',
    integer(0, 1_048_576).default(0),
    'Memory that all engines of one runtime may take together in MiB, before one that is unused makes room; 0 for no limit.',
  ),
  engineSpares: setting(
    'PLINTH_ENGINE_SPARES',
    integer(0, 16).default(1),
    'Engines that wait without anything of a deployment while others run, for the next one that is to start; 0 for none.',
  ),
  engineHeapMb: setting(
    'PLINTH_ENGINE_HEAP_MB',
    integer(128, 65_536).default(512),
    'Heap of the process of an engine that has its credentials and its cache, in MiB.',
  ),
  engineModelMemoryMb: setting(
    'PLINTH_ENGINE_MODEL_MEMORY_MB',
    integer(64, 16_384).default(512),
    'Heap of the process that runs the data model of an engine, in MiB.',
  ),
  engineStartTimeoutMs: setting(
    'PLINTH_ENGINE_START_TIMEOUT_MS',
    integer(1_000, 600_000).default(120_000),
    'Longest time that an engine may take to start, in milliseconds.',
  ),
  engineQueryTimeoutMs: setting(
    'PLINTH_ENGINE_QUERY_TIMEOUT_MS',
    integer(1_000, 3_600_000).default(600_000),
    'Longest time that a query may run at its data source, in milliseconds.',
  ),
  engineConcurrency: setting(
    'PLINTH_ENGINE_CONCURRENCY',
    integer(1, 256).default(8),
    'Queries that one engine runs at its data source at the same time.',
  ),
  engineRequests: setting(
    'PLINTH_ENGINE_REQUESTS',
    integer(1, 10_000).default(32),
    'Requests of one deployment that one runtime answers at the same time, those of a tenant twice as many. Callers take turns.',
  ),
  engineRowLimit: setting(
    'PLINTH_ENGINE_ROW_LIMIT',
    integer(1, 1_000_000).default(10_000),
    'Rows of a reply to a query that names no limit.',
  ),
  engineRowLimitMax: setting(
    'PLINTH_ENGINE_ROW_LIMIT_MAX',
    integer(1, 1_000_000).default(50_000),
    'Most rows that a query may ask for.',
  ),
  engineCacheMb: setting(
    'PLINTH_ENGINE_CACHE_MB',
    integer(0, 65_536).default(64),
    'Results that one engine remembers, in MiB.',
  ),
  enginePrivateAddresses: setting(
    'PLINTH_ENGINE_PRIVATE_ADDRESSES',
    flag().default(false),
    'Whether data sources may be at addresses of private networks. In one process they may unless this says no.',
  ),
  ...clusterSettings,
};

export type RuntimeConfig = ConfigOf<typeof runtimeSettings>;
