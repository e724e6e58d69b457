import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dbtCommand } from '@plinth/testing';
import { ApiClient } from './api-client';
import { scriptedProviders } from './chat-shop';
import { isRunning, LoggedProcess, runFolder } from './child-service';
import { startOneProcess, type OneProcess } from './one-process';
import { shellCommand, startOperatorShell } from './operator-command';
import { startSeparateServices, type SeparateServices } from './separate-services';
import type { Topology } from './topology';

/** What the next test file needs to know of a platform that runs; `tools/jest/stop-servers.js` ends what it names. */
interface Shared {
  name: string;
  port: string;
  environment: Record<string, string>;
  /** The socket of its operator's command. */
  shell: string;
  processes: { name: string; pid: number; logFile: string }[];
  /** Processes that are none of the platform's. */
  besides: number[];
  tenants: number;
}

const dbt = dbtCommand();
/** The address of a proxy that is believed; nothing else on the machine asks from there. */
export const trustedProxy = '127.0.3.1';

/** For every suite that shares: none of them is about these limits, and a few need what is off by default. */
const settings: Record<string, string> = {
  // The tenant of each file has an address of its own, all of them on the loopback interface.
  PLINTH_HOST: '0.0.0.0',
  PLINTH_TRUSTED_PROXIES: trustedProxy,
  PLINTH_PAGE_RATE_LIMIT_PER_MINUTE: '0',
  PLINTH_FAILURE_LIMIT_PER_MINUTE: '0',
  PLINTH_AUDIT_CHECKPOINT_EVENTS: '1',
  PLINTH_AUDIT_CHECKPOINT_SECONDS: '1',
  PLINTH_OAUTH_ALLOW_INSECURE_PROVIDERS: 'true',
  PLINTH_RATE_LIMIT_PER_MINUTE: '0',
  PLINTH_GIT_ALLOW_INSECURE_REMOTES: 'true',
  PLINTH_GIT_ALLOW_PRIVATE_REMOTES: 'true',
  ...scriptedProviders,
  ...(dbt !== undefined && { PLINTH_DBT_COMMAND: dbt }),
};

const starts = {
  'one process': () => startOneProcess(settings),
  'separate services on NATS': () => startSeparateServices({ environment: settings, migrates: true }),
};

type TopologyName = keyof typeof starts;

export const topologyNames = Object.keys(starts) as TopologyName[];

/**
 * The platform of that kind which all test files of one jest worker use, one after the other, and in it a tenant for
 * the calling file alone. It runs until the whole test run has ended, so `stop` does nothing.
 */
export async function joinTopology(name: TopologyName): Promise<Topology> {
  const file = join(runFolder(), `topology-${process.env['JEST_WORKER_ID'] ?? '1'}-${name.replaceAll(' ', '-')}.json`);
  const running = readRunning(file);
  const shared = running ?? (await describe(await starts[name](), join(runFolder(), `${randomUUID()}.sock`)));
  shared.tenants += 1;
  writeFileSync(file, JSON.stringify(shared));
  return withTenant(shared);
}

/** Undefined when none was started yet, or when one of its processes has ended. */
function readRunning(file: string): Shared | undefined {
  if (!existsSync(file)) return undefined;
  const shared = JSON.parse(readFileSync(file, 'utf8')) as Shared;
  return shared.processes.every(({ pid }) => isRunning(pid)) ? shared : undefined;
}

async function describe(topology: OneProcess | SeparateServices, shell: string): Promise<Shared> {
  const { environment } = topology;
  const operator = await startOperatorShell(shell, environment);
  return {
    name: topology.name,
    port: new URL(topology.admin.baseUrl).port,
    environment,
    shell,
    processes: [...topology.processes].map(([name, { pid, logFile }]) => ({ name, pid, logFile })),
    besides: [operator, ...('nats' in topology ? [topology.nats.pid] : [])],
    tenants: 0,
  };
}

async function withTenant({ name, port, environment, shell, processes, tenants }: Shared): Promise<Topology> {
  const tenant = `tenant-${tenants}`;
  const host = `127.0.1.${tenants}`;
  const plinth = (...words: string[]) => shellCommand(shell, words);
  const words = ['--name', tenant, '--host', host, '--admin-email', 'admin@localhost'];
  const { apiKey } = await plinth('tenants', 'create', ...words);
  return {
    name,
    tenant,
    admin: new ApiClient(`http://${host}:${port}`, `Bearer ${String(apiKey)}`),
    plinth,
    environment,
    processes: new Map(processes.map((each) => [each.name, new LoggedProcess(each.pid, each.logFile)])),
    stop: () => Promise.resolve(),
  };
}
