import { advisoryLockId, BaseRepository, type Transaction } from '@plinth/database';
import type { Item } from './item.entity';

type Folder = Pick<Item, 'id' | 'path'>;

/** Where items lie. `path` of everything beneath an item changes with that of the item. */
export class TreeRepository extends BaseRepository {
  /**
   * Held until the transaction ends, and taken before its first look at an item: `shared` by whoever puts a new item into
   * the tree, `exclusive` by whoever moves one, so that no item keeps the path of a folder that has moved meanwhile.
   */
  async lock(tx: Transaction, deploymentId: number, mode: 'shared' | 'exclusive'): Promise<void> {
    const name = mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock';
    await this.managerFor(tx).query(`select ${name}($1)`, [advisoryLockId('workspace tree', deploymentId)]);
  }

  /** Puts an item, with everything beneath it, into a folder or at the root. */
  async place(tx: Transaction, { id, path }: Folder, folder: Folder | null, userId: number | null): Promise<void> {
    const target = folder ? [...folder.path, folder.id] : [];
    await this.managerFor(tx).query(
      `update item set
         parent_id = case when id = $1 then $2 else parent_id end,
         path = $3::bigint[] || path[$4::int + 1:],
         updated_at = case when id = $1 then now() else updated_at end,
         updated_by = case when id = $1 then $5 else updated_by end
       where id = $1 or path @> array[$1::bigint]`,
      [id, folder?.id ?? null, target, path.length, userId],
    );
  }

  /** Lets what lies directly in an item lie beside it. */
  async release(tx: Transaction, { id, parentId, path }: Pick<Item, 'id' | 'parentId' | 'path'>): Promise<void> {
    await this.managerFor(tx).query(
      `update item set parent_id = case when parent_id = $1 then $2 else parent_id end,
         path = $3::bigint[] || path[cardinality($3::bigint[]) + 2:]
       where path @> array[$1::bigint]`,
      [id, parentId, path],
    );
  }

  /** Names of items by their ids. */
  async names(tx: Transaction, ids: readonly number[]): Promise<Map<number, string>> {
    if (ids.length === 0) return new Map();
    const rows = await this.managerFor(tx).query<Pick<Item, 'id' | 'name'>[]>(
      'select id, name from item where id = any($1::bigint[])',
      [[...new Set(ids)]],
    );
    return new Map(rows.map(({ id, name }) => [id, name]));
  }
}
