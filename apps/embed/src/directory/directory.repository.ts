import type { Schemas } from '@plinth/contract';
import { BaseRepository, type Transaction } from '@plinth/database';

/** Embed tenants and embed users, as content names them. */
export class DirectoryRepository extends BaseRepository {
  /** The built-in group of an embed tenant; undefined when the embed tenant is not there. */
  async groupOf(tx: Transaction, embedTenantName: string): Promise<Schemas['EmbedAudience'] | undefined> {
    const [audience] = await this.managerFor(tx).query<Schemas['EmbedAudience'][]>(
      `select t.id as "embedTenantId", t.name as "embedTenantName", g.id as "groupId"
       from embed_tenant t join embed_group g on g.embed_tenant_id = t.id and g.kind = 'tenant'
       where t.name = $1`,
      [embedTenantName],
    );
    return audience;
  }

  /** The group of all embed users; null before the first embed tenant. */
  async groupOfEveryone(tx: Transaction): Promise<number | null> {
    const [group] = await this.managerFor(tx).query<{ id: number }[]>(
      `select id from embed_group where tenant_id = $1 and kind = 'everyone'`,
      [tx.tenantId],
    );
    return group?.id ?? null;
  }

  people(tx: Transaction, ids: readonly number[]): Promise<Schemas['Person'][]> {
    return this.managerFor(tx).query<Schemas['Person'][]>(
      `select id, coalesce(email, '') as email, coalesce(display_name, external_id) as "firstName", picture
       from embed_user where id = any($1::bigint[])`,
      [ids],
    );
  }
}
