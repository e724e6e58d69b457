import { advisoryLockId, BaseRepository, containing, type Transaction } from '@plinth/database';
import type { EmbedUser } from './embed-user.entity';

/** What a host application says of a user; what is absent or null stays as it is. */
export interface EmbedProfile {
  externalId: string;
  email?: string | null | undefined;
  displayName?: string | null | undefined;
  picture?: string | null | undefined;
}

/** An embed tenant of an account. */
export interface Place {
  tenantId: number;
  embedTenantId: number;
}

/** An attribute of the account with the user's value; null for expressly none. */
export interface AttributeRow {
  attributeId: number;
  value: unknown;
}

export const userColumns = `u.id, u.tenant_id as "tenantId", u.embed_tenant_id as "embedTenantId",
  u.external_id as "externalId", u.email, u.display_name as "displayName", u.picture,
  u.last_login_at as "lastLoginAt", u.created_at as "createdAt", u.shown_email as "shownEmail"`;

export class EmbedUsersRepository extends BaseRepository {
  /** By their addresses, those after a position when it is given. */
  list(
    tx: Transaction,
    embedTenantId: number,
    search: string | undefined,
    limit: number,
    after?: { shownEmail: string; id: number },
  ): Promise<EmbedUser[]> {
    return this.managerFor(tx).query<EmbedUser[]>(
      `select ${userColumns} from embed_user u
       where u.embed_tenant_id = $1 and ($2::text is null or u.shown_email like lower($2) or u.external_id like lower($2))
         and ($3::text is null or (u.shown_email, u.id) > ($3, $4))
       order by u.shown_email, u.id limit $5`,
      [embedTenantId, containing(search), after?.shownEmail ?? null, after?.id ?? null, limit],
    );
  }

  /** By their ids at the host application, those after `afterExternalId` when it is given. */
  listByExternalId(
    tx: Transaction,
    embedTenantId: number,
    search: string | undefined,
    limit: number,
    afterExternalId?: string,
  ): Promise<EmbedUser[]> {
    return this.managerFor(tx).query<EmbedUser[]>(
      `select ${userColumns} from embed_user u
       where u.embed_tenant_id = $1 and ($2::text is null or u.external_id like lower($2) or u.email like lower($2))
         and ($3::text is null or u.external_id > $3)
       order by u.external_id limit $4`,
      [embedTenantId, containing(search), afterExternalId ?? null, limit],
    );
  }

  /** Those of the embed tenant who have one of the ids, of either kind. */
  listById(
    tx: Transaction,
    embedTenantId: number,
    { ids, externalIds }: { ids: readonly number[]; externalIds: readonly string[] },
  ): Promise<EmbedUser[]> {
    return this.managerFor(tx).query<EmbedUser[]>(
      `select ${userColumns} from embed_user u
       where u.embed_tenant_id = $1 and (u.id = any($2::bigint[]) or u.external_id = any($3::text[])) order by u.id`,
      [embedTenantId, ids, externalIds],
    );
  }

  /** Changes the user; undefined when they are not there. The row is locked until the transaction ends. */
  async update(tx: Transaction, place: Place, profile: EmbedProfile): Promise<EmbedUser | undefined> {
    const [user] = await this.prepared<EmbedUser>(tx, updateProfile, [place.embedTenantId, ...valuesOf(profile)]);
    return user;
  }

  /**
   * As {@link update}, of the user of the embed tenant with the name, which is held as well: most sessions are of somebody who
   * comes back.
   */
  async updateNamed(
    tx: Transaction,
    tenantId: number,
    embedTenantName: string,
    profile: EmbedProfile,
  ): Promise<EmbedUser | undefined> {
    const [user] = await this.prepared<EmbedUser>(tx, updateNamedProfile, [
      tenantId,
      embedTenantName,
      ...valuesOf(profile),
    ]);
    return user;
  }

  /** Undefined when the account has no room for one more. {@link holdNumber} has to be called before. */
  async insert(tx: Transaction, place: Place, profile: EmbedProfile, limit: number): Promise<EmbedUser | undefined> {
    const [row] = await this.managerFor(tx).query<EmbedUser[]>(
      `insert into embed_user as u (tenant_id, embed_tenant_id, external_id, email, display_name, picture)
       select $1, $2, $3, $4, $5, $6 where (select count(*) from embed_user where tenant_id = $1) < $7
       returning ${userColumns}`,
      [place.tenantId, place.embedTenantId, ...valuesOf(profile), limit],
    );
    return row;
  }

