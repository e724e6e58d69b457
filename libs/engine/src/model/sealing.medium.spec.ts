import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeArguments } from '@plinth/sandbox';
import { PLAIN_START } from '../testing/hosted-model';
import type { ModelStart } from './messages';
import { modelProgram } from './program';

/**
 * Loaded before the program, and so with what a model has that has climbed out of its context: each time that a context is
 * made, which the model's is the last of, it tries what must not work any more.
 */
const CLIMBED_OUT = `
  const { writeSync } = require('node:fs');
  const v8 = require('node:v8');
  const vm = require('node:vm');
  const { createContext } = vm;
  const { stringify } = JSON;
  const ways = {
    'signal a process': () => process.kill(process.pid, 0),
    'load a module': () => require('node:os'),
    'use a module that it holds': () => v8.getHeapStatistics(),
    'change what all objects inherit': () => { 'use strict'; Object.prototype.planted = 1; delete Object.prototype.planted; },
  };
  const outcome = (way) => { try { way(); return 'works'; } catch { return 'refused'; } };
  vm.createContext = (...given) => {
    writeSync(2, 'tried ' + stringify(Object.fromEntries(Object.entries(ways).map(([name, way]) => [name, outcome(way)]))) + '\\n');
    return createContext(...given);
  };`;
const START: ModelStart = {
  model: [{ path: 'a.js', content: `cube('a', { sql: 'select 1', measures: { n: { type: 'count' } } })` }],
  ...PLAIN_START,
};

const folder = mkdtempSync(join(tmpdir(), 'plinth-climbed-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What came of each way, whenever a context was made, until the model was compiled. */
async function tried(): Promise<Record<string, string>[]> {
  const preload = join(folder, 'climbed-out.js');
  writeFileSync(preload, CLIMBED_OUT);
  const program = modelProgram(256);
  const options = nodeArguments({ ...program, readable: [...program.readable, folder] });
  const child = spawn(process.execPath, [...options, '-r', preload, program.script], {
    env: { ...program.environment },
    stdio: 'pipe',
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  child.stdin.on('error', () => undefined);
  child.stdin.write(`${JSON.stringify(START)}\n`);
  let answered = '';
  child.stdout.on('data', (chunk: Buffer) => (answered += chunk.toString()));
  // Its end, once there is nothing more to do.
  child.stdin.end();
  await once(child, 'close');
  if (!answered.includes('"kind":"ready"')) throw new Error(said);
  const lines = said.split('\n').filter((line) => line.startsWith('tried '));
  return lines.map((line) => JSON.parse(line.slice('tried '.length)) as Record<string, string>);
}

describe('a model that has climbed out of its context', () => {
  let outcomes: Record<string, string>[];
  beforeAll(async () => {
    outcomes = await tried();
  });

  it.each(['signal a process', 'load a module', 'use a module that it holds', 'change what all objects inherit'])(
    'cannot %s, which works before the process is sealed',
    (way) => {
      expect([outcomes[0]?.[way], outcomes.at(-1)?.[way]]).toEqual(['works', 'refused']);
    },
  );
});
