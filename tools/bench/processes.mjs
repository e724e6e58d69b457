// Starts what a measurement needs and stops it again.
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const require = createRequire(import.meta.url);
require('../jest/register-typescript.js');
export const { processesBelow, programsBelow } = require('../../libs/testing/src/processes.ts');
export const { freePort } = require('../../libs/local-services/src/listening.ts');
export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
export const dist = (path) => require(join(root, 'dist', path));
export const adminKey = 'sk-benchAdministratorKey000000000000000001';

const started = [];
const processIds = new Map();

/** Id of the process that was started last from the file. */
export const processIdOf = (file) => processIds.get(join(root, file));

/** Starts a node process and resolves with the first match of `ready` in what it prints. */
export function startProcess(file, args, environment, ready) {
  const child = spawn(process.execPath, [file, ...args], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: 'production', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  processIds.set(file, child.pid);
  let isStopped = false;
  started.push(() => {
    isStopped = true;
    child.kill('SIGTERM');
  });
  return new Promise((found, failed) => {
    let text = '';
    const onData = (chunk) => {
      text += chunk;
      const match = ready.exec(text);
      if (match) found(match);
      if (text.length > 100_000) text = '';
    };
    child.stdout.on('data', onData);
    child.stderr.on('data', onData);
    child.once('exit', (code, signal) => {
      const end = `${file} ended with ${code ?? signal}: ${text.slice(-2_000)}`;
      if (!isStopped) console.error(end);
      failed(new Error(end));
    });
  });
}

/** Has something else stopped with all that was started. */
export const stopWithTheRest = (stop) => void started.push(stop);

export function temporaryFolder(name) {
  const folder = mkdtempSync(join(tmpdir(), `plinth-bench-${name}-`));
  // PostgreSQL's account has to get in, else its data would be put elsewhere and stay there.
  chmodSync(folder, 0o755);
  started.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A PostgreSQL for every variant of a measurement. */
export async function startPostgres() {
  const { startEmbeddedPostgres } = dist('libs/embedded-postgres/src');
  const postgres = await startEmbeddedPostgres({ dataFolder: temporaryFolder('postgres'), durable: true });
  started.push(() => postgres.stop());
  return postgres.url;
}

export async function startNats() {
  const { startNatsServer } = dist('libs/testing/src/nats-server');
  const nats = await startNatsServer();
  started.push(() => nats.stop());
  return nats.url;
}

/** Connections to the database of each service, and of what it is compared with. */
export const databasePoolSize = '5';

const shared = () => ({
  PLINTH_LOG_LEVEL: 'warn',
  PLINTH_PORT: '0',
  PLINTH_BOOTSTRAP_API_KEY: adminKey,
  PLINTH_ENCRYPTION_KEYS: encryptionKey,
  PLINTH_RATE_LIMIT_PER_MINUTE: '0',
  PLINTH_DATABASE_POOL_SIZE: databasePoolSize,
  PLINTH_ENGINE_PRIVATE_ADDRESSES: 'true',
  PLINTH_AI_ALLOW_INSECURE_PROVIDERS: 'true',
  PLINTH_AGENT_TURNS_PER_ACCOUNT_MAX: '200',
  PLINTH_ENGINE_IDLE_S: '0',
});
const encryptionKey = randomBytes(32).toString('base64');

/** Every service in one process on the given database; resolves with its address. */
export async function startPlatform(databaseUrl, storage, settings = {}) {
  const environment = {
    ...shared(),
    ...settings,
    PLINTH_DATABASE_URL: databaseUrl,
    PLINTH_DATA_FOLDER: temporaryFolder('data'),
    PLINTH_STORAGE_ROOT: storage,
  };
  const [, url] = await startProcess(
    join(root, 'dist/apps/platform/src/platform-process.js'),
    [],
    environment,
    /ready (http:\S+)/,
  );
  return url;
}

/** Every service as a process of its own on NATS; resolves with the gateway's address. */
export async function startServices(databaseUrl, storage, names = ['control-plane', 'build-worker']) {
  const environment = {
    ...shared(),
    PLINTH_DATABASE_URL: databaseUrl,
    PLINTH_NATS_URL: await startNats(),
    PLINTH_STORAGE_ROOT: storage,
    PLINTH_LOG_LEVEL: 'info',
  };
  const start = (name, settings, ready) =>
    startProcess(join(root, `dist/apps/${name}/src/main.js`), [], { ...environment, ...settings }, ready);
  await Promise.all(names.map((name) => start(name, {}, /"msg":"ready"/)));
  // The gateway's own line about being ready would need the log level that also logs every request.
  const port = await freePort();
  const ended = start('gateway', { PLINTH_PORT: String(port), PLINTH_LOG_LEVEL: 'warn' }, /never printed/);
  const url = `http://127.0.0.1:${port}`;
  await Promise.race([ended, untilReady(url)]);
  return url;
}

/** Runs an operator's command on the database; resolves with the lines that it prints. */
export async function runOperator(databaseUrl, args) {
  const environment = {
    ...shared(),
    PLINTH_DATABASE_URL: databaseUrl,
    PLINTH_DATA_FOLDER: temporaryFolder('operator'),
  };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(root, 'dist/apps/platform/src/operator/main.js'), ...args],
    { env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment } },
  );
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

async function untilReady(url) {
  for (;;) {
    const answer = await fetch(`${url}/healthz/ready`).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export async function stopEverything() {
  for (const stop of started.splice(0).reverse()) await stop();
}
