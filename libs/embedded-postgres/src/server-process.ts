import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { PostgresLogger } from './logger';

const STOP_WITHIN_MS = 20_000;

/** Ends a server that lost its platform (SIGKILL of node leaves it running), so that the data can be opened again. */
export async function stopOrphan(dataDirectory: string, logger: PostgresLogger): Promise<void> {
  const pid = recordedPid(dataDirectory);
  if (pid === undefined || !isRunning(pid)) return;
  if (!isServerOf(pid, dataDirectory)) {
    // The pid belongs to a stranger by now; PostgreSQL would take it for a living server and refuse to start.
    rmSync(join(dataDirectory, 'postmaster.pid'), { force: true });
    return;
  }
  logger.warn({ pid }, 'stopping the PostgreSQL that an earlier run left behind');
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
