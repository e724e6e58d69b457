import { chmodSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import type { Program } from '../program';
import { Sandbox, SandboxUnavailable } from '../sandbox';
import { asLine, type ControlLine } from './protocol';
import { SandboxServer } from './sandbox-server';

const folder = mkdtempSync(join(tmpdir(), 'plinth-sandbox-'));
const socket = join(folder, 'sandbox.sock');
chmodSync(folder, 0o777);
const LIMITS = { memoryBytes: 2 ** 29, processes: 64 };

const script = (source: string, more: Partial<Program> = {}): Program => ({
  command: process.execPath,
  args: ['-e', source],
  readable: [],
  limits: LIMITS,
  ...more,
});

describe(SandboxServer, () => {
  let inner: Sandbox;
  let server: SandboxServer;
  let sandbox: Sandbox;

  beforeAll(async () => {
    inner = await Sandbox.open();
    server = await SandboxServer.listen(inner, socket);
    sandbox = await Sandbox.open({ kind: 'container', socket });
  });

  afterAll(async () => {
    await sandbox.close();
    await server.close();
    rmSync(folder, { recursive: true });
  });

  /** Programs of the server that have not ended. */
  const running = (): number => Reflect.get(inner, 'running').size;

  it('refuses to be a wall where no socket is named, or nobody serves it', async () => {
    await expect(Sandbox.open({ kind: 'container' })).rejects.toThrow(SandboxUnavailable);
  });

  it('is open to its user and group alone, in a folder where nobody else can put another in its place', () => {
    expect(statSync(socket).mode & 0o777).toBe(0o660);
    expect(statSync(folder).mode & 0o777).toBe(0o775);
  });

  it('ends a connection that says something else, without running anything', async () => {
    for (const line of [
      '{}\n',
      'nonsense\n',
      '{"start":{"command":"sh"}}\n',
      `{"attach":{"id":"1","stream":"stdin"}}\n`,
    ]) {
      const client = createConnection(socket);
      client.on('error', () => undefined);
      client.resume().write(line);
      await once(client, 'close');
    }
    expect(running()).toBe(0);
  });

  it('carries more than any buffer holds, both ways, as the program reads and writes it', async () => {
    const program = sandbox.start(script('process.stdin.pipe(process.stdout)'));
    const sent = Buffer.alloc(24 << 20, 'plinth ');
    program.stdin.end(sent);
    expect(Buffer.concat(await program.stdout.toArray()).equals(sent)).toBe(true);
    expect(await program.exited).toEqual({ code: 0, signal: null });
  });

  it('keeps the streams of a program and its status apart', async () => {
    const program = sandbox.start(script('console.log(1); console.error(2); process.exitCode = 3'));
    const [output, errors] = await Promise.all([program.stdout.toArray(), program.stderr.toArray()]);
    expect([output.join(''), errors.join('')]).toEqual(['1\n', '2\n']);
    expect(await program.exited).toEqual({ code: 3, signal: null });
  });

  it('keeps what a program wrote and ended before anybody came for it', async () => {
    const control = createConnection(socket);
    const lines = createInterface({ input: control })[Symbol.asyncIterator]();
    const next = async (): Promise<ControlLine> => JSON.parse((await lines.next()).value as string) as ControlLine;
    control.write(asLine({ start: script('console.log(1); console.error(2)') }));
    const { id } = (await next()) as { id: string };
    expect(await next()).toMatchObject({ exit: { code: 0 } });
    // Node drains what nobody reads a tick after the exit.
    await setImmediate();
    for (const [stream, expected] of [
      ['stdout', '1\n'],
      ['stderr', '2\n'],
    ] as const) {
      const reader = createConnection(socket);
      reader.end(asLine({ attach: { id, stream } }));
      expect(await text(reader)).toBe(expected);
    }
    control.destroy();
  });

  it('tells which limit ended a program', async () => {
    const program = sandbox.start(script('for (;;);', { limits: { ...LIMITS, wallMs: 500 } }));
    expect(await program.exited).toMatchObject({ limit: 'wallTime' });
  });

  it('ends a program when it is told to', async () => {
    const program = sandbox.start(script('console.log(1); for (;;);'));
    await once(program.stdout, 'readable');
    program.kill();
    expect(await program.exited).toMatchObject({ code: null, signal: 'SIGKILL' });
    expect(running()).toBe(0);
  });

  it('ends a program whose worker is gone, also when its input had ended', async () => {
    const program = sandbox.start(script('console.log(1); for (;;);'));
    program.stdin.end();
    await once(program.stdout, 'readable');
    const [atServer] = Reflect.get(inner, 'running') as Set<{ exited: Promise<unknown> }>;
    Reflect.get(program, 'control').destroy();
    await atServer?.exited;
    expect(running()).toBe(0);
    expect(await program.exited).toMatchObject({ code: null, error: 'The sandbox has gone' });
  });

  it('says that a program is lost when the server is killed, without waiting for anything', async () => {
    const lost = sandbox.start(script('console.log(1); for (;;);'));
    await once(lost.stdout, 'readable');
    for (const each of Reflect.get(server, 'sockets')) each.destroy();
    expect(await lost.exited).toMatchObject({ code: null, error: 'The sandbox has gone' });
  });

  it('says that a program is lost when the server goes, and runs the next one at its successor', async () => {
    const lost = sandbox.start(script('console.log(1); for (;;);'));
    await once(lost.stdout, 'readable');
    await server.close();
    expect(await lost.exited).toMatchObject({ code: null });
    expect(existsSync(socket)).toBe(false);

    const next = sandbox.start(script('console.log(2)'));
    server = await SandboxServer.listen(inner, socket);
    expect((await next.stdout.toArray()).join('')).toBe('2\n');
  });
});
