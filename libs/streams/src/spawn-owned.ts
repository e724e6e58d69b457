import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { own } from './own';

/**
 * Starts a child whose errors, and those of its pipes, are owned from the first tick. What ends it is told by its
 * `close` event alone, which comes as well when it could not be started.
 *
 * @throws Error when the system has no room for its pipes
 */
export function spawnOwned(file: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  let failure: Error | undefined;
  const child = own(spawn(file, args, options), (error) => (failure = error));
  // Without descriptors left, node makes none of the streams.
  const pipes = child.stdio as ChildProcess['stdio'] | undefined;
  if (!pipes) throw failure ?? new Error(`${file} could not be started: no file descriptors are left`);
  for (const pipe of pipes) if (pipe) own(pipe);
  return child;
}
