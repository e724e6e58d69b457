import { BaseRepository, type Database, type Reader, type Transaction } from '@plinth/database';

/** Nobody waits for the disk: when the database's machine dies, the looks of its last second may be forgotten. */
const noteView = `
  with unhurried as materialized (select set_config('synchronous_commit', 'off', true))
  insert into item_view (tenant_id, item_id, user_id)
  select i.tenant_id, i.id, $2 from item i, unhurried where i.id = $1 for key share of i
  on conflict (item_id, user_id) do update set viewed_at = excluded.viewed_at
    where item_view.viewed_at < excluded.viewed_at`;

/** What single users have to do with items: marks, and when they looked at them. */
export class ItemNotesRepository extends BaseRepository {
  /** Whether a look now is one with the user's last one: at the same item, within a minute, and at no other one since. */
  async isViewed(from: Reader, itemId: number, userId: number | null): Promise<boolean> {
    if (userId === null) return true;
    const rows = await this.prepared(
      from,
      `select from item_view v where v.item_id = $1 and v.user_id = $2 and v.viewed_at >= now() - interval '1 minute'
       and not exists (select from item_view later where later.user_id = $2 and later.viewed_at > v.viewed_at)`,
      [itemId, userId],
    );
    return rows.length > 0;
  }

  /** Nothing for an item that has gone meanwhile. */
  async view(database: Database, tenantId: number, itemId: number, userId: number): Promise<void> {
    await database.run(tenantId, { name: 'item-view', text: noteView }, [itemId, userId]);
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

  async isMarked(from: Reader, itemId: number, userId: number | null): Promise<boolean> {
    const rows = await this.prepared(from, 'select from favorite where item_id = $1 and user_id = $2', [
      itemId,
      userId,
    ]);
    return rows.length > 0;
  }
}
