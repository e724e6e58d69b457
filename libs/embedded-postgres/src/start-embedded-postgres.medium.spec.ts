import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '@plinth/local-services';
import { Client } from 'pg';
import { silentLogger } from './logger';
import { stopOrphan } from './server-process';
import { startEmbeddedPostgres, type EmbeddedPostgres } from './start-embedded-postgres';

const root = resolve(__dirname, '../../..');
const isRoot = process.getuid?.() === 0;
const asRoot = isRoot ? it : it.skip;
const NOBODY = 65_534;

describe(startEmbeddedPostgres.name, () => {
  let folder: string;
  /** What a first start has left, for tests that begin with a later one. */
  let template: string;
  const running: EmbeddedPostgres[] = [];
  const children: ChildProcess[] = [];

  beforeAll(async () => {
    template = mkdtempSync(join(tmpdir(), 'plinth-pg-'));
    chmodSync(template, 0o755);
    const sharedFolder = join(template, 'shared');
    const server = await startEmbeddedPostgres({ dataFolder: join(template, 'data'), durable: false, sharedFolder });
    await server.stop();
    // Each server takes one of its own.
    rmSync(join(template, 'data', 'postgres.port'));
  });
  afterAll(() => rmSync(template, { recursive: true, force: true }));

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'plinth-pg-'));
    chmodSync(folder, 0o755);
  });

  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    if (running.length === 0) await stopOrphan(join(dataFolder(), 'postgres'), silentLogger);
    await Promise.all(running.splice(0).map((server) => server.stop()));
    rmSync(folder, { recursive: true, force: true });
  });

  const dataFolder = (): string => join(folder, 'data');
  /** Has the data folder begin as a first start has left it, with its owners. */
  const startedBefore = (): void => void execFileSync('cp', ['-a', join(template, 'data'), dataFolder()]);
  const start = async (
    options: Partial<Parameters<typeof startEmbeddedPostgres>[0]> = {},
  ): Promise<EmbeddedPostgres> => {
    const server = await startEmbeddedPostgres({
      dataFolder: dataFolder(),
      durable: false,
      sharedFolder: join(folder, 'shared'),
      ...options,
    });
    running.push(server);
    return server;
  };
  const ask = async (url: string, text: string): Promise<unknown> => {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return Object.values((await client.query<Record<string, unknown>>(text)).rows[0] ?? {})[0];
    } finally {
      await client.end();
    }
  };
  const postmasterPid = (): number =>
    Number(readFileSync(join(dataFolder(), 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);

  /** Starts in a process of its own, under another user when one is given. */
  async function startInChild(options: { dataFolder: string; uid?: number }) {
    const { uid, ...rest } = options;
    const args = ['-r', join(root, 'tools/jest/register-typescript.js'), join(__dirname, 'start-child.ts')];
    const settings = JSON.stringify({ ...rest, durable: false, sharedFolder: join(folder, 'shared') });
    const child = spawn(process.execPath, [...args, settings], {
      stdio: ['ignore', 'pipe', 'inherit'],
      ...(uid !== undefined && { uid, gid: uid }),
    });
    children.push(child);
    const lines = createInterface(child.stdout);
    const [line = '{}'] = (await Promise.race([once(lines, 'line'), once(lines, 'close')])) as string[];
    return { child, answer: JSON.parse(line) as { url?: string; error?: string } };
  }

  it('keeps its data over a restart, with the same password', async () => {
    startedBefore();
    const first = await start();
    await ask(first.url, 'create table kept as select 42 as answer');
    await first.stop();
    const second = await start();
    expect(await ask(second.url, 'select answer from kept')).toBe(42);
    expect(new URL(second.url).password).toBe(new URL(first.url).password);
  });

  it('is locked down: loopback only, no socket file, a password needed and kept from others', async () => {
    const { url } = await start();
    expect(await ask(url, 'show listen_addresses')).toBe('127.0.0.1');
    expect(await ask(url, 'show unix_socket_directories')).toBe('');
    expect(await ask(url, 'show server_version')).toMatch(/^18/);
    expect(await ask(url, 'select datlocale from pg_database where datname = current_database()')).toBe('C.UTF-8');
    const wrong = new URL(url);
    wrong.password = 'wrong';
    await expect(ask(wrong.href, 'select 1')).rejects.toMatchObject({ code: '28P01' });
    expect(statSync(join(dataFolder(), 'postgres.password')).mode & 0o777).toBe(0o600);
  });

  it('says which process uses the data folder already, and on which port', async () => {
    startedBefore();
    const { port } = await start();
    await expect(start()).rejects.toThrow(new RegExp(`pid ${process.pid}.*127.0.0.1:${port}`));
  });

  it('says that the port is taken', async () => {
    startedBefore();
    const blocker = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    const { port } = blocker.address() as AddressInfo;
    await expect(start({ port })).rejects.toThrow(`Port ${port} on 127.0.0.1 is taken`);
    await new Promise((closed) => blocker.close(closed));
    expect((await start({ port })).port).toBe(port);
  });

  it('takes another port than the last time when a program has that one meanwhile', async () => {
    startedBefore();
    const first = await start();
    await first.stop();
    const blocker = createServer().listen(first.port, '127.0.0.1');
    await once(blocker, 'listening');
    const { port, stop } = await start();
    expect(port).not.toBe(first.port);
    await stop();
    await new Promise((closed) => blocker.close(closed));
    expect((await start()).port).toBe(port);
  });

  it('begins with a free port when the note of the last one is spoilt', async () => {
    startedBefore();
    writeFileSync(join(dataFolder(), 'postgres.port'), 'nonsense');
    expect(await ask((await start()).url, 'select 1')).toBe(1);
  });

  it('says what is wrong with a data folder that cannot be made', async () => {
    writeFileSync(join(folder, 'file'), '');
    await expect(start({ dataFolder: join(folder, 'file', 'data') })).rejects.toThrow(join(folder, 'file', 'data'));
  });

  it('starts again after kill -9 of its process, which leaves the server running', async () => {
    startedBefore();
    const { child, answer } = await startInChild({ dataFolder: dataFolder() });
    await ask(answer.url!, 'create table kept as select 42 as answer');
    const orphan = postmasterPid();
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(() => process.kill(orphan, 0)).not.toThrow();

    const { url } = await start();
    expect(postmasterPid()).not.toBe(orphan);
    expect(await ask(url, 'select answer from kept')).toBe(42);
  });

  it('leaves a stranger alone whose pid an old server had', async () => {
    startedBefore();
    const stranger = spawn('sleep', ['60'], isRoot ? { uid: statSync(join(dataFolder(), 'postgres')).uid } : {});
    children.push(stranger);
    writeFileSync(
      join(dataFolder(), 'postgres', 'postmaster.pid'),
      `${stranger.pid}\n${join(dataFolder(), 'postgres')}\n0\n${await freePort()}\n\n127.0.0.1\n`,
    );
    const { url } = await start();
    expect(await ask(url, 'select 1')).toBe(1);
    expect(stranger.exitCode).toBeNull();
  });

  it('takes over the lock of a process that is gone, and of one whose pid was given to another', async () => {
    startedBefore();
    const lock = join(dataFolder(), 'postgres.lock');
    writeFileSync(lock, JSON.stringify({ pid: 2 ** 22 + 1, startedAt: '1', port: 5 }));
    await (await start()).stop();
    writeFileSync(lock, JSON.stringify({ pid: process.pid, startedAt: '1', port: 5 }));
    await (await start()).stop();
    expect(existsSync(lock)).toBe(false);
  });

  it('begins anew after a first start that was cut short', async () => {
    mkdirSync(join(dataFolder(), 'postgres.new'), { recursive: true });
    writeFileSync(join(dataFolder(), 'postgres.new', 'PG_VERSION'), '18\n');
    expect(await ask((await start()).url, 'select 1')).toBe(1);
  });

  asRoot('keeps its data where its account can reach it when the data folder lies below a closed one', async () => {
    mkdirSync(join(folder, 'closed'), { mode: 0o700 });
    const below = { dataFolder: join(folder, 'closed', 'data') };
    const first = await start(below);
    await ask(first.url, 'create table kept as select 42 as answer');
    await first.stop();
    expect(existsSync(join(below.dataFolder, 'postgres'))).toBe(false);
    chmodSync(join(folder, 'closed'), 0o755);
    expect(await ask((await start(below)).url, 'select answer from kept')).toBe(42);
  });

  asRoot('works for an ordinary user', async () => {
    mkdirSync(dataFolder());
    chownSync(dataFolder(), NOBODY, NOBODY);
    const { answer } = await startInChild({ dataFolder: dataFolder(), uid: NOBODY });
    expect(await ask(answer.url!, 'select 1')).toBe(1);
    expect(statSync(join(dataFolder(), 'postgres')).uid).toBe(NOBODY);
  });

  asRoot('tells an ordinary user whose data folder it is not what to do', async () => {
    mkdirSync(dataFolder(), { mode: 0o755 });
    const { answer } = await startInChild({ dataFolder: dataFolder(), uid: NOBODY });
    expect(answer.error).toContain(`The user "nobody" may not use ${dataFolder()}`);
  });

  asRoot('goes on as root with the account that owns the data', async () => {
    mkdirSync(dataFolder());
    chownSync(dataFolder(), NOBODY, NOBODY);
    const { child } = await startInChild({ dataFolder: dataFolder(), uid: NOBODY });
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await ask((await start()).url, 'select 1')).toBe(1);
    expect(statSync(join(dataFolder(), 'postgres', 'PG_VERSION')).uid).toBe(NOBODY);
  });
});
