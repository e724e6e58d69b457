import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Environment } from '@plinth/config';
import { startEmbeddedPostgres } from '@plinth/embedded-postgres';
import { serviceOf, serviceProcesses, startNatsServer } from '@plinth/local-services';
import { createLogger } from '@plinth/observability';
import { unlessAborted } from '@plinth/streams';
import { AdminKey } from '../admin-key';
import { isSet, type Installation } from '../installation';
import { checkSettings, requireConfiguredKeys, settleAdminKey } from '../platform';
import { noteAddress } from '../platform-address';
import { ServiceProcess } from './service-process';

export interface StartServicesOptions {
  installation: Installation;
  /** Folder of the installation, with the build in `dist`. */
  root: string;
  /** Called when something that was started ends by itself. */
  onLost: (what: string) => void;
  /** Aborted when the start is to end. */
  signal: AbortSignal;
}

export interface RunningServices {
  url: string;
  /** Where the first administrator's key is, for the operator. */
  adminKey: string;
  natsUrl: string;
  /** Lets services finish what they do, then ends NATS and PostgreSQL. */
  stop(): Promise<void>;
}

/** Two of each, so that work moves between them. */
const COUNTS = { buildWorkers: 2, runtimes: 2 };

/**
 * Starts PostgreSQL and NATS, unless the settings name others, and all services as processes of their own, with the
 * credentials of `deploy/nats/nats-server.conf` and passwords made for this run.
 *
 * @throws Error when something does not start; then nothing is left of the rest
 */
export async function startServices(options: StartServicesOptions): Promise<RunningServices> {
  const stops: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const step of stops.splice(0).reverse()) await step();
  };
  try {
    return { ...(await start(options, stops)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(
  { installation, root, onLost, signal }: StartServicesOptions,
  stops: (() => Promise<void>)[],
): Promise<Omit<RunningServices, 'stop'>> {
  const { dataFolder, config } = installation;
  checkSettings(installation.environment);
  const isKeyGiven = isSet(installation.environment, 'PLINTH_BOOTSTRAP_API_KEY');
  const adminKey = new AdminKey(dataFolder, isKeyGiven);
  const database = await withDatabase(installation, onLost, stops);
  const environment = {
    ...database,
    ...(!isKeyGiven && { PLINTH_BOOTSTRAP_API_KEY: adminKey.value }),
    PLINTH_OPERATIONS_PORT: '0',
  };
  await requireConfiguredKeys(environment, installation);
  const names = serviceProcesses(COUNTS);
  const { natsUrl, settingsOf } = await withNats(environment, names, root, stops);
  const processes = names.map((name) => {
    signal.throwIfAborted();
    const service = new ServiceProcess({ name, environment: { ...environment, ...settingsOf(name) }, root, onLost });
    return { name, service };
  });
  const graceMs = config.shutdownGraceMs;
  stops.push(async () => {
    // The gateway first: what it has taken, the others still answer.
    await Promise.all(processes.filter(({ name }) => name === 'gateway').map(({ service }) => service.stop(graceMs)));
    await Promise.all(processes.map(({ service }) => service.stop(graceMs)));
  });
  const addresses = await unlessAborted(Promise.all(processes.map(({ service }) => service.whenReady())), signal);
  const url = addresses.at(-1) ?? '';
  noteAddress(dataFolder, url);
  return { url, natsUrl, adminKey: await settleAdminKey(environment, adminKey) };
}

async function withDatabase(
  { config, dataFolder, environment }: Installation,
  onLost: (what: string) => void,
  stops: (() => Promise<void>)[],
): Promise<Environment> {
  if (config.databaseUrl !== undefined) return environment;
  const postgres = await startEmbeddedPostgres({
    dataFolder,
    port: config.postgresPort,
    durable: true,
    logger: createLogger('postgres', 'warn'),
    onUnexpectedEnd: () => onLost('PostgreSQL'),
  });
  stops.push(() => postgres.stop());
  return { ...environment, PLINTH_DATABASE_URL: postgres.url };
}

interface Nats {
  natsUrl: string;
  /** What a process has to know of NATS. */
  settingsOf(processName: string): Record<string, string>;
}

async function withNats(
  { PLINTH_NATS_URL: given, PATH: path }: Environment,
  names: readonly string[],
  root: string,
  stops: (() => Promise<void>)[],
): Promise<Nats> {
  if (given !== undefined) return { natsUrl: given, settingsOf: () => ({}) };
  // A letter first: NATS reads a bare value that begins with a digit as a number.
  const passwords = new Map(names.map((name) => [serviceOf(name), `n${randomBytes(20).toString('hex')}`]));
  const variables = Object.fromEntries(
    [...passwords].map(([service, password]) => [
      `NATS_${service.replaceAll('-', '_').toUpperCase()}_PASSWORD`,
      password,
    ]),
  );
  const nats = await startNatsServer({ config: { file: join(root, 'deploy/nats/nats-server.conf'), variables } }, path);
  stops.push(() => nats.stop());
  const settingsOf = (name: string): Record<string, string> => ({
    PLINTH_NATS_URL: nats.url,
    PLINTH_NATS_USER: serviceOf(name),
    PLINTH_NATS_PASSWORD: passwords.get(serviceOf(name)) ?? '',
  });
  return { natsUrl: nats.url, settingsOf };
}
