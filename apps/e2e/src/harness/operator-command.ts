import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { deadlineMs } from '@plinth/testing';

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
  const stdout = await operatorOutput(environment, words);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Record<string, unknown>;
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
