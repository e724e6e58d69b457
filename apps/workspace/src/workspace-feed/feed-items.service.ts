import { Injectable } from '@nestjs/common';
import type { Schemas } from '@plinth/contract';
import type { Transaction } from '@plinth/database';
import { ItemDescriptions, type Item, type Viewer } from '../content';
import { FeedItemsRepository } from './feed-items.repository';

type FeedItem = Schemas['Workbook'];

/** Shows items of all kinds in one form. What workbooks hold may be large, and is left to their own operations. */
@Injectable()
export class FeedItems {
  constructor(
    private readonly descriptions: ItemDescriptions,
    private readonly repository: FeedItemsRepository,
  ) {}

  async describe(tx: Transaction, who: Viewer, items: readonly Item[]): Promise<FeedItem[]> {
    const ids = items.map(({ id }) => id);
    const extras = await this.repository.extrasOf(tx, ids, who.userId);
    const described = await this.descriptions.describe(tx, who, items);
    return described.map((item) => {
      const { slug = null, dashboardPublicId = null, isFavorite = false } = extras.get(item.id) ?? {};
      return { ...item, slug, dashboardPublicId, isFavorite, meta: {}, calculatedFields: {} };
    });
  }
}
