import type { ClientBase } from 'pg';

const tenantOf = new WeakMap<ClientBase, number>();

/**
 * Makes a pooled connection see the rows of one tenant. The connection remembers its tenant, so that a connection
 * which served this tenant last costs no round trip. It is checked at every checkout, and nothing else sets it.
 */
export async function enterTenant(client: ClientBase, tenantId: number): Promise<void> {
  if (tenantOf.get(client) === tenantId) return;
  tenantOf.delete(client);
  await client.query({
    name: 'enter-tenant',
    text: `select set_config('plinth.tenant_id', $1, false)`,
    values: [String(tenantId)],
  });
  tenantOf.set(client, tenantId);
}
