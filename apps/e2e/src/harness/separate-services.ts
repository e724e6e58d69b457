import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { serviceOf, serviceProcesses, settingsOfProcess } from '@plinth/local-services';
import { createEmptyDatabase, startNatsServer, testEncryptionKey, type NatsServer } from '@plinth/testing';
import { ApiClient } from './api-client';
import { ChildService, runFolder } from './child-service';
import { wallSettings } from './machine-wall';
import { operatorCommand } from './operator-command';
import { createPlatformDatabase } from './platform-database';
import { adminKey, type Topology } from './topology';

export interface SeparateServicesOptions {
  /** Build workers to start; they are named `build-worker-1`, `build-worker-2`, ... */
  buildWorkers?: number;
  /** Runtimes to start; they are named `runtime-1`, `runtime-2`, ... */
  runtimes?: number;
  /** Which services of no replicas to start beside the control plane and the gateway: by default all of them. */
  services?: readonly ('workspace' | 'embed' | 'agents' | 'scim')[];
  /** Settings of all processes. */
  environment?: Record<string, string>;
  /** Settings of single processes, by their name. */
  settings?: Record<string, Record<string, string>>;
  /** Whether the services start on an empty database, all at once, and migrate it. */
  migrates?: boolean;
}

export interface SeparateServices extends Topology {
  processes: ReadonlyMap<string, ChildService>;
  nats: NatsServer;
  /** Starts a process again that has ended, or replaces one that runs; `settings` come on top of the usual ones. */
  restart(name: string, settings?: Record<string, string>): Promise<ChildService>;
}

/** Every service as a process of its own, on a real nats-server and PostgreSQL. */
export async function startSeparateServices(options: SeparateServicesOptions = {}): Promise<SeparateServices> {
  const [storage, nats, database] = await Promise.all([
    mkdtemp(join(runFolder(), 'storage-')),
    startNatsServer(),
    options.migrates ? createEmptyDatabase() : createPlatformDatabase(),
  ]);
  const environment: Record<string, string> = {
    PLINTH_NATS_URL: nats.url,
    PLINTH_DATABASE_URL: database.url,
    PLINTH_DATABASE_POOL_SIZE: '5',
    PLINTH_ENCRYPTION_KEYS: testEncryptionKey,
    PLINTH_STORAGE_ROOT: storage,
    PLINTH_BOOTSTRAP_API_KEY: adminKey,
    PLINTH_ENGINE_PRIVATE_ADDRESSES: 'true',
    PLINTH_COMPILER_SPARES: '0',
    PLINTH_ENGINE_SPARES: '0',
    PLINTH_PORT: '0',
    ...wallSettings(),
    ...options.environment,
  };
  const { buildWorkers = 2, runtimes = 1, services } = options;
  const names = serviceProcesses({ buildWorkers, runtimes }, services);
  const started = await Promise.all(
    names.map(
      async (name) => [name, await startService(name, { ...environment, ...options.settings?.[name] })] as const,
    ),
  );
  const processes = new Map(started);
  const ready = await (processes.get('gateway') as ChildService).waitForLine((line) => line.includes('"msg":"ready"'));
  const { url } = JSON.parse(ready) as { url: string };
  return {
    name: 'separate services on NATS',
    tenant: 'local',
    environment,
    nats,
    restart: async (name, settings) => {
      await processes.get(name)?.stop();
      const service = await startService(name, { ...environment, ...options.settings?.[name], ...settings });
      processes.set(name, service);
      return service;
    },
    admin: new ApiClient(url, `Bearer ${adminKey}`),
    plinth: (...words) => operatorCommand(environment, words),
    processes,
    stop: async () => {
      await Promise.all([...processes.values()].map((service) => service.stop()));
      await Promise.all([nats.stop(), database.drop(), rm(storage, { recursive: true, force: true })]);
    },
  };
}

export interface SecondGateway {
  gateway: ChildService;
  /** Where it answers for the tenant of the topology. */
  url: string;
}

/** Starts one more gateway beside a running topology; `settings` come on top of the usual ones. */
export async function startSecondGateway(
  topology: Topology,
  settings: Record<string, string> = {},
): Promise<SecondGateway> {
  const gateway = await startService('gateway-2', { ...topology.environment, ...settings });
  const ready = await gateway.waitForLine((line) => line.includes('"msg":"ready"'));
  const { protocol, port } = new URL((JSON.parse(ready) as { url: string }).url);
  const { hostname } = new URL(topology.admin.baseUrl);
  return { gateway, url: `${protocol}//${hostname}:${port}` };
}

/** Starts one more process beside a running topology, or one again that was killed. */
export function startService(name: string, environment: Record<string, string>): Promise<ChildService> {
  return ChildService.start({
    entry: `${serviceOf(name)}/src/main.js`,
    environment: { ...environment, ...settingsOfProcess(name) },
    readyText: '"msg":"ready"',
  });
}
