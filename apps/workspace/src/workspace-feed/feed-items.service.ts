import { Injectable } from '@nestjs/common';
import type { Schemas } from '@plinth/contract';
import type { Reader } from '@plinth/database';
import { ItemDescriptions, type Item, type Unnamed, type Viewer } from '../content';
import { FeedItemsRepository } from './feed-items.repository';

export type FeedItem = Schemas['Workbook'];

/** Shows items of all kinds in one form. What workbooks hold may be large, and is left to their own operations. */
@Injectable()
export class FeedItems {
  constructor(
    private readonly descriptions: ItemDescriptions,
    private readonly repository: FeedItemsRepository,
  ) {}

  async describe(from: Reader, who: Viewer, items: readonly Item[]): Promise<Unnamed<FeedItem>[]> {
    const ids = items.map(({ id }) => id);
    const [extras, described] = await Promise.all([
      this.repository.extrasOf(from, ids, who.userId),
      this.descriptions.describe(from, who, items),
    ]);
    return described.map((item) => {
      const { slug = null, dashboardPublicId = null, isFavorite = false } = extras.get(item.id) ?? {};
      return { ...item, slug, dashboardPublicId, isFavorite, meta: {}, calculatedFields: {} };
    });
  }
}
