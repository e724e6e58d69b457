import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { advisoryLockId, deleteRows, isOfTenants, outboxNotice, tablesOf } from '@plinth/database';
import type { DomainEvents } from '@plinth/messaging';
import { failpoint } from '@plinth/observability';
import type { Client } from 'pg';
import { withOwner } from '../backup/owner-connection';
import { serviceSchemas } from '../backup/service-schemas';
import {
  lastDeletion,
  noteProgress,
  recordDeletion,
  unfinishedDeletion,
  type DeletionRecord,
} from './deletion-records';
import { removeRepositories } from './tenant-repositories';

export interface StoredState {
  /** Connection string of the owner of the database. */
  url: string;
  storageRoot: string;
}

export interface DeletedTenant extends DeletionRecord {
  /** Whether the services that run have been told; false when none took the notice in time. */
  told: boolean;
}

/** Longer than the services wait until they look for what others have left for them. */
const TOLD_WITHIN_MS = 15_000;
const LOOK_EVERY_MS = 100;
const ATTEMPTS = 5;
/** A deadlock, and a row that came to one which is going. */
const REPEATABLE = /^(40P01|40001|23503)$/;

/**
 * Deletes a tenant with all that every service keeps of it. Its rows, keys and hosts are gone in one transaction; then the
 * services that run are told, its repositories go, and what was written meanwhile. After a crash the same call goes on.
 *
 * @throws Error when there is no such tenant, and never was one that was deleted
 */
export function deleteTenant({ url, storageRoot }: StoredState, name: string): Promise<DeletedTenant> {
  return withOwner(url, async (client) => {
    // A tenant that is being restored is not deleted meanwhile.
    await client.query(`select pg_advisory_lock(${advisoryLockId('restore')})`);
    const { id, tenantId } = await begun(client, name);
    failpoint('tenant-deletion.after-rows');
    const told = await untilTold(client, tenantId);
    const repositories = await removeRepositories(storageRoot, tenantId);
    failpoint('tenant-deletion.after-repositories');
    const record = await repeated(client, async () => {
      const rows = await deleteEveryRow(client, tenantId);
      return noteProgress(client, id, { rows, repositories, isFinished: true });
    });
    return { ...record, told };
  });
}

/** The deletion that goes on: one that was interrupted, a new one, or one that is finished and is looked at again. */
async function begun(client: Client, name: string): Promise<DeletionRecord> {
  const interrupted = await unfinishedDeletion(client, name);
  if (interrupted) return interrupted;
  const record = (await repeated(client, () => deleteFirst(client, name))) ?? (await lastDeletion(client, name));
  if (!record) throw new Error(`There is no tenant named ${name}`);
  return record;
}

async function deleteFirst(client: Client, name: string): Promise<DeletionRecord | undefined> {
  const { rows } = await client.query<{ id: number; name: string }>(
    'select id, name from control_plane.tenant where name = $1 for update',
    [name],
  );
  const [tenant] = rows;
  if (!tenant) return undefined;
  const { id } = await recordDeletion(client, tenant);
  const payload = { tenantName: name, deploymentIds: await deploymentsOf(client, tenant.id) };
  const count = await deleteEveryRow(client, tenant.id);
  await leaveNotice(client, tenant.id, payload);
  return noteProgress(client, id, { rows: count, isFinished: false });
}

/** Those first that refer to others. */
async function deleteEveryRow(client: Client, tenantId: number): Promise<number> {
  let count = 0;
  for (const { service } of serviceSchemas) {
    const tables = (await tablesOf(client, service)).filter(isOfTenants).reverse();
    for (const table of tables) count += await deleteRows(client, table, tenantId);
  }
  return count;
}

async function deploymentsOf(client: Client, tenantId: number): Promise<number[]> {
  await client.query('set local role plinth_control_plane_system');
  const { rows } = await client.query<{ id: number }>(
    'select id from control_plane.deployment where tenant_id = $1 order by id',
    [tenantId],
  );
  await client.query('reset role');
  return rows.map(({ id }) => id);
}

/** In the control plane's outbox: one of its replicas tells the others. */
async function leaveNotice(client: Client, tenantId: number, payload: DomainEvents['tenant.deleted']): Promise<void> {
  await client.query('set local role plinth_control_plane_system');
  await client.query(
    `insert into control_plane.outbox (event_id, consumer, tenant_id, type, payload)
     values ($1, 'control-plane', $2, 'tenant.deleted', $3)`,
    [randomUUID(), tenantId, payload],
  );
  await client.query('reset role');
}

/** Wakes those who tell, and waits until the notice was taken. Where nobody else is connected to the database, no service runs that could. */
async function untilTold(client: Client, tenantId: number): Promise<boolean> {
  const endsAt = performance.now() + TOLD_WITHIN_MS;
  await client.query(outboxNotice('control-plane'));
  while (await hasNotice(client, tenantId)) {
    if (performance.now() > endsAt || !(await hasCompany(client))) return false;
    await delay(LOOK_EVERY_MS);
  }
  return true;
}

async function hasNotice(client: Client, tenantId: number): Promise<boolean> {
  await client.query('begin; set local role plinth_control_plane_system');
  const { rows } = await client.query(
    "select from control_plane.outbox where tenant_id = $1 and type = 'tenant.deleted' limit 1",
    [tenantId],
  );
  await client.query('commit');
  return rows.length > 0;
}

async function hasCompany(client: Client): Promise<boolean> {
  const { rows } = await client.query(
    `select from pg_stat_activity
     where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid() limit 1`,
  );
  return rows.length > 0;
}

/** Runs `work` in a transaction, again when services that still write are in its way. */
async function repeated<T>(client: Client, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.query('begin');
      const result = await work();
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query('rollback');
      if (attempt === ATTEMPTS || !REPEATABLE.test(String((error as { code?: unknown }).code))) throw error;
      await delay(LOOK_EVERY_MS);
    }
  }
}
