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

  /** Those that the embed tenant has made, by their names. */
  groups(tx: Transaction, embedTenantName: string, ids: readonly number[]): Promise<Schemas['ColleagueGroup'][]> {
    return this.managerFor(tx).query<Schemas['ColleagueGroup'][]>(
      `select g.id, g.name from embed_group g join embed_tenant t on t.id = g.embed_tenant_id
       where t.name = $1 and g.id = any($2::bigint[]) and g.kind = 'own' order by lower(g.name)`,
      [embedTenantName, ids],
    );
  }

  /** Those of the embed tenant, by their usernames. */
  users(
    tx: Transaction,
    embedTenantName: string,
    ids: readonly number[],
  ): Promise<Schemas['EmbedMentionableUserDto'][]> {
    return this.managerFor(tx).query<Schemas['EmbedMentionableUserDto'][]>(
      `select u.id, u.external_id as username, u.email, u.display_name as "firstName"
       from embed_user u join embed_tenant t on t.id = u.embed_tenant_id
       where t.name = $1 and u.id = any($2::bigint[]) order by u.external_id`,
      [embedTenantName, ids],
    );
  }

  people(tx: Transaction, ids: readonly number[]): Promise<Schemas['Person'][]> {
    return this.managerFor(tx).query<Schemas['Person'][]>(
      `select id, coalesce(email, '') as email, coalesce(display_name, external_id) as "firstName", picture
       from embed_user where id = any($1::bigint[])`,
      [ids],
    );
  }
}
