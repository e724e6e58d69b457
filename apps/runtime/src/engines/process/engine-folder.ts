import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const NAME = /^plinth-engines-(\d+)-/;

/**
 * A folder for the sockets of engines, which nobody else enters; its name is short, as the paths of sockets are limited. It
 * begins with the process that owns it: folders of processes that are gone are removed.
 */
export function newEngineFolder(parent = tmpdir()): string {
  for (const name of readdirSync(parent)) {
    const [, owner] = NAME.exec(name) ?? [];
    if (owner !== undefined && isAbandoned(join(parent, name), Number(owner))) remove(join(parent, name));
  }
  return mkdtempSync(join(parent, `plinth-engines-${process.pid}-`));
}

/** In a container that is started again, processes have the numbers of those before them. */
function isAbandoned(folder: string, owner: number): boolean {
  if (owner !== process.pid) return !isRunning(owner);
  return (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) < performance.timeOrigin;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // One of another user's cannot be asked.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // It is another user's.
  }
}
