import type { Client } from 'pg';

/** What is kept of a tenant that was deleted, or is being deleted. */
export interface DeletionRecord {
  id: number;
  tenantId: number;
  name: string;
  hosts: string[];
  beganAt: Date;
  /** Null until everything of it is gone. */
  finishedAt: Date | null;
  rows: number;
  repositories: number;
  audit: { events: number; hash: string | null };
}

const selected = `
  select id, deleted_tenant_id as "tenantId", name, hosts, began_at as "beganAt", finished_at as "finishedAt",
    deleted_rows as rows, repositories,
    jsonb_build_object('events', audit_events, 'hash', encode(audit_hash, 'hex')) as audit
  from control_plane.tenant_deletion`;

/** The deletion of a name that was interrupted. */
export async function unfinishedDeletion(client: Client, name: string): Promise<DeletionRecord | undefined> {
  const { rows } = await client.query<DeletionRecord>(
    `${selected} where name = $1 and finished_at is null order by id limit 1`,
    [name],
  );
  return rows[0];
}

/** The last deletion of a name whose tenant has not come back since, from a backup of it alone. */
export async function lastDeletion(client: Client, name: string): Promise<DeletionRecord | undefined> {
  const { rows } = await client.query<DeletionRecord>(
    `${selected} d where name = $1 and not exists (select from control_plane.tenant t where t.id = d.deleted_tenant_id)
     order by id desc limit 1`,
    [name],
  );
  return rows[0];
}

/** In the transaction that deletes the rows. */
export async function recordDeletion(
  client: Client,
  { id, name }: { id: number; name: string },
): Promise<DeletionRecord> {
  await client.query('set local role plinth_control_plane_system');
  const { rows } = await client.query<{ length: number; hash: Buffer }>(
    'select length, hash from control_plane.audit_chain where tenant_id = $1',
    [id],
  );
  await client.query('reset role');
  const [chain] = rows;
  const inserted = await client.query<{ id: number }>(
    `insert into control_plane.tenant_deletion (deleted_tenant_id, name, hosts, audit_events, audit_hash)
     values ($1, $2, array(select host from control_plane.tenant_host where tenant_id = $1 order by host), $3, $4)
     returning id`,
    [id, name, chain?.length ?? 0, chain?.hash ?? null],
  );
  return recordOf(client, inserted.rows[0]?.id ?? 0);
}

/** Adds what was deleted since; `isFinished` when nothing is left. */
export async function noteProgress(
  client: Client,
  id: number,
  { rows, repositories = 0, isFinished }: { rows: number; repositories?: number; isFinished: boolean },
): Promise<DeletionRecord> {
  await client.query(
    `update control_plane.tenant_deletion set deleted_rows = deleted_rows + $2, repositories = repositories + $3,
       finished_at = case when $4 then coalesce(finished_at, now()) end
     where id = $1`,
    [id, rows, repositories, isFinished],
  );
  return recordOf(client, id);
}

async function recordOf(client: Client, id: number): Promise<DeletionRecord> {
  const { rows } = await client.query<DeletionRecord>(`${selected} where id = $1`, [id]);
  if (!rows[0]) throw new Error(`There is no deletion ${id}`);
  return rows[0];
}
