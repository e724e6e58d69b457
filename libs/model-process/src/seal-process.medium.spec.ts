import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findProgram, nodeArguments } from '@plinth/sandbox';

const SOURCES = 'libs/model-process/src';
const programs = dirname(findProgram({ entry: `${SOURCES}/index`, folders: [SOURCES] }).script);
const folder = mkdtempSync(join(tmpdir(), 'plinth-seal-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Node with what a compiler's child is started with. */
function run(script: string, ...readable: string[]): SpawnSyncReturns<string> {
  const options = { encoding: 'utf8', env: { SECRET: 'x' }, cwd: folder, timeout: 60_000 } as const;
  return spawnSync(process.execPath, [...nodeArguments({ script, readable, heapMb: 256 }), script], options);
}

/** What code gets that runs unhindered in a sealed process, as if a model had climbed out of its context. */
function inSealedProcess(expressions: readonly string[], alsoDo = ''): string[] {
  const script = join(folder, 'sealed.js');
  writeFileSync(
    script,
    `const { inspect } = require('node:util');
     const modules = Object.fromEntries(['net', 'tls', 'http', 'http2', 'dgram', 'dns', 'fs', 'child_process', 'worker_threads',
       'v8', 'vm', 'os', 'crypto', 'inspector', 'module'].map((name) => [name, require('node:' + name)]));
     const print = process.stdout.write.bind(process.stdout);
     require(${JSON.stringify(join(programs, 'seal-process.js'))}).sealProcess();
     ${alsoDo}
     const settle = (work) => new Promise((resolve, reject) => {
       const value = work(modules);
       if (typeof value?.once !== 'function') return resolve(value);
       value.once('error', reject);
       value.once('connect', () => resolve('connected'));
     });
     const tell = (work) => settle(work).then((value) => inspect(value), (error) => error.cause?.message ?? error.message);
     Promise.all([${expressions.map((each) => `tell(async (m) => ${each})`).join(',')}])
       .then((all) => print(JSON.stringify(all)));`,
  );
  const { stdout, stderr } = run(script, folder, dirname(programs));
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as string[];
}

const REFUSED = 'A data model may not use the network or the process';

describe('a sealed process', () => {
  it('reaches no network, by whatever name', () => {
    const ways = [
      `fetch('http://127.0.0.1:8080')`,
      `m.net.connect(9, '127.0.0.1')`,
      `m.net.connect('/tmp/socket')`,
      `m.tls.connect(9, '127.0.0.1')`,
      `m.http.get('http://127.0.0.1:9')`,
      `m.http2.connect('http://127.0.0.1:9')`,
      `m.net.createServer().listen(0)`,
      `m.dgram.createSocket('udp4').send('x', 9, '127.0.0.1')`,
      `m.dgram.createSocket('udp4').bind(0)`,
      `m.dns.promises.resolve('example.test')`,
      `m.dns.lookup('example.test', () => {})`,
      `new m.dns.Resolver()._handle.queryA({}, 'example.test')`,
      `new m.net.Socket()._handle ?? process.stdout._handle.connect({}, '/tmp/socket')`,
    ];
    expect(inSealedProcess(ways)).toEqual(ways.map(() => REFUSED));
  });

  it('cannot end, signal or debug anything, nor load what lies beneath Node', () => {
    const ways = [
      'exit',
      'reallyExit',
      'abort',
      'kill',
      '_kill',
      '_debugProcess',
      'binding',
      '_linkedBinding',
      'dlopen',
    ];
    ways.push('getBuiltinModule', 'loadEnvFile', 'chdir', '_getActiveHandles', 'setUncaughtExceptionCaptureCallback');
    expect(inSealedProcess(ways.map((name) => `process.${name}(process.ppid)`))).toEqual(ways.map(() => REFUSED));
  });

  it('knows nothing of its environment and has no other way to talk to its parent', () => {
    const ways = ['process.env.SECRET', 'process.report', 'process.stdin', 'process.send', 'process.mainModule'];
    expect(inSealedProcess(ways)).toEqual(ways.map(() => 'undefined'));
  });

  it('may not read or write files, start processes or threads', () => {
    const ways = [
      `m.fs.readFileSync('/etc/passwd')`,
      `m.fs.readFileSync('/proc/self/environ')`,
      `m.fs.readdirSync('/')`,
      `m.fs.writeFileSync('/tmp/plinth-seal', '')`,
      `m.child_process.execSync('true')`,
      `new m.worker_threads.Worker('1', { eval: true })`,
    ];
    expect(inSealedProcess(ways)).toEqual(
      ways.map(() => expect.stringMatching(/^Access to this API has been restricted/)),
    );
  });
});

describe('a process whose modules are closed', () => {
  const refusals = (ways: readonly string[]) =>
    inSealedProcess(ways, `require(${JSON.stringify(join(programs, 'close-modules.js'))}).closeModules();`);

  it('loads nothing, by whatever name', () => {
    const ways = [
      `require('node:v8')`,
      `require('v8')`,
      `require('/etc/passwd')`,
      `require('./missing')`,
      `module.require('node:v8')`,
      `module.constructor._load('node:v8', module)`,
      `module.constructor.prototype.require.call({ filename: '/a.js' }, 'node:v8')`,
      `m.module.createRequire('/')('node:v8')`,
      `new module.constructor('x').load('/etc/passwd')`,
      `new module.constructor('x')._compile('1', 'x')`,
    ];
    expect(refusals(ways)).toEqual(ways.map(() => REFUSED));
  });

  it('does nothing for whoever kept a module of Node that reaches beyond values', () => {
    const ways = [
      `m.v8.setFlagsFromString('--trace-gc')`,
      `m.v8.writeHeapSnapshot()`,
      `m.vm.runInThisContext('process')`,
      `m.vm.compileFunction('return process')`,
      `new m.worker_threads.Worker('1', { eval: true })`,
      `m.child_process.spawn('true')`,
      `new m.inspector.Session()`,
      `m.fs.readFileSync(__filename)`,
      `m.fs.openSync(__filename)`,
      `m.os.setPriority(-1)`,
      `m.crypto.setEngine('/tmp/engine.so')`,
    ];
    expect(refusals(ways)).toEqual(ways.map(() => REFUSED));
  });

  it('still gives a library the files beside it that were loaded before', () => {
    const library = JSON.stringify({ filename: join(programs, 'main.js') });
    const ask = (name: string) => `typeof module.constructor.prototype.require.call(${library}, '${name}').sealProcess`;
    expect(refusals([ask('./seal-process'), ask('./transpiler')])).toEqual([`'function'`, REFUSED]);
  });
});

describe('a process with the arguments of a child', () => {
  it('ends when a flag of V8 is set, so that none traces to a file', () => {
    const script = join(folder, 'flags.js');
    const target = join(folder, 'trace');
    const flags = ['--redirect-code-traces', `--redirect-code-traces-to=${target}`, '--print-code'];
    writeFileSync(
      script,
      `for (const flag of ${JSON.stringify(flags)}) require('node:v8').setFlagsFromString(flag);
       const sum = (n) => { let all = 0; for (let i = 0; i < n; i++) all += i; return all; };
       for (let i = 0; i < 20000; i++) sum(1000);`,
    );
    const { status, signal } = run(script, folder);
    expect(status === 0 ? 'ended well' : signal).toMatch(/^SIG(?:TRAP|ILL|ABRT)$/);
    expect(readdirSync(folder)).not.toContain('trace');
  });
});

describe('sealing a process', () => {
  /** What holds while a program warms up, and afterwards. */
  const MEASURES = `{
    functions: Function !== original,
    contexts: vm.Script !== Script,
    network: refuses(() => net.connect(9, '127.0.0.1').on('error', () => undefined)),
    process: refuses(() => process.kill(process.pid, 0)),
    modules: refuses(() => require('node:tty')),
    intrinsics: refuses(() => { 'use strict'; delete Array.prototype.at; }),
  }`;

  it('has contexts confined before its program warms up, and everything else afterwards', () => {
    const script = join(folder, 'seal.js');
    writeFileSync(
      script,
      `const original = Function;
       const vm = require('node:vm');
       const { Script } = vm;
       const print = process.stdout.write.bind(process.stdout);
       const net = require('node:net');
       const refuses = (work) => { try { work(); return false; } catch { return true; } };
       const { at } = Array.prototype;
       const look = () => {
         const found = ${MEASURES};
         if (!Array.prototype.at) Array.prototype.at = at;
         return found;
       };
       const { seal } = require(${JSON.stringify(join(programs, 'seal.js'))});
       seal(async () => look()).then((before) => print(JSON.stringify([before, look()])));`,
    );
    const { stdout, stderr } = run(script, folder, dirname(programs));
    const measures = ['functions', 'contexts', 'network', 'process', 'modules', 'intrinsics'];
    const early = measures.map((name) => [name, ['functions', 'contexts'].includes(name)]);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual([
      Object.fromEntries(early),
      Object.fromEntries(measures.map((name) => [name, true])),
    ]);
  });
});
