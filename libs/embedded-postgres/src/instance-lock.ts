import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isAlive, startTimeOf } from './process-identity';
import { EmbeddedPostgresError } from './start-problem';

export interface LockHolder {
  pid: number;
  /** Tells the process from a later one with the same pid. */
  startedAt: string;
  /** Null until its server accepts connections. */
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
 * @throws EmbeddedPostgresError naming pid and address of the process that holds it.
 */
export function acquireInstanceLock(file: string): InstanceLock {
  const self: LockHolder = { pid: process.pid, startedAt: startTimeOf(process.pid), port: null };
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

/** The process that holds the lock, if there is one. */
export function lockHolder(file: string): LockHolder | undefined {
  const holder = read(file);
  return holder && isAlive(holder) ? holder : undefined;
}

/** Renames before it judges for good, so that of two processes only one removes the same lock. */
function removeIfStale(file: string): void {
  refuseHolder(lockHolder(file));
  const aside = `${file}.stale-${process.pid}`;
  try {
    renameSync(file, aside);
  } catch {
    return;
  }
  if (lockHolder(aside)) tryLink(aside, file);
  rmSync(aside, { force: true });
}

function refuseHolder(holder: LockHolder | undefined): void {
  if (!holder) return;
  const where = holder.port === null ? 'it is still starting' : `its PostgreSQL listens on 127.0.0.1:${holder.port}`;
  throw new EmbeddedPostgresError(
    `Another Plinth (pid ${holder.pid}) uses this data folder; ${where}. Stop it or choose another data folder.`,
  );
}

function read(file: string): LockHolder | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as LockHolder;
  } catch {
    return undefined;
  }
}
