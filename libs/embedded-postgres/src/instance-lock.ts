import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { EmbeddedPostgresError } from './start-problem';

interface Holder {
  pid: number;
  /** Kernel's start time of the process: tells it from a later one with the same pid. */
  startedAt: string;
  port: number | null;
}

export interface InstanceLock {
  /** Tells whoever comes second where this one answers. */
  announcePort(port: number): void;
  release(): void;
}

/**
 * Makes this process the only user of a data folder. A lock whose process is gone is taken over.
 *
 * @throws EmbeddedPostgresError naming pid and port of the process that holds it.
 */
export function acquireInstanceLock(file: string): InstanceLock {
  const self: Holder = { pid: process.pid, startedAt: startTimeOf(process.pid) ?? '', port: null };
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(self), { mode: 0o644 });
  try {
    while (!tryLink(draft, file)) removeIfStale(file);
  } finally {
    rmSync(draft, { force: true });
  }
  return {
    announcePort: (port) => {
      writeFileSync(draft, JSON.stringify({ ...self, port }), { mode: 0o644 });
      renameSync(draft, file);
    },
    release: () => rmSync(file, { force: true }),
  };
}

function tryLink(draft: string, file: string): boolean {
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Renames before it judges for good, so that of two processes only one removes the same lock. */
function removeIfStale(file: string): void {
  refuseIfAlive(read(file));
  const aside = `${file}.stale-${process.pid}`;
  try {
    renameSync(file, aside);
  } catch {
    return;
  }
  const removed = read(aside);
  if (removed && isAlive(removed)) tryLink(aside, file);
  rmSync(aside, { force: true });
}

function refuseIfAlive(holder: Holder | undefined): void {
  if (!holder || !isAlive(holder)) return;
  const where = holder.port === null ? 'it is still starting' : `its PostgreSQL listens on port ${holder.port}`;
  throw new EmbeddedPostgresError(
    `Another Plinth (pid ${holder.pid}) uses this data folder; ${where}. Stop it or choose another data folder.`,
  );
}

function read(file: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Holder;
  } catch {
    return undefined;
  }
}

const isAlive = ({ pid, startedAt }: Holder): boolean => {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return (startTimeOf(pid) ?? startedAt) === startedAt;
};

/** Linux only; elsewhere undefined, and the pid alone decides. */
function startTimeOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
