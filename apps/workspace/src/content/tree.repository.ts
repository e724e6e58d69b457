import { advisoryLockId, BaseRepository, type Transaction } from '@plinth/database';
import { Item } from './item.entity';

const MOST_FOLDERS_DEEP = 10;

/** The shape of the trees: what lies where. Row-level security leaves `parent_id` its index, and takes that of `path`. */
export class TreeRepository extends BaseRepository {
  /** Whoever puts something in shares the tree; whoever moves or removes has it alone, as paths of whole subtrees change. */
  async lock(tx: Transaction, deploymentId: number, mode: 'shared' | 'alone'): Promise<void> {
    const take = mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock';
    await this.prepared(tx, `select ${take}($1)`, [advisoryLockId('content-tree', deploymentId)]);
  }

  async holdsFolders(tx: Transaction, id: number): Promise<boolean> {
    return this.managerFor(tx).existsBy(Item, { parentId: id, type: 'FOLDER' });
  }

  /** Levels of folders from this one down; 1 for a folder without folders. */
  async heightOf(tx: Transaction, id: number): Promise<number> {
    const [{ height }] = await this.managerFor(tx).query<[{ height: number }]>(
      `with recursive beneath(id, level) as (
         select $1::bigint, 1
         union all
         select c.id, b.level + 1 from item c join beneath b on c.parent_id = b.id
         where c.type = 'FOLDER' and b.level <= ${MOST_FOLDERS_DEEP}
       )
       select max(level) as height from beneath`,
      [id],
    );
    return height;
  }

  /** Moves the item with everything beneath. @param path of the item from now on. */
  async move(tx: Transaction, item: Item, path: readonly number[]): Promise<void> {
    await this.managerFor(tx).query(relocate('select $1::bigint'), [item.id, path, item.path.length]);
  }

  /** Moves what lies in the item, and everything beneath. @param path of what lay in it from now on. */
  async empty(tx: Transaction, item: Item, path: readonly number[]): Promise<void> {
    const children = 'select id from item where parent_id = $1';
    await this.managerFor(tx).query(relocate(children), [item.id, path, item.path.length + 1]);
  }

  async touch(tx: Transaction, id: number, userId: number | null): Promise<void> {
    await this.managerFor(tx).update(Item, { id }, { updatedAt: () => 'now()', updatedBy: userId });
  }

  /** Of a workbook; none of anything else. */
  async dashboardsOf(tx: Transaction, itemId: number): Promise<number[]> {
    const sql = 'select id from dashboard where workbook_id = $1';
    const rows = await this.managerFor(tx).query<{ id: number }[]>(sql, [itemId]);
    return rows.map(({ id }) => id);
  }

  async delete(tx: Transaction, id: number): Promise<void> {
    await this.managerFor(tx).delete(Item, { id });
  }
}

/** Gives subtrees the path `$2` in place of the first `$3` of what they lay in. */
const relocate = (roots: string): string => `
  with recursive subtree(id) as (
    ${roots}
    union all
    select c.id from item c join subtree s on c.parent_id = s.id
  ), moved as (
    select id, $2::bigint[] || i.path[$3::int + 1 :] as path from subtree join item i using (id)
  )
  update item set path = moved.path, parent_id = moved.path[cardinality(moved.path)] from moved where item.id = moved.id`;

export const isTooDeep = (path: readonly number[], height: number): boolean => path.length + height > MOST_FOLDERS_DEEP;
