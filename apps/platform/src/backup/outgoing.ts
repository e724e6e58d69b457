import type { Client } from 'pg';

/** What a restored platform sends to others once it starts, as the one did that it is a copy of. */
export interface Outgoing {
  /** Dashboards that are mailed on a schedule. */
  notifications: number;
  /** Those of them whose time has passed since the backup was made: they are mailed at the start. */
  dueNotifications: number;
  /** Data models that are pushed to a git server. */
  gitRemotes: number;
}

/** Of the tenants that were restored. A release from before a table was made has nothing in it. */
export async function outgoingOf(client: Client, tenantIds: readonly number[]): Promise<Outgoing> {
  const notifications = { role: 'plinth_workspace_system', table: 'workspace.notification' };
  const remotes = { role: 'plinth_build_worker_system', table: 'build_worker.git_remote' };
  return {
    notifications: await countIn(client, notifications, 'is_enabled', tenantIds),
    dueNotifications: await countIn(client, notifications, 'is_enabled and next_run_at <= now()', tenantIds),
    gitRemotes: await countIn(client, remotes, 'true', tenantIds),
  };
}

async function countIn(
  client: Client,
  { role, table }: { role: string; table: string },
  condition: string,
  tenantIds: readonly number[],
): Promise<number> {
  const { rows: tables } = await client.query<{ isThere: boolean }>('select to_regclass($1) is not null as "isThere"', [
    table,
  ]);
  if (!tables[0]?.isThere) return 0;
  await client.query(`begin; set local role ${role}`);
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::integer as count from ${table} where tenant_id = any ($1) and ${condition}`,
    [tenantIds],
  );
  await client.query('commit');
  return rows[0]?.count ?? 0;
}
