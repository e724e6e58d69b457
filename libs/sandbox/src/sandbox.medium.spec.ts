import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Sandbox, SandboxUnavailable } from './index';

const open = mkdtempSync(join(tmpdir(), 'plinth-sandbox-'));
afterAll(() => rmSync(open, { recursive: true }));

describe('a sandbox', () => {
  it('is refused when the wall that is asked for by name does not hold, with the reason', async () => {
    // What programs are to read is at the same time what they must not reach: no wall does both.
    const needs = { readable: [tmpdir()], secrets: [tmpdir()] };
    await expect(Sandbox.open({ kind: 'namespace', ...needs })).rejects.toThrow(
      new SandboxUnavailable('Programs cannot be run in a sandbox here (namespace: it leaves open: private folders)'),
    );
  });

  it('that another process has found is opened again, and runs programs behind the same wall', async () => {
    const found = await Sandbox.open();
    const again = Sandbox.reopen({ kind: found.kind });
    const program = { command: process.execPath, args: ['-p', '6 * 7'], readable: [] };
    const { exited, stdout } = again.start({ ...program, limits: { memoryBytes: 2 ** 29, processes: 64 } });
    expect([again.kind, (await text(stdout)).trim(), (await exited).code]).toEqual([found.kind, '42', 0]);
  });

  it('is not opened again where there can be no such wall', () => {
    expect(() => Sandbox.reopen({ kind: 'container' })).toThrow(
      new SandboxUnavailable('Programs cannot be run in a sandbox here (container: no socket of a sandbox is named)'),
    );
  });

  it('falls back to no wall at all, and says why there is no better one', async () => {
    const needs = { readable: [tmpdir()], secrets: [tmpdir()] };
    const { kind, refused, gaps } = await Sandbox.open(needs);
    expect([kind, refused.namespace]).toEqual(['none', 'it leaves open: private folders']);
    expect(gaps).toContain('private folders');
  });

  it('is refused when its programs could not read what they have to', async () => {
    const missing = Sandbox.open({ kind: 'namespace', readable: [join(open, 'missing')] });
    await expect(missing).rejects.toThrow(/namespace: .*missing/);
  });

  it('runs a program, talks with it over its streams and tells how it ended', async () => {
    const sandbox = await Sandbox.open();
    const program = sandbox.start({
      command: process.execPath,
      args: ['-e', `process.stdin.pipe(process.stdout); process.stdin.once('end', () => process.exit(3))`],
      readable: [],
      limits: { memoryBytes: 2 ** 29, processes: 64 },
    });
    program.stdin.end('hello');
    expect((await program.stdout.toArray()).join('')).toBe('hello');
    expect(await program.exited).toEqual({ code: 3, signal: null });
  });

  it('ends what runs when it is closed', async () => {
    const sandbox = await Sandbox.open();
    const program = sandbox.start({
      command: process.execPath,
      args: ['-e', 'for (;;);'],
      readable: [],
      limits: { memoryBytes: 2 ** 29, processes: 64 },
    });
    await sandbox.close();
    expect(await program.exited).toEqual({ code: null, signal: 'SIGKILL' });
  });
});
