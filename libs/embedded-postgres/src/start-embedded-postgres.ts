import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, realpathSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { reachableBinaries } from './binaries';
import { createCluster, passwordFrom, SUPERUSER } from './cluster';
import { locateData, type DataLocation } from './data-location';
import { acquireInstanceLock } from './instance-lock';
import { startPostmaster, stopOrphan, stopServer } from './postmaster';
import { explainProblem } from './start-problem';

export interface EmbeddedPostgresOptions {
  /** Folder that belongs to one platform; made when missing. */
  dataFolder: string;
  /** TCP port on 127.0.0.1; 0 (the default) takes a free one. */
  port?: number;
  /** Whether a commit survives a power cut. False makes tests fast. */
  durable: boolean;
  /** Takes the lines that the server writes. */
  log?: (line: string) => void;
  /** Folder for what the server's account cannot reach in place; `/var/lib/plinth` by default, used only by root. */
  sharedFolder?: string;
}

export interface EmbeddedPostgres {
  /** Connection string of the superuser, password included. */
  url: string;
  port: number;
  stop(): Promise<void>;
}

const DATABASE = 'plinth';
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
    const lock = acquireInstanceLock(join(dataFolder, 'postgres.lock'));
    try {
      const server = await start({ ...options, dataFolder: realpathSync(dataFolder) });
      lock.announcePort(server.port);
      return { ...server, stop: () => server.stop().finally(() => lock.release()) };
    } catch (error) {
      lock.release();
      throw error;
    }
  } catch (error) {
    throw explainProblem(error, { folder: dataFolder, userName: userInfo().username });
  }
}

async function start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { dataFolder, durable, log = () => undefined, sharedFolder = '/var/lib/plinth' } = options;
  const location = await locateData(dataFolder, sharedFolder);
  const { dataDirectory, account } = location;
  try {
    const { initdb, postgres } = await reachableBinaries(account, sharedFolder);
    const password = await passwordFrom(join(dataFolder, 'postgres.password'));
    if (existsSync(dataDirectory)) await stopOrphan(dataDirectory, log);
    else await createCluster({ initdb, dataDirectory, account, password, durable });
    const { child, port } = await startOnPort(postgres, location, { ...options, log });
    const url = await ensureDatabase(`postgres://${SUPERUSER}:${password}@127.0.0.1:${port}`);
    return { url, port, stop: stopper(child) };
  } catch (error) {
    throw explainProblem(error, {
      folder: dataDirectory,
      userName: account.name,
      ...(options.port && { port: options.port }),
    });
  }
}

/**
 * A port found free can be taken a moment later, and the workers of a server that died hard need a moment to notice:
 * both are tried again.
 */
async function startOnPort(
  postgres: string,
  location: DataLocation,
  options: EmbeddedPostgresOptions & { log: (line: string) => void },
): Promise<{ child: ChildProcess; port: number }> {
  for (let attempt = 1; ; attempt += 1) {
    const port = options.port || (await freePort());
    try {
      const child = await startPostmaster(postgres, { ...location, port, durable: options.durable, log: options.log });
      return { child, port };
    } catch (error) {
      if (attempt === ATTEMPTS || !isPassing(String(error), options)) throw error;
      await delay(200 * attempt);
    }
  }
}

const isPassing = (output: string, { port }: EmbeddedPostgresOptions): boolean =>
  /pre-existing shared memory block/.test(output) || (!port && /Address already in use/.test(output));

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function ensureDatabase(server: string): Promise<string> {
  const client = new Client({ connectionString: `${server}/postgres` });
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [DATABASE]);
    if (!rowCount) await client.query(`create database ${DATABASE}`);
  } finally {
    await client.end();
  }
  return `${server}/${DATABASE}`;
}

function stopper(child: ChildProcess): () => Promise<void> {
  const stopAtExit = (): void => void child.kill('SIGINT');
  process.once('exit', stopAtExit);
  return async () => {
    process.removeListener('exit', stopAtExit);
    if (child.pid !== undefined && child.exitCode === null) await stopServer(child.pid);
  };
}
