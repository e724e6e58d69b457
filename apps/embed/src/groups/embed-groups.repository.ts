import { BaseRepository, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import type { EmbedGroup } from './embed-group.entity';

/** An own group of an embed tenant with its number of members. */
export type CountedGroup = Pick<EmbedGroup, 'id' | 'name' | 'description'> & { userCount: number };

export type NewGroup = Pick<EmbedGroup, 'tenantId' | 'name' | 'description'> & { embedTenantId: number };

const nameTaken = {
  embed_group_embed_tenant_id_name_unique: () =>
    new AppError('embed_group.name_taken', 'Another group of the embed tenant has this name already'),
};

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
