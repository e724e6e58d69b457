import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Supervisor } from './supervise';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plinth-supervisor-'));
  appendFileSync(join(folder, 'starts'), '');
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(() => {
  jest.restoreAllMocks();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.removeAllListeners(signal);
  rmSync(folder, { recursive: true, force: true });
});

/** Supervises a program that notes its start and then does what the script says. */
function supervisorOf(script: string, backOffMs: readonly number[]): Supervisor {
  const program = join(folder, 'program.js');
  writeFileSync(program, `require('node:fs').appendFileSync(${JSON.stringify(join(folder, 'starts'))}, '.');${script}`);
  return new Supervisor(program, [], backOffMs);
}
const starts = () => readFileSync(join(folder, 'starts'), 'utf8').length;
const ready = (then: string) => `process.send('ready', () => { ${then} });`;

describe(Supervisor.name, () => {
  it('passes on the status of a program that could not start, and tries no more', async () => {
    expect(await supervisorOf('process.exit(3)', [0, 0]).run()).toBe(3);
    expect(starts()).toBe(1);
  });

  it('gives up, with its status, a program that keeps ending', async () => {
    expect(await supervisorOf(ready('process.exit(70)'), [0, 0]).run()).toBe(70);
    expect(starts()).toBe(3);
  });

  it('starts a program again that was killed', async () => {
    expect(await supervisorOf(ready("process.kill(process.pid, 'SIGKILL')"), [0]).run()).toBe(137);
    expect(starts()).toBe(2);
  });

  it('leaves alone what ended in order', async () => {
    expect(await supervisorOf(ready('process.exit(0)'), [0, 0]).run()).toBe(0);
    expect(starts()).toBe(1);
  });

  it('starts nothing any more once it is told to stop', async () => {
    const supervisor = supervisorOf(ready('process.exit(70)'), [600_000]);
    const run = supervisor.run();
    while (jest.mocked(process.stderr.write).mock.calls.length === 0) await new Promise(setImmediate);
    process.emit('SIGTERM', 'SIGTERM');
    expect(await run).toBe(0);
    expect(starts()).toBe(1);
  });
});
