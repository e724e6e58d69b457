import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { adminKey, dist, root } from '../bench/processes.mjs';
import { ServiceProcess } from './service-process.mjs';

const { Client } = createRequire(join(root, 'package.json'))('pg');

const START_ATTEMPTS = 10;

/** A whole platform of separate processes on loopback, whose parts can be taken down and brought back one by one. */
export class Platform {
  #folder = mkdtempSync(join(tmpdir(), 'plinth-chaos-'));
  #encryptionKey = randomBytes(32).toString('base64');
  #services = new Set();
  #workers = new Map();
  #workersStarted = 0;
  #postgres;
  #nats;
  #stopping = false;

  get folder() {
    return this.#folder;
  }

  get #storage() {
    return join(this.#folder, 'storage');
  }

  /** Folder of a repository: the shards above are the store's own business. */
  repositoryFolder(name) {
    const shards = readdirSync(this.#storage).map((shard) => join(this.#storage, shard, `${name}.git`));
    return shards.find((folder) => existsSync(folder));
  }

  /** Build workers that have not been killed or replaced, by name. */
  get workers() {
    return this.#workers;
  }

  async start({ workers }) {
    // PostgreSQL runs under another account when this process is root's.
    chmodSync(this.#folder, 0o755);
    for (const name of ['logs', 'storage']) mkdirSync(join(this.#folder, name));
    await Promise.all([this.#startNats(), this.#startPostgres()]);
    await this.#startService('control-plane', 'control-plane');
    await Promise.all(Array.from({ length: workers }, () => this.startWorker()));
    const settings = { PLINTH_PORT: '0', PLINTH_RATE_LIMIT_PER_MINUTE: '0' };
    const { url, operationsPort } = (await this.#startService('gateway', 'gateway', settings)).ready;
    this.url = url;
    this.gatewayMetrics = `http://127.0.0.1:${operationsPort}/metrics`;
  }

  /** Starts one more build worker under a new name and waits until it serves. */
  async startWorker() {
    const name = `build-worker-${(this.#workersStarted += 1)}`;
    const settings = { PLINTH_STORAGE_ROOT: this.#storage, PLINTH_WORKER_ID: name };
    const { service } = await this.#startService('build-worker', name, settings);
    this.#workers.set(name, service);
  }

  /** Takes the worker out of the list; its end is up to the caller. */
  forget(name) {
    const worker = this.#workers.get(name);
    this.#workers.delete(name);
    return worker;
  }

  async restartNats(how, awayMs) {
    const { port } = this.#nats;
    await this.#nats.stop(how);
    await delay(awayMs);
    await this.#startNats(port);
  }

  /** `fast` rolls back and disconnects; `immediate` is a crash, from which the next start recovers. */
  async restartPostgres(how, awayMs) {
    const { port } = this.#postgres;
    if (how === 'immediate') process.kill(this.#postgres.pid, 'SIGQUIT');
    await this.#postgres.stop();
    await delay(awayMs);
    await this.#startPostgres(port);
  }

  async query(text, values) {
    const client = new Client({ connectionString: this.#postgres.url });
    await client.connect();
    try {
      return (await client.query(text, values)).rows;
    } finally {
      await client.end();
    }
  }

  /** Value of a counter of the gateway, all labels together; zero when it has not counted yet. */
  async gatewayCounter(name) {
    const response = await fetch(this.gatewayMetrics);
    const lines = (await response.text()).split('\n').filter((line) => line.startsWith(name));
    return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  }

  async stop({ keep = false } = {}) {
    this.#stopping = true;
    await Promise.all([...this.#services].map((service) => service.stop()));
    await this.#nats?.stop();
    await this.#postgres?.stop();
    if (!keep) rmSync(this.#folder, { recursive: true, force: true });
  }

  async #startNats(port) {
    if (this.#stopping) return;
    const { startNatsServer } = dist('libs/testing/src/nats-server');
    this.#nats = await startNatsServer({ port });
  }

  async #startPostgres(port) {
    if (this.#stopping) return;
    const { startEmbeddedPostgres } = dist('libs/embedded-postgres/src');
    const options = { dataFolder: join(this.#folder, 'postgres'), durable: true };
    this.#postgres = await startEmbeddedPostgres({ ...options, port, onUnexpectedEnd: () => undefined });
    const [{ folder }] = await this.query(`select current_setting('data_directory') as folder`);
    this.#postgres.pid = Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0]);
  }

  /** Starts it again while it ends by itself, as a supervisor does: a server may be away just now. */
  async #startService(program, name, settings = {}) {
    for (let attempt = 1; attempt <= START_ATTEMPTS && !this.#stopping; attempt += 1) {
      const service = this.#spawn(program, name, settings);
      this.#services.add(service);
      const ready = await service.ready;
      if (ready) return { service, ready };
      this.#services.delete(service);
    }
    throw new Error(`${name} does not start`);
  }

  #spawn(program, name, settings) {
    return new ServiceProcess(program, join(this.#folder, 'logs', `${name}.log`), {
      PLINTH_NATS_URL: this.#nats.url,
      PLINTH_DATABASE_URL: this.#postgres.url,
      PLINTH_DATABASE_POOL_SIZE: '5',
      PLINTH_ENCRYPTION_KEYS: this.#encryptionKey,
      PLINTH_BOOTSTRAP_API_KEY: adminKey,
      ...settings,
    });
  }
}
