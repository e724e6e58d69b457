import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findChildEntry } from './child-entry';

const folder = mkdtempSync(join(tmpdir(), 'plinth-seal-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What code gets that runs unhindered in a sealed process, as if a model had climbed out of its context. */
function inSealedProcess(expressions: readonly string[]): string[] {
  const compiler = dirname(dirname(findChildEntry().script));
  const script = join(folder, 'sealed.js');
  writeFileSync(
    script,
    `const { inspect } = require('node:util');
     const modules = Object.fromEntries(['net', 'tls', 'http', 'http2', 'dgram', 'dns', 'fs', 'child_process', 'worker_threads']
       .map((name) => [name, require('node:' + name)]));
     const print = process.stdout.write.bind(process.stdout);
     require(${JSON.stringify(join(compiler, 'child', 'seal-process.js'))}).sealProcess();
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
  const flags = ['--experimental-permission', '--no-warnings'];
  const readable = [folder, compiler].map((path) => `--allow-fs-read=${path}/*`);
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, ...readable, script], {
    encoding: 'utf8',
    env: { SECRET: 'x' },
    timeout: 60_000,
  });
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
    expect(inSealedProcess(ways)).toEqual(ways.map(() => 'Access to this API has been restricted'));
  });
});
