import { BaseRepository, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import type { Place } from '../users';
import type { EmbedGroup } from './embed-group.entity';

/** An own group of an embed tenant with its number of members. */
export type CountedGroup = Pick<EmbedGroup, 'id' | 'name' | 'description'> & { userCount: number };

export type NewGroup = Pick<EmbedGroup, 'tenantId' | 'name' | 'description'> & { embedTenantId: number };

/** A group that is to be there. */
export interface GroupDefinition {
  name: string;
  /** Null leaves it as it is. */
  description: string | null;
}

const nameIsTaken = (): AppError =>
  new AppError('embed_group.name_taken', 'Another group of the embed tenant has this name already');

const nameTaken = { embed_group_embed_tenant_id_name_unique: nameIsTaken };

const countedGroups = `
  select g.id, g.name, g.description,
    (select count(*)::int from embed_group_member m where m.group_id = g.id) as "userCount"
  from embed_group g`;

/** What embed tenants have made themselves; the built-in groups are not among it. */
export class EmbedGroupsRepository extends BaseRepository {
  /** Newest first, those older than `beforeId` when it is given. */
  list(tx: Transaction, embedTenantId: number, limit: number, beforeId?: number): Promise<CountedGroup[]> {
    return this.managerFor(tx).query<CountedGroup[]>(
      `${countedGroups} where g.embed_tenant_id = $1 and g.kind = 'own' and ($2::bigint is null or g.id < $2)
       order by g.id desc limit $3`,
      [embedTenantId, beforeId ?? null, limit],
    );
  }

  async find(tx: Transaction, embedTenantId: number, id: number): Promise<CountedGroup | undefined> {
    const [group] = await this.managerFor(tx).query<CountedGroup[]>(
      `${countedGroups} where g.embed_tenant_id = $1 and g.kind = 'own' and g.id = $2`,
      [embedTenantId, id],
    );
    return group;
  }

  /** Whether the group exists; it cannot be deleted before the transaction ends. */
  hold(tx: Transaction, embedTenantId: number, id: number): Promise<boolean> {
    return this.lock(tx, embedTenantId, id, 'key share');
  }

  /** As {@link hold}, and nobody becomes a member before the transaction ends. */
  holdAlone(tx: Transaction, embedTenantId: number, id: number): Promise<boolean> {
    return this.lock(tx, embedTenantId, id, 'update');
  }

  /** @throws AppError `embed_group.name_taken` (400) */
  async insert(tx: Transaction, group: NewGroup): Promise<CountedGroup> {
    const { tenantId, embedTenantId, name, description } = group;
    const [row] = await this.mapUnique(nameTaken, () =>
      this.managerFor(tx).query<[Pick<EmbedGroup, 'id'>]>(
        `insert into embed_group (tenant_id, embed_tenant_id, kind, name, description)
         values ($1, $2, 'own', $3, $4) returning id`,
        [tenantId, embedTenantId, name, description],
      ),
    );
    return { id: row.id, name, description, userCount: 0 };
  }

  /**
   * Makes the groups that are not there, and gives those that are the descriptions that are given and others.
   *
   * @throws AppError `embed_group.name_taken` (400) for a name that a group has in another case.
   */
  async define(tx: Transaction, place: Place, definitions: readonly GroupDefinition[]): Promise<void> {
    const changed = await this.managerFor(tx).query<(GroupDefinition & { taken: boolean })[]>(
      `select d.name, d.description, coalesce(g.name <> d.name, false) as taken
       from jsonb_to_recordset($2::jsonb) d(name text, description text)
       left join embed_group g on g.embed_tenant_id = $1 and lower(g.name) = lower(d.name)
       where g.id is null or g.name <> d.name or d.description is distinct from g.description and d.description is not null
       order by d.name`,
      [place.embedTenantId, JSON.stringify(definitions)],
    );
    if (changed.some(({ taken }) => taken)) throw nameIsTaken();
    if (changed.length === 0) return;
    await this.managerFor(tx).query(
      `insert into embed_group as g (tenant_id, embed_tenant_id, kind, name, description)
       select $1, $2, 'own', name, description from jsonb_to_recordset($3::jsonb) d(name text, description text)
       on conflict (embed_tenant_id, lower(name)) do update set description = coalesce(excluded.description, g.description)`,
      [place.tenantId, place.embedTenantId, JSON.stringify(changed)],
    );
  }

  async describe(tx: Transaction, id: number, description: string | null): Promise<void> {
    await this.managerFor(tx).query('update embed_group set description = $2 where id = $1', [id, description]);
  }

  async delete(tx: Transaction, id: number): Promise<void> {
    await this.managerFor(tx).query('delete from embed_group where id = $1', [id]);
  }

  private async lock(
    tx: Transaction,
    embedTenantId: number,
    id: number,
    strength: 'key share' | 'update',
  ): Promise<boolean> {
    const rows = await this.managerFor(tx).query<unknown[]>(
      `select 1 from embed_group where embed_tenant_id = $1 and kind = 'own' and id = $2 for ${strength}`,
      [embedTenantId, id],
    );
    return rows.length > 0;
  }
}
