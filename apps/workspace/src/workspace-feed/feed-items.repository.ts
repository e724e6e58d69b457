import { BaseRepository, type Reader } from '@plinth/database';

/** What the feed says of an item beyond what all replies say. */
export interface FeedItemExtras {
  id: number;
  slug: string | null;
  dashboardPublicId: string | null;
  isFavorite: boolean;
}

export class FeedItemsRepository extends BaseRepository {
  async extrasOf(from: Reader, ids: readonly number[], userId: number | null): Promise<Map<number, FeedItemExtras>> {
    const rows = await this.prepared<FeedItemExtras>(
      from,
      `select i.id, w.slug, d.public_id as "dashboardPublicId", f.item_id is not null as "isFavorite"
       from unnest($1::bigint[]) i(id)
       left join workbook w on w.id = i.id
       left join dashboard d on d.workbook_id = i.id and d.status = 'published'
       left join favorite f on f.item_id = i.id and f.user_id = $2`,
      [ids, userId],
    );
    return new Map(rows.map((row) => [row.id, row]));
  }
}
