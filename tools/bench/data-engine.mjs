// The engine's program without the platform: asked at its socket, as a runtime asks it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { SignJWT } from 'jose';
import { databaseVariables } from './data-shop.mjs';
import { dist, programsBelow, stopWithTheRest } from './processes.mjs';
import { untilIdle } from './processor-time.mjs';

const tokenSecret = 'a secret of this engine alone, for measurements';
const heapMb = 512;
const limits = {
  defaultRows: 10_000,
  maxRows: 50_000,
  queryMs: 600_000,
  concurrency: 8,
  cacheBytes: 64 << 20,
  modelMemoryBytes: 512 << 20,
  modelCallMs: 20_000,
};

export class BareEngine {
  /** Resolves when it answers. */
  static async start(database, model, transpiled = []) {
    const engine = await BareEngine.spawn();
    await engine.serve(database, model, transpiled);
    return engine;
  }

  /** As a runtime keeps one to spare: resolves when both of its processes have nothing more to do. */
  static async spare() {
    const engine = await BareEngine.spawn();
    engine.#say({ kind: 'prepare', limits, sandbox: engine.sandbox });
    // Itself and its model process.
    await untilIdle(() => programsBelow(engine.pid, 'libs/engine/src/'), 2);
    return engine;
  }

  static async spawn() {
    const { Sandbox } = dist('libs/sandbox/src');
    const { engineCommand } = dist('libs/engine/src');
    const { kind } = await Sandbox.open();
    const engine = new BareEngine();
    engine.sandbox = { kind, users: { first: 64_000, last: 64_999 } };
    engine.folder = mkdtempSync(join(tmpdir(), 'plinth-bench-engine-'));
    engine.socketPath = join(engine.folder, 'engine.sock');
    const { command, args } = engineCommand(heapMb);
    engine.child = spawn(command, args, { env: {}, stdio: ['pipe', 'pipe', 'inherit'] });
    engine.pid = engine.child.pid;
    stopWithTheRest(() => engine.stop());
    engine.child.stdin.on('error', () => undefined);
    return engine;
  }

  async serve(database, model, transpiled) {
    this.#say({
      socketPath: this.socketPath,
      tokenSecret,
      variables: Object.fromEntries(databaseVariables(database).map(({ name, value }) => [name, value])),
      tokenPaths: {},
      model: model.map(({ path, content }) => ({ path: path.replace(/^model\//, ''), content })),
      modelRoot: 'model/',
      transpiled,
      // As a runtime has it from the build.
      checked: transpiled.length > 0,
      limits,
      sandbox: this.sandbox,
      privateAddresses: true,
    });
    await this.#ready();
  }

  #say(order) {
    this.child.stdin.write(`${JSON.stringify(order)}\n`);
  }

  /** Engines refuse one that is older than a minute. */
  token() {
    return new SignJWT({})
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuedAt()
      .setExpirationTime('1m')
      .sign(new TextEncoder().encode(tokenSecret));
  }

  #ready() {
    return new Promise((resolve, reject) => {
      this.child.once('exit', () => reject(new Error('The engine has ended')));
      createInterface({ input: this.child.stdout }).on('line', (line) => {
        const report = JSON.parse(line);
        if (report.kind === 'ready') resolve();
        if (report.kind === 'broken' || report.kind === 'failed') reject(new Error(line));
      });
    });
  }

  async load(query) {
    const call = request({
      socketPath: this.socketPath,
      path: '/cubejs-api/v1/load',
      method: 'POST',
      headers: { authorization: await this.token(), 'content-type': 'application/json' },
    });
    call.end(JSON.stringify({ query }));
    const [response] = await once(call, 'response');
    const body = await text(response);
    if (response.statusCode !== 200) throw new Error(body);
    return JSON.parse(body);
  }

  async stop() {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const exited = once(this.child, 'exit');
      this.child.stdin.end();
      await exited;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Cubes with ten dimensions and ten measures each, over tables that the sample shop has. */
export const largeModel = (cubes) =>
  Array.from({ length: cubes }, (_, at) => ({
    path: `model/cubes/cube${at}.yml`,
    content: [
      'cubes:',
      `  - name: cube${at}`,
      '    sql_table: orders',
      '    dimensions:',
      '      - { name: id, sql: id, type: number, primary_key: true }',
      ...Array.from({ length: 9 }, (_each, index) => `      - { name: d${index}, sql: "{CUBE}.status", type: string }`),
      '    measures:',
      '      - { name: count, type: count }',
      ...Array.from({ length: 9 }, (_each, index) => `      - { name: m${index}, sql: "{CUBE}.id", type: sum }`),
      '',
    ].join('\n'),
  }));
