import { BaseRepository, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import type { AttributeType, AttributeValue } from '@plinth/user-attributes';
import type { EmbedUser, Place } from '../users';

/** Keeps what is told of a user at once to a size that one reply can have. */
const MOST_ATTRIBUTES = 500;

/** An attribute that an embed tenant is to have; null leaves what there is. */
export interface AttributeDefinition {
  name: string;
  type: AttributeType;
  defaultValue: string | null;
  displayName: string | null;
  description: string | null;
}

/** An attribute of an embed tenant. */
export interface OwnAttribute {
  id: number;
  name: string;
  type: AttributeType;
}

/** An attribute with the user's value; null for expressly none. */
export interface OwnValue {
  attributeId: number;
  value: AttributeValue | null;
}

/** Attributes that embed tenants have of their own, beside those of the account. */
export class EmbedAttributesRepository extends BaseRepository {
  /**
   * Makes the attributes that are not there, and gives those that are what is given and different.
   *
   * @throws AppError `embed_attribute.type_changed`, `embed_attribute.limit_reached` (400)
   */
  async define(tx: Transaction, place: Place, definitions: readonly AttributeDefinition[]): Promise<void> {
    const changed = await this.changesAmong(tx, place.embedTenantId, definitions);
    const others = changed.filter(({ otherType }) => otherType !== null).map(({ name }) => name);
    if (others.length > 0) {
      throw new AppError('embed_attribute.type_changed', `User attributes cannot change type: ${others.join(', ')}`);
    }
    if (changed.length === 0) return;
    const [{ count }] = await this.managerFor(tx).query<[{ count: number }]>(
      `with defined as (
         insert into embed_attribute as a
           (tenant_id, embed_tenant_id, name, type, default_value, display_name, description)
         select $1, $2, name, type, "defaultValue", "displayName", description from jsonb_to_recordset($3::jsonb)
           d(name text, type text, "defaultValue" text, "displayName" text, description text)
         on conflict (embed_tenant_id, name) do update set
           default_value = coalesce(excluded.default_value, a.default_value),
           display_name = coalesce(excluded.display_name, a.display_name),
           description = coalesce(excluded.description, a.description)
         returning xmax = 0 as "isNew"
       )
       select (select count(*) from embed_attribute where embed_tenant_id = $2)::int
         + (select count(*) from defined where "isNew")::int as count`,
      [place.tenantId, place.embedTenantId, JSON.stringify(changed)],
    );
    if (count > MOST_ATTRIBUTES) throw limitReached();
  }

  named(tx: Transaction, embedTenantId: number, names: readonly string[]): Promise<OwnAttribute[]> {
    return this.managerFor(tx).query<OwnAttribute[]>(
      'select id, name, type from embed_attribute where embed_tenant_id = $1 and name = any($2)',
      [embedTenantId, names],
    );
  }

  /** Other attributes keep their values. */
  async setValues(tx: Transaction, user: EmbedUser, values: readonly OwnValue[]): Promise<void> {
    await this.managerFor(tx).query(
      `insert into embed_attribute_value (tenant_id, embed_tenant_id, embed_user_id, attribute_id, value)
       select $1, $2, $3, (r ->> 'attributeId')::bigint, nullif(r -> 'value', 'null'::jsonb)
       from jsonb_array_elements($4::jsonb) r
       on conflict (embed_user_id, attribute_id) do update set value = excluded.value`,
      [user.tenantId, user.embedTenantId, user.id, JSON.stringify(values)],
    );
  }

  /** In an order that all have, so that none waits for one that waits for it. */
  private changesAmong(
    tx: Transaction,
    embedTenantId: number,
    definitions: readonly AttributeDefinition[],
  ): Promise<(AttributeDefinition & { otherType: string | null })[]> {
    return this.managerFor(tx).query<(AttributeDefinition & { otherType: string | null })[]>(
      `select d.*, case when a.type <> d.type then a.type end as "otherType"
       from jsonb_to_recordset($2::jsonb)
         d(name text, type text, "defaultValue" text, "displayName" text, description text)
       left join embed_attribute a on a.embed_tenant_id = $1 and a.name = d.name
       where a.id is null or a.type <> d.type or d."defaultValue" is distinct from a.default_value and d."defaultValue" is not null
         or d."displayName" is distinct from a.display_name and d."displayName" is not null
         or d.description is distinct from a.description and d.description is not null
       order by d.name`,
      [embedTenantId, JSON.stringify(definitions)],
    );
  }
}

const limitReached = (): AppError =>
  new AppError('embed_attribute.limit_reached', `An embed tenant has at most ${MOST_ATTRIBUTES} attributes of its own`);
