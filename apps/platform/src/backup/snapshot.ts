import { setTimeout as delay } from 'node:timers/promises';
import { readEveryRef, repositoryPath, type References } from '@plinth/git';
import pLimit from 'p-limit';
import type { Client } from 'pg';
import { repositoryId } from '../../../build-worker/src';
import { BackupError } from './backup-error';
import { withOwner } from './owner-connection';

export interface KeptRepository {
  id: string;
  references: References;
}

/** What the references of all repositories were at the moment of the database's snapshot. */
export interface Snapshot {
  repositories: KeptRepository[];
  /** Repositories that the database names and the storage root does not have. */
  missing: string[];
  /** How long writes to data models waited. */
  pausedMs: number;
}

/** Writers who come while the lock is waited for wait behind it: rather often and short. */
const LOCK_TIMEOUT_MS = 2_000;
const ATTEMPTS = 15;
const READ_AT_ONCE = 32;

/**
 * Begins a transaction in which `client` sees the database as it is now, and reads the references of all repositories
 * as they are at that moment.
 *
 * A write to git has a row in the table of intents from before its references move until its effects are in the database.
 * A lock that lets nobody write to that table holds back every write that has not moved its references. One that is
 * between the two has its row in the snapshot, and what its references say is what a process finds that comes after a
 * crash: the recovery of the journal mends it after a restore in the same way.
 */
export async function takeSnapshot(
  client: Client,
  { url, storageRoot, tenantId }: { url: string; storageRoot: string; tenantId: number | undefined },
): Promise<Snapshot> {
  return withOwner(url, async (gate) => {
    await holdWrites(gate);
    const since = performance.now();
    await client.query('begin isolation level repeatable read, read only');
    const ids = await repositoriesOf(client, tenantId);
    const limit = pLimit(READ_AT_ONCE);
    const found = await Promise.all(ids.map((id) => limit(() => referencesOf(storageRoot, id))));
    await gate.query('rollback');
    const pausedMs = Math.round(performance.now() - since);
    return {
      repositories: found.filter((each) => each !== undefined),
      missing: ids.filter((_, index) => !found[index]),
      pausedMs,
    };
  });
}

async function holdWrites(gate: Client): Promise<void> {
  await gate.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}`);
  for (let attempt = 1; ; attempt += 1) {
    try {
      await gate.query('begin; lock table build_worker.intent in share mode');
      return;
    } catch (error) {
      await gate.query('rollback');
      const isTimeout = (error as { code?: unknown }).code === '55P03';
      if (!isTimeout || attempt === ATTEMPTS) throw error;
      await delay(Math.random() * LOCK_TIMEOUT_MS);
    }
  }
}

/** The first statement of the transaction: it takes the snapshot. */
async function repositoriesOf(client: Client, tenantId: number | undefined): Promise<string[]> {
  await client.query('set local role plinth_build_worker_system');
  const { rows } = await client.query<{ tenantId: number; deploymentId: number }>(
    `select tenant_id as "tenantId", deployment_id as "deploymentId" from build_worker.repository
     where $1::bigint is null or tenant_id = $1 order by deployment_id`,
    [tenantId ?? null],
  );
  return rows.map((row) => repositoryId(row.tenantId, row.deploymentId));
}

/**
 * Whether the deployment of a repository was deleted since: its files go once that is committed, which waits for nobody.
 *
 * @throws BackupError when it was not, so that the repository is missed
 */
export async function requireRemoved(url: string, storageRoot: string, id: string): Promise<void> {
  const left = await withOwner(url, async (client) => {
    await client.query('begin read only');
    return repositoriesOf(client, undefined);
  });
  if (!left.includes(id)) return;
  const path = repositoryPath(storageRoot, id);
  throw new BackupError(`There is no ${path}, which the database names: is PLINTH_STORAGE_ROOT the right folder?`);
}

async function referencesOf(storageRoot: string, id: string): Promise<KeptRepository | undefined> {
  try {
    return { id, references: await readEveryRef(repositoryPath(storageRoot, id)) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
