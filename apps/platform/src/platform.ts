import {
  checkConfig,
  databaseSettings,
  environmentOver,
  loadConfig,
  type Environment,
  type processSettings,
  type Settings,
} from '@plinth/config';
import type { ServiceName } from '@plinth/contract';
import { findMissingKeys, MissingKeysError, SecretBox } from '@plinth/database';
import { startEmbeddedPostgres } from '@plinth/embedded-postgres';
import {
  busOptions,
  notEnding,
  processMetrics,
  type RunningService,
  Sandboxes,
  type ServiceDefinition,
} from '@plinth/host';
import { createBus, InProcessHub } from '@plinth/messaging';
import {
  configureFailpoint,
  createLogger,
  startOperationsServer,
  type Logger,
  type ReadinessCheck,
} from '@plinth/observability';
import type { Registry } from 'prom-client';
import { agents } from '../../agents/src';
import { buildWorker } from '../../build-worker/src';
import { controlPlane, FIRST_TENANT, tenantsService } from '../../control-plane/src';
import { embed } from '../../embed/src';
import { gateway } from '../../gateway/src';
import { runtime } from '../../runtime/src';
import { scim } from '../../scim/src';
import { workspace } from '../../workspace/src';
import { AdminKey } from './admin-key';
import { isSet, type Installation } from './installation';
import { forgetMissingWall, recordMissingWall } from './missing-wall';
import { withDatabaseOf } from './operator/open-database';
import { platformSettings } from './platform.config';
import { noteAddress } from './platform-address';
import { newEncryptionKey } from './secret-file';

export interface RunningPlatform {
  url: string;
  /** Where the first administrator's key is, for the operator. */
  adminKey: string;
  logger: Logger;
  stop(): Promise<void>;
}

const services = [controlPlane, buildWorker, runtime, workspace, embed, agents, scim, gateway];

type AnyService = Settings & typeof processSettings;

/**
 * Checks all settings, before anything is made or started. What the data folder gives needs none.
 *
 * @throws ConfigError naming every setting that is wrong or misspelt.
 */
export function checkSettings(own: Environment = environmentOver({})): void {
  const given = {
    PLINTH_DATABASE_URL: 'postgres://embedded',
    PLINTH_STORAGE_ROOT: '.',
    PLINTH_ENCRYPTION_KEYS: newEncryptionKey(),
  };
  checkConfig([...services, { settings: platformSettings }], { ...given, ...own });
}

/**
 * Starts every service in this process, the gateway last, with a PostgreSQL of its own unless one is configured.
 *
 * @param onDatabaseLost called when the embedded PostgreSQL ends by itself; the platform is of no use after that.
 */
