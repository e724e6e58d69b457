import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  adminKey,
  freePort,
  root,
  startNats,
  startPostgres,
  stopEverything,
  temporaryFolder,
} from '../bench/processes.mjs';
import { WatchedProcess } from './watched-process.mjs';

const run = promisify(execFile);
const services = ['control-plane', 'build-worker', 'runtime', 'workspace', 'embed', 'agents', 'scim', 'gateway'];

/** How long after a process came back requests may still fail for its absence. */
const SHAKEN_FOR_MS = 3_000;

const parts = { 'one-process': ['platform'], services };
export const topologyNames = Object.keys(parts);

/** A whole platform on loopback; `report` hears of what goes wrong in its processes. */
export async function startTopology(name, report) {
  const port = await freePort();
  const settings = {
    PLINTH_PORT: String(port),
    PLINTH_BOOTSTRAP_API_KEY: adminKey,
    PLINTH_ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
    PLINTH_RATE_LIMIT_PER_MINUTE: '0',
    // The line that says that a service is ready is no warning.
    PLINTH_LOG_LEVEL: 'info',
    PLINTH_DATABASE_POOL_SIZE: '5',
    PLINTH_DATABASE_URL: await startPostgres(),
    PLINTH_STORAGE_ROOT: temporaryFolder('storage'),
    PLINTH_DATA_FOLDER: temporaryFolder('data'),
    PLINTH_WORKER_ID: 'build-worker-1',
    ...(name === 'services' && { PLINTH_NATS_URL: await startNats() }),
  };
  const supervisor = new Supervisor(settings, report);
  await Promise.all(parts[name].map((part) => supervisor.start(part)));
  return {
    url: `http://127.0.0.1:${port}`,
    isShaken: () => supervisor.isShaken,
    /** An API key of a user of the role, made by the operator's command. */
    issueKey: async (email, role) => {
      const words = ['api-keys', 'create', '--tenant', 'local', '--email', email, '--role', role];
      const { stdout } = await run(
        process.execPath,
        [join(root, 'dist/apps/platform/src/operator/main.js'), ...words],
        {
          cwd: root,
          env: { PATH: process.env.PATH, HOME: process.env.HOME, ...settings },
        },
      );
      return JSON.parse(stdout.trim().split('\n').at(-1)).apiKey;
    },
    stop: async () => {
      await supervisor.stop();
      await stopEverything();
    },
  };
}

/** Starts a process again that ended, so that the run goes on. */
class Supervisor {
  #running = new Map();
  #shakenUntil = 0;

  constructor(settings, report) {
    Object.assign(this, { settings, report });
  }

  get isShaken() {
    return Date.now() < this.#shakenUntil;
  }

  async start(name) {
    const process = new WatchedProcess(name, `${name}/src/main.js`, this.settings, this.report);
    this.#running.set(name, process);
    await process.ready();
    void process.ended.then((byItself) => byItself && this.#restart(name));
  }

  async stop() {
    await Promise.all([...this.#running.values()].map((process) => process.stop()));
  }

  async #restart(name) {
    this.#shakenUntil = Infinity;
    await this.start(name).catch((error) => this.report(`${name} does not start again`, error.message));
    this.#shakenUntil = Date.now() + SHAKEN_FOR_MS;
  }
}
