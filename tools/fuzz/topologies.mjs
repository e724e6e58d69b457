import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { adminKey, root, startNats, startPostgres, stopEverything, temporaryFolder } from '../bench/processes.mjs';
import { WatchedProcess } from './watched-process.mjs';

const run = promisify(execFile);
const services = ['control-plane', 'build-worker', 'workspace', 'embed', 'scim', 'gateway'];

const starts = { 'one-process': startOneProcess, services: startServices };
export const topologyNames = Object.keys(starts);

/** A whole platform on loopback; `report` hears of what goes wrong in its processes. */
export async function startTopology(name, report) {
  const settings = {
    PLINTH_PORT: '0',
    PLINTH_BOOTSTRAP_API_KEY: adminKey,
    PLINTH_ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
    PLINTH_RATE_LIMIT_PER_MINUTE: '0',
    PLINTH_LOG_LEVEL: 'warn',
    PLINTH_DATABASE_POOL_SIZE: '5',
    PLINTH_DATABASE_URL: await startPostgres(),
    PLINTH_STORAGE_ROOT: temporaryFolder('storage'),
    PLINTH_DATA_FOLDER: temporaryFolder('data'),
  };
  const { url, processes } = await starts[name](settings, report);
  return {
    url,
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
      await Promise.all(processes.map((each) => each.stop()));
      await stopEverything();
    },
  };
}

async function startOneProcess(settings, report) {
  const platform = new WatchedProcess('platform', 'platform/src/main.js', settings, report);
  const [, url] = /ready (https?:\/\/\S+)/.exec(await platform.ready());
  return { url, processes: [platform] };
}

async function startServices(settings, report) {
  const shared = { ...settings, PLINTH_NATS_URL: await startNats() };
  const processes = services.map((name) => {
    // The line that says that a service is ready, with the gateway's address, is no warning.
    const own = { PLINTH_LOG_LEVEL: 'info', ...(name === 'build-worker' && { PLINTH_WORKER_ID: 'build-worker-1' }) };
    return new WatchedProcess(name, `${name}/src/main.js`, { ...shared, ...own }, report);
  });
  const lines = await Promise.all(processes.map((each) => each.ready()));
  return { url: JSON.parse(lines.at(-1)).url, processes };
}
