import { BaseRepository, type Database, type Transaction } from '@plinth/database';
import type { AttributeType } from '@plinth/user-attributes';
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
  /** The embed tenant's own attributes. */
  ownAttributes: HeldAttribute[];
};

/** An own attribute of an embed tenant with what it is for a user. */
export interface HeldAttribute {
  name: string;
  type: AttributeType;
  defaultValue: string | null;
  /** Whether the user has a value of their own, be it expressly none. */
  isOwn: boolean;
  value: unknown;
}

const subject = `select ${userColumns}, t.name as "embedTenantName",
    (select coalesce(jsonb_agg(h.group_id), '[]') from embed_user_account_group h
     where h.embed_user_id = u.id) as "accountGroupIds",
    (select coalesce(jsonb_agg(g.name order by g.name), '[]')
     from embed_group_member m join embed_group g on g.id = m.group_id
     where m.embed_tenant_id = u.embed_tenant_id and m.embed_user_id = u.id) as "tenantGroups",
    (select coalesce(jsonb_object_agg(v.attribute_id, v.value), '{}') from embed_user_attribute v
     where v.embed_user_id = u.id) as values,
    (select coalesce(jsonb_agg(jsonb_build_object('name', a.name, 'type', a.type, 'defaultValue', a.default_value,
       'isOwn', o.embed_user_id is not null, 'value', o.value)), '[]')
     from embed_attribute a
     left join embed_attribute_value o on o.attribute_id = a.id and o.embed_user_id = u.id
     where a.embed_tenant_id = u.embed_tenant_id) as "ownAttributes"
  from embed_tenant t join embed_user u on u.embed_tenant_id = t.id`;

export class SubjectsRepository extends BaseRepository {
  async find(tx: Transaction, embedTenantName: string, externalId: string): Promise<HeldSubject | undefined> {
    const text = `${subject} where t.name = $1 and u.external_id = $2`;
    return (await this.managerFor(tx).query<HeldSubject[]>(text, [embedTenantName, externalId]))[0];
  }

  async findById(database: Database, tenantId: number, id: number): Promise<HeldSubject | undefined> {
    const statement = { name: 'embed-subject', text: `${subject} where u.tenant_id = $1 and u.id = $2` };
    return (await database.read<HeldSubject>(tenantId, statement, [tenantId, id]))[0];
  }
}
