import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { deadlineMs } from './until';

const register = resolve(__dirname, '../../../tools/jest/register-typescript.js');
const ENDS_WITHIN_MS = 60_000;

export interface EndedChild {
  /** Whether it died with -9, as at a failpoint. */
  killed: boolean;
  /** What it wrote to its standard output. */
  output: string;
}

/**
 * Starts a TypeScript program in a process of its own, with an order as JSON in its first argument, and with variables beside
 * ours. The caller ends it.
 */
export function startChild(
  program: string,
  order: object,
  environment: NodeJS.ProcessEnv = {},
): ChildProcessByStdio<null, Readable, null> {
  const args = ['-r', register, '-r', 'reflect-metadata', program, JSON.stringify(order)];
  const env = { ...process.env, ...environment };
  return spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
}

/**
 * Runs a TypeScript program in a process of its own, with an order as JSON in its first argument, to its end. What it writes
 * to its standard error goes to ours.
 *
 * @throws Error when it ended neither with 0 nor by -9, or not in time.
 */
export async function runChild(
  program: string,
  order: object,
  environment: NodeJS.ProcessEnv = {},
): Promise<EndedChild> {
  const child = startChild(program, order, environment);
  const overdue = setTimeout(() => child.kill('SIGTERM'), deadlineMs(ENDS_WITHIN_MS));
  try {
    const [output, [code, signal]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    const killed = signal === 'SIGKILL';
    if (!killed && code !== 0) throw new Error(`${program} ended with ${String(code ?? signal)}`);
    return { killed, output };
  } finally {
    clearTimeout(overdue);
  }
}