export async function startPlatform(installation: Installation, onDatabaseLost: () => void): Promise<RunningPlatform> {
  const { config, dataFolder } = installation;
  checkSettings(installation.environment);
  for (const service of services) service.load();
  const isKeyGiven = isSet(installation.environment, 'PLINTH_BOOTSTRAP_API_KEY');
  const adminKey = new AdminKey(dataFolder, isKeyGiven);
  const settings = {
    ...installation.environment,
    ...(!isKeyGiven && { PLINTH_BOOTSTRAP_API_KEY: adminKey.value }),
  };
  const logger = createLogger('platform', config.logLevel);
  if (config.failpoint !== undefined) configureFailpoint(config.failpoint);
  const metrics = processMetrics();
  const stops: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const step of stops.splice(0).reverse()) await step();
  };
  try {
    const environment = await withDatabase(
      { config, dataFolder, environment: settings },
      logger,
      stops,
      onDatabaseLost,
    );
    await requireConfiguredKeys(environment, installation);
    const sandboxes = sandboxesOf(installation, logger, metrics);
    const host = new ServiceHost(environment, metrics, sandboxes, stops);
    const { operationsHost, operationsPort } = config;
    const operations = await startOperationsServer({
      host: operationsHost,
      port: operationsPort,
      metrics,
      checks: host.checks,
      details: sandboxes.details,
    });
    // The last to go: it says that the process is not ready any more.
    stops.unshift(async () => void operations.server.close());
    logger.debug({ operationsPort: operations.port }, 'health and metrics');
    await Promise.all([
      host.start(controlPlane),
      host.start(buildWorker),
      host.start(runtime),
      host.start(workspace),
      host.start(embed),
      host.start(agents),
      host.start(scim),
    ]);
    const whereKeyIs = await settleAdminKey(environment, adminKey);
    const { url = '' } = await host.start(gateway);
    noteAddress(dataFolder, url);
    host.checks['started'] = () => true;
    return { url, adminKey: whereKeyIs, logger, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Before any of the services starts: the first that opens its own schema could seal something already. */
export async function requireConfiguredKeys(environment: Environment, { forgetNewKey }: Installation): Promise<void> {
  const { databaseUrl, encryptionKeys } = loadConfig(databaseSettings, environment);
  const secrets = new SecretBox(encryptionKeys);
  const missing = await findMissingKeys(
    databaseUrl,
    services.map(({ name }) => name as ServiceName),
    secrets,
  );
  if (missing.length === 0) return;
  forgetNewKey?.();
  throw new MissingKeysError(missing, secrets.keyIds);
}

/** Starts without a wall too, for whoever tries the platform alone; then there is no second tenant. */
function sandboxesOf({ dataFolder }: Installation, logger: Logger, metrics: Registry): Sandboxes {
  forgetMissingWall(dataFolder);
  const onNoWall = (reasons: string): void => {
    recordMissingWall(dataFolder, reasons);
    logger.warn(
      { reasons },
      'NOTHING KEEPS PROGRAMS OF USERS FROM THIS PLATFORM: whoever changes a data model may come to read its keys and every tenant. No second tenant can be made. docs/operations.md says what a wall needs',
    );
  };
  return new Sandboxes({ logger, metrics, onNoWall });
}

/** The account may have been made with another key long ago, and keys are revoked. */
export function settleAdminKey(environment: Environment, kept: AdminKey): Promise<string> {
  const { bootstrapApiKey } = loadConfig(controlPlane.settings, environment);
  return withDatabaseOf(environment, async (database) => {
    const works = async (key: string | undefined): Promise<boolean> =>
      key !== undefined && tenantsService(database).isAdminKey(FIRST_TENANT, key);
    const file = kept.settle(await works(kept.value));
    if (file !== undefined) return file;
    if (await works(bootstrapApiKey)) return 'the one that PLINTH_BOOTSTRAP_API_KEY gives';
    const what =
      bootstrapApiKey === undefined || kept.value !== undefined
        ? 'none'
        : 'PLINTH_BOOTSTRAP_API_KEY is none, and no other';
    return `${what} is kept here; \`npm run plinth -- api-keys create --help\` says how to make one`;
  });
}

async function withDatabase(
  { config, dataFolder, environment }: Installation,
  logger: Logger,
  stops: (() => Promise<void>)[],
  onDatabaseLost: () => void,
): Promise<Environment> {
  if (config.databaseUrl !== undefined) return environment;
  const postgres = await startEmbeddedPostgres({
    dataFolder,
    port: config.postgresPort,
    durable: true,
    logger: logger.child({}, { level: 'warn' }),
    onUnexpectedEnd: onDatabaseLost,
  });
  stops.push(() => postgres.stop());
  return { ...environment, PLINTH_DATABASE_URL: postgres.url };
}

/** Services side by side in one process: each with a bus of its own, all on one hub. */
class ServiceHost {
  readonly checks: Record<string, ReadinessCheck> = { started: () => false, process: notEnding };
  private readonly hub = new InProcessHub();

  constructor(
    private readonly environment: Environment,
    private readonly metrics: Registry,
    private readonly sandboxes: Sandboxes,
    private readonly stops: (() => Promise<void>)[],
  ) {}

  async start<S extends AnyService>(service: ServiceDefinition<S>): Promise<RunningService> {
    const config = loadConfig(service.settings, this.environment);
    const shared = config as ReturnType<typeof loadConfig<typeof processSettings>>;
    const logger = createLogger(service.name, shared.logLevel);
    const bus = await createBus({ name: service.name, logger, hub: this.hub, ...busOptions(shared) });
    const running = await service.start({ config, bus, logger, metrics: this.metrics, sandboxes: this.sandboxes });
    this.stops.push(async () => {
      await running.close();
      await bus.close(shared.shutdownGraceMs);
    });
    for (const [name, check] of Object.entries(running.checks)) this.checks[`${service.name} ${name}`] = check;
    return running;
  }
}
