import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Account } from './account';

const STOP_WITHIN_MS = 20_000;
const READY_WITHIN_MS = 60_000;
const READY_LINE = /database system is ready to accept connections/;

/** Programs of PostgreSQL run in a neutral language, so that their messages can be recognized. */
export const neutralEnvironment = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' };

export interface Settings {
  dataDirectory: string;
  port: number;
  durable: boolean;
  account: Account;
  log: (line: string) => void;
}

/** Starts the server and resolves when it accepts connections; rejects with what it wrote. */
export async function startPostmaster(postgres: string, settings: Settings): Promise<ChildProcess> {
  const { account, dataDirectory, log } = settings;
  const child = spawn(postgres, ['-D', dataDirectory, ...flags(settings)], {
    cwd: dataDirectory,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: neutralEnvironment,
    // A process group of its own: a Ctrl-C must reach the platform first, which stops the server last.
    detached: true,
    ...(account.switched && { uid: account.uid, gid: account.gid }),
  });
  await untilReady(child, log);
  return child;
}

function untilReady(child: ChildProcess, log: (line: string) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    let ready = false;
    const timer = setTimeout(() => child.kill('SIGQUIT'), READY_WITHIN_MS);
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      for (const line of text.split('\n')) if (line !== '') log(line);
      if (ready) return;
      output += text;
      ready = READY_LINE.test(output);
      if (!ready) return;
      clearTimeout(timer);
      resolve();
    });
    child.once('error', reject);
    child.once('close', () => {
      clearTimeout(timer);
      reject(new Error(output));
    });
  });
}

function flags({ port, durable }: Settings): string[] {
  const settings: Record<string, string | number> = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    ...(!durable && { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** Ends a server that lost its platform (SIGKILL of node leaves it running), so that the data can be opened again. */
export async function stopOrphan(dataDirectory: string, log: (line: string) => void): Promise<void> {
  const pid = recordedPid(dataDirectory);
  if (pid === undefined || !isRunning(pid)) return;
  if (!isServerOf(pid, dataDirectory)) {
    // The pid belongs to a stranger by now; PostgreSQL would take it for a living server and refuse to start.
    rmSync(join(dataDirectory, 'postmaster.pid'), { force: true });
    return;
  }
  log(`stopping the PostgreSQL (pid ${pid}) that an earlier run left behind`);
  await stopServer(pid);
}

/** Fast shutdown, and an immediate one (which recovers at the next start) when that takes too long. */
export async function stopServer(pid: number): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    try {
      process.kill(pid, signal);
    } catch {
      return;
    }
    const deadline = Date.now() + STOP_WITHIN_MS;
    while (Date.now() < deadline) {
      if (!isRunning(pid)) return;
      await delay(20);
    }
  }
}

function recordedPid(dataDirectory: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(dataDirectory, 'postmaster.pid'), 'utf8').split('\n')[0]);
    return Number.isInteger(pid) && pid > 1 ? pid : undefined;
  } catch {
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return !isZombie(pid);
}

const isZombie = (pid: number): boolean => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
  } catch {
    return false;
  }
};

/** A PostgreSQL server works inside its data directory, which no other program with a recycled pid does. */
function isServerOf(pid: number, dataDirectory: string): boolean {
  try {
    if (process.platform === 'linux') {
      const program = basename(readlinkSync(`/proc/${pid}/exe`)).replace(/ \(deleted\)$/, '');
      return program === 'postgres' && readlinkSync(`/proc/${pid}/cwd`) === realpathSync(dataDirectory);
    }
    const command = execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
    return command.includes('postgres') && command.includes(dataDirectory);
  } catch {
    return false;
  }
}
