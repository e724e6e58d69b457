import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findProgram, Sandbox } from '@plinth/sandbox';
import type { ChildEntry } from './child-entry';
import { CompilerProcess } from './compiler-process';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.open();
});
const folder = mkdtempSync(join(tmpdir(), 'plinth-child-'));
// Children may be of another user.
chmodSync(folder, 0o755);
const SOURCES = 'libs/model-process/src';
const programs = dirname(findProgram({ entry: `${SOURCES}/index`, folders: [SOURCES] }).script);
const children: CompilerProcess[] = [];
afterAll(async () => {
  await Promise.all(children.map((child) => child.stop()));
  rmSync(folder, { recursive: true });
});

const job = { root: 'model/', files: [], context: {}, background: false, describe: false };

/** A child whose program is `code`, which may do whatever a model could that has taken its compiler over. */
function hostile(name: string, code: string): CompilerProcess {
  const script = join(folder, `${name}.js`);
  writeFileSync(
    script,
    `const { readSync, writeSync } = require('node:fs');
     const say = (...messages) => writeSync(1, messages.map((each) => JSON.stringify(each) + '\\n').join(''));
     const hear = () => { const line = Buffer.alloc(65536); return JSON.parse(line.toString('utf8', 0, readSync(0, line))); };
     ${code}`,
  );
  const entry: ChildEntry = { script, readable: [folder, programs], version: '' };
  const limits = { timeoutMs: 60_000, memoryMb: 64, outputBytes: 100_000 };
  const child = new CompilerProcess(entry, sandbox, limits);
  children.push(child);
  return child;
}

const BEGIN = `say({ kind: 'ready' }); const { id } = hear(); say({ kind: 'begun', id }); say({ kind: 'file', path: 'a.js' });`;
const BROKEN = 'The data model broke its compiler';

describe('a child that', () => {
  it.each<[string, string, string]>([
    ['floods its error output', `for (;;) writeSync(2, 'x'.repeat(9999));`, 'The data model prints too much output'],
    ['floods its messages with one line', `for (;;) writeSync(1, 'x'.repeat(65536));`, BROKEN],
    ['floods its messages with many', `for (;;) say({ kind: 'file', path: 'x'.repeat(65536) });`, BROKEN],
    ['says what is no message', `writeSync(1, 'nonsense\\n'); hear();`, BROKEN],
    ['gives a result of a wrong shape', `say({ kind: 'result', id, result: { valid: 1 } }); hear();`, BROKEN],
    [
      'answers another job',
      `say({ kind: 'result', id: 'x', result: { valid: true, errors: [], cubesCount: 1 } }); hear();`,
      BROKEN,
    ],
    ['ends', `process.exit(3);`, 'The data model ended its compiler (3)'],
    ['aborts', `process.abort();`, 'Compilation needs more than 64 MiB of memory'],
  ])('%s is ended, and the model blamed', async (title, code, message) => {
    const child = hostile(title.replaceAll(' ', '-'), `${BEGIN} ${code}`);
    await expect(child.compile(job)).rejects.toMatchObject({ message, byModel: true, lastFile: 'a.js' });
    expect(child.usable).toBe(false);
  });

  it('prints is heard all the same, and what it prints is no reply', async () => {
    const result = { valid: true, errors: [], cubesCount: 1 };
    const print = `require(${JSON.stringify(join(programs, 'redirect-output.js'))}); console.log('printed');
      process.stdout.write(JSON.stringify({ kind: 'result', id, result: {} }) + '\\n');`;
    const child = hostile(
      'prints',
      `${BEGIN} ${print} say({ kind: 'result', id, result: ${JSON.stringify(result)} }); hear();`,
    );
    expect(await child.compile(job)).toEqual(result);
  });

  it.each<[string, string, string]>([
    ['does not start', `process.exit(1);`, 'The data model ended its compiler (1)'],
    ['does not begin', `say({ kind: 'ready' }); for (;;);`, 'The compiler did not answer'],
    [
      'is killed from outside',
      `${BEGIN} process.kill(process.pid, 'SIGKILL');`,
      'The compiler was ended from outside (SIGKILL)',
    ],
    [
      'is told to end from outside',
      `${BEGIN} process.kill(process.pid);`,
      'The compiler was ended from outside (SIGTERM)',
    ],
  ])('%s is no fault of the model', async (title, code, message) => {
    const child = hostile(title.replaceAll(' ', '-'), code);
    await expect(child.compile(job)).rejects.toMatchObject({ message, byModel: false });
  });
});