  /** As {@link insert} for several, of whom only ids are known; all of them or none. */
  async insertAll(tx: Transaction, place: Place, externalIds: readonly string[], limit: number): Promise<EmbedUser[]> {
    return this.managerFor(tx).query<EmbedUser[]>(
      `insert into embed_user as u (tenant_id, embed_tenant_id, external_id)
       select $1, $2, external_id from unnest($3::text[]) external_id
       where (select count(*) from embed_user where tenant_id = $1) + cardinality($3::text[]) <= $4
       order by external_id returning ${userColumns}`,
      [place.tenantId, place.embedTenantId, externalIds, limit],
    );
  }

  /** Nobody else adds embed users to the account before the transaction ends. */
  async holdNumber(tx: Transaction, tenantId: number): Promise<void> {
    await this.managerFor(tx).query('select pg_advisory_xact_lock($1)', [advisoryLockId('embed-users', tenantId)]);
  }

  /** The user has these groups of the account and no others. */
  async replaceAccountGroups(tx: Transaction, { tenantId, id }: EmbedUser, ids: readonly number[]): Promise<void> {
    const manager = this.managerFor(tx);
    await manager.query(
      'delete from embed_user_account_group where embed_user_id = $1 and group_id <> all($2::bigint[])',
      [id, ids],
    );
    await manager.query(
      `insert into embed_user_account_group (tenant_id, embed_user_id, group_id)
       select $1, $2, group_id from unnest($3::bigint[]) group_id on conflict do nothing`,
      [tenantId, id, ids],
    );
  }

  /** What is known of a group of the account that is gone. */
  async forgetAccountGroup(tx: Transaction, groupId: number): Promise<void> {
    await this.managerFor(tx).query('delete from embed_user_account_group where tenant_id = $1 and group_id = $2', [
      tx.tenantId,
      groupId,
    ]);
  }

  /** What is known of an attribute of the account that is gone. */
  async forgetAttribute(tx: Transaction, attributeId: number): Promise<void> {
    await this.managerFor(tx).query('delete from embed_user_attribute where tenant_id = $1 and attribute_id = $2', [
      tx.tenantId,
      attributeId,
    ]);
  }

  /** Other attributes keep their values. */
  async setAttributes(tx: Transaction, { tenantId, id }: EmbedUser, rows: readonly AttributeRow[]): Promise<void> {
    await this.prepared(tx, upsertAttributes, [tenantId, id, JSON.stringify(rows)]);
  }
}

const updateProfile = {
  name: 'update-embed-user',
  text: `update embed_user u set email = coalesce($3, email), display_name = coalesce($4, display_name),
           picture = coalesce($5, picture)
         where embed_tenant_id = $1 and external_id = $2 returning ${userColumns}`,
};

/** The embed tenant is locked before the user, as everywhere. */
const updateNamedProfile = {
  name: 'update-embed-user-of-tenant',
  text: `with place as materialized (select id from embed_tenant where tenant_id = $1 and name = $2 for key share)
         update embed_user u set email = coalesce($4, u.email), display_name = coalesce($5, u.display_name),
           picture = coalesce($6, u.picture)
         from place where u.embed_tenant_id = place.id and u.external_id = $3 returning ${userColumns}`,
};

/** A value that is the same already is not written again. */
const upsertAttributes = {
  name: 'upsert-embed-user-attributes',
  text: `insert into embed_user_attribute as a (tenant_id, embed_user_id, attribute_id, value)
         select $1, $2, (r ->> 'attributeId')::bigint, nullif(r -> 'value', 'null'::jsonb)
         from jsonb_array_elements($3::jsonb) r
         on conflict (embed_user_id, attribute_id) do update set value = excluded.value
         where a.value is distinct from excluded.value`,
};

const valuesOf = ({ externalId, email = null, displayName = null, picture = null }: EmbedProfile): unknown[] => [
  externalId,
  email,
  displayName,
  picture,
];

/** The id as it is kept. */
export const canonicalExternalId = (externalId: string): string => externalId.trim().toLowerCase();
