import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { deadlineMs, startChild } from '@plinth/testing';
import type { ShellOrder, ShellReply } from './operator-shell';

const run = promisify(execFile);
const root = resolve(__dirname, '../../../..');
const entry = join(root, 'dist/apps/platform/src/operator/main.js');

/**
 * Runs `npm run plinth -- WORDS` and returns the JSON line that it prints.
 *
 * @throws Error with what the command wrote to standard error when it fails.
 */
export async function operatorCommand(
  environment: Record<string, string>,
  words: readonly string[],
): Promise<Record<string, unknown>> {
  return lastLine(await operatorOutput(environment, words));
}

const lastLine = (output: string) => JSON.parse(output.trim().split('\n').at(-1) ?? '') as Record<string, unknown>;

/** Starts a process that runs the commands of {@link shellCommand} at this path of a socket. Returns its id. */
export async function startOperatorShell(path: string, environment: Record<string, string>): Promise<number> {
  const child = startChild(join(__dirname, 'operator-shell.ts'), { path }, environment);
  const ended = once(child, 'exit').then(([status]) => {
    throw new Error(`The operator's shell ended with ${String(status)} before it was ready`);
  });
  await Promise.race([once(child.stdout, 'data'), ended]);
  ended.catch(() => undefined);
  child.stdout.destroy();
  // Later test files use it, too.
  child.unref();
  return child.pid ?? 0;
}

/** As {@link operatorCommand}, without a process of its own; settings come on top of those of the shell. */
export async function shellCommand(
  path: string,
  words: readonly string[],
  environment: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  const socket = connect(path);
  const order: ShellOrder = { words: [...words], environment };
  socket.write(`${JSON.stringify(order)}\n`);
  const { output, failure } = JSON.parse(await text(socket)) as ShellReply;
  if (failure !== undefined) throw new Error(failure);
  return lastLine(output);
}

/** As {@link operatorCommand}, all that it prints. */
export async function operatorOutput(environment: Record<string, string>, words: readonly string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [entry, ...words], {
    cwd: root,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], TMPDIR: process.env['TMPDIR'], ...environment },
    timeout: deadlineMs(60_000),
  });
  return stdout;
}
