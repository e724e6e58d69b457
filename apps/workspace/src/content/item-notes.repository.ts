import { BaseRepository, type Transaction } from '@plinth/database';

/** What single users have to do with items: marks, and when they looked at them. */
export class ItemNotesRepository extends BaseRepository {
  /** Nothing for an item that has gone meanwhile. A look within a minute of the last one, at the same item, is none of its own. */
  async view(tx: Transaction, itemId: number, userId: number): Promise<void> {
    await this.managerFor(tx).query(
      `insert into item_view (tenant_id, item_id, user_id)
       select tenant_id, id, $2 from item where id = $1 for key share
       on conflict (item_id, user_id) do update set viewed_at = excluded.viewed_at
         where item_view.viewed_at < excluded.viewed_at - interval '1 minute'
           or exists (select from item_view later where later.user_id = $2 and later.viewed_at > item_view.viewed_at)`,
      [itemId, userId],
    );
  }

  async mark(tx: Transaction, itemId: number, userId: number): Promise<void> {
    await this.managerFor(tx).query(
      `insert into favorite (tenant_id, item_id, user_id)
       select tenant_id, id, $2 from item where id = $1 for key share
       on conflict (item_id, user_id) do nothing`,
      [itemId, userId],
    );
  }

  async unmark(tx: Transaction, itemId: number, userId: number): Promise<void> {
    await this.managerFor(tx).query('delete from favorite where item_id = $1 and user_id = $2', [itemId, userId]);
  }

  async isMarked(tx: Transaction, itemId: number, userId: number | null): Promise<boolean> {
    const rows = await this.managerFor(tx).query<object[]>(
      'select 1 as one from favorite where item_id = $1 and user_id = $2',
      [itemId, userId],
    );
    return rows.length > 0;
  }
}
