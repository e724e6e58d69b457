import type { ChildProcess } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '@plinth/local-services';
import { own } from '@plinth/streams';
import { Client } from 'pg';
import { currentUserName } from './account';
import { reachableBinaries } from './binaries';
import { createCluster } from './cluster';
import { createPassword, DATABASE, requirePassword, urlOf } from './credentials';
import { chooseLocation, findData, rememberLocation, type DataLocation } from './data-location';
import { lockFile } from './find-running-postgres';
import { acquireInstanceLock } from './instance-lock';
import { keepPort, keptPort } from './kept-port';
import { silentLogger, type PostgresLogger } from './logger';
import { startPostmaster } from './postmaster';
import { stopOrphan, stopServer } from './server-process';
import { explainProblem } from './start-problem';

export interface EmbeddedPostgresOptions {
  /** Folder that belongs to one platform; made when missing. */
  dataFolder: string;
  /** TCP port on 127.0.0.1; 0 (the default) takes that of the last start, or a free one when another program has it. */
  port?: number;
  /** Whether a commit survives a power cut: the default. False makes tests fast. */
  durable?: boolean;
  /** Silent when absent. */
  logger?: PostgresLogger;
  /** Folder for what the server's account cannot reach in place; `/var/lib/plinth` by default, used only by root. */
  sharedFolder?: string;
  /** Called when the server ends without having been stopped; it is not started again. */
  onUnexpectedEnd?: () => void;
}

export interface EmbeddedPostgres {
  /** Connection string of the superuser, password included. */
  url: string;
  port: number;
  stop(): Promise<void>;
}

const ATTEMPTS = 5;

/**
 * Starts a PostgreSQL 18 of our own on 127.0.0.1, made on the first start. It works for ordinary users and for root,
 * and after a crash that left the server running.
 *
 * @throws EmbeddedPostgresError with a sentence for the operator.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { dataFolder } = options;
  try {
    await mkdir(dataFolder, { recursive: true, mode: 0o755 });
    const lock = acquireInstanceLock(lockFile(dataFolder));
    try {
      const server = await start({ ...options, dataFolder: realpathSync(dataFolder) });
      lock.announcePort(server.port);
      return { ...server, stop: () => server.stop().finally(() => lock.release()) };
    } catch (error) {
      lock.release();
      throw error;
    }
  } catch (error) {
    throw explainProblem(error, { folder: dataFolder, userName: currentUserName() });
  }
}

async function start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { dataFolder, logger = silentLogger, sharedFolder = '/var/lib/plinth' } = options;
  const existing = findData(dataFolder);
  const location = existing ?? (await chooseLocation(dataFolder, sharedFolder));
  try {
    const binaries = await reachableBinaries(location.account, sharedFolder);
    if (existing) await stopOrphan(existing.dataDirectory, logger);
    else await createData(binaries.initdb, location, options);
    const password = requirePassword(dataFolder);
    const { child, port } = await startOnPort(binaries.postgres, location, options);
    keepPort(dataFolder, port);
    const stop = stopper(child, logger, options.onUnexpectedEnd);
    await ensureDatabase(urlOf(password, port, 'postgres')).catch((error: unknown) =>
      stop().then(() => Promise.reject(error)),
    );
    return { url: urlOf(password, port), port, stop };
  } catch (error) {
    throw explainProblem(error, {
      folder: location.dataDirectory,
      userName: location.account.name,
      ...(options.port && { port: options.port }),
    });
  }
}

async function createData(initdb: string, location: DataLocation, options: EmbeddedPostgresOptions): Promise<void> {
  const { dataFolder, durable = true } = options;
  await createCluster({ initdb, ...location, password: createPassword(dataFolder), durable });
  rememberLocation(dataFolder, location);
}

/**
 * A port found free can be taken a moment later, and the workers of a server that died hard need a moment to notice:
 * both are tried again.
 */
async function startOnPort(
  postgres: string,
  location: DataLocation,
  { dataFolder, port: wanted, durable = true, logger = silentLogger }: EmbeddedPostgresOptions,
): Promise<{ child: ChildProcess; port: number }> {
  for (let attempt = 1; ; attempt += 1) {
    const port = wanted || (await keptPort(dataFolder)) || (await freePort());
    try {
      const child = await startPostmaster(postgres, { ...location, port, durable, logger });
      return { child, port };
    } catch (error) {
      if (attempt === ATTEMPTS || !isPassing(String(error), wanted)) throw error;
      await delay(200 * attempt);
    }
  }
}

const isPassing = (output: string, wantedPort: number | undefined): boolean =>
  /pre-existing shared memory block/.test(output) || (!wantedPort && /Address already in use/.test(output));

async function ensureDatabase(url: string): Promise<void> {
  const client = own(new Client({ connectionString: url }));
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [DATABASE]);
    if (!rowCount) await client.query(`create database ${DATABASE}`);
  } finally {
    await client.end();
  }
}

function stopper(
  child: ChildProcess,
  logger: PostgresLogger,
  onUnexpectedEnd: () => void = () => undefined,
): () => Promise<void> {
  const stopAtExit = (): void => void child.kill('SIGINT');
  const reportEnd = (status: number | null, signal: string | null): void => {
    logger.error({ status, signal }, 'PostgreSQL ended unexpectedly');
    onUnexpectedEnd();
  };
  process.once('exit', stopAtExit);
  child.once('exit', reportEnd);
  return async () => {
    process.removeListener('exit', stopAtExit);
    child.removeListener('exit', reportEnd);
    const running = child.exitCode === null && child.signalCode === null;
    if (child.pid !== undefined && running) await stopServer(child.pid);
  };
}
