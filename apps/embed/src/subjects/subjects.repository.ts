import { BaseRepository, type Transaction } from '@plinth/database';
import { userColumns, type EmbedUser } from '../users';

/** An embed user with everything that decides on what they may read. */
export type HeldSubject = EmbedUser & {
  embedTenantName: string;
  /** Ids of groups of the account; some may be gone. */
  accountGroupIds: number[];
  /** Names of the embed tenant's own groups. */
  tenantGroups: string[];
  /** Values by ids of attributes of the account; null for expressly none. */
  values: Record<string, unknown>;
};

export class SubjectsRepository extends BaseRepository {
  async find(tx: Transaction, embedTenantName: string, externalId: string): Promise<HeldSubject | undefined> {
    const [subject] = await this.managerFor(tx).query<HeldSubject[]>(
      `select ${userColumns}, t.name as "embedTenantName",
         (select coalesce(jsonb_agg(h.group_id), '[]') from embed_user_account_group h
          where h.embed_user_id = u.id) as "accountGroupIds",
         (select coalesce(jsonb_agg(g.name order by g.name), '[]')
          from embed_group_member m join embed_group g on g.id = m.group_id
          where m.embed_tenant_id = u.embed_tenant_id and m.embed_user_id = u.id) as "tenantGroups",
         (select coalesce(jsonb_object_agg(v.attribute_id, v.value), '{}') from embed_user_attribute v
          where v.embed_user_id = u.id) as values
       from embed_tenant t join embed_user u on u.embed_tenant_id = t.id
       where t.name = $1 and u.external_id = $2`,
      [embedTenantName, externalId],
    );
    return subject;
  }
}
