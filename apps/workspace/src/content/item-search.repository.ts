import { Injectable } from '@nestjs/common';
import { BaseRepository, containing, type Transaction } from '@plinth/database';
import {
  indexedOrders,
  ItemsListRepository,
  type ItemScope,
  type ItemSelection,
  type ListedItem,
  type ListPosition,
} from './items-list.repository';
import { rightsOf } from './visibility';
import type { Viewer } from './viewer';

/** A search for part of a name, in all folders. */
export interface ItemSearch extends Omit<ItemSelection, 'scope'> {
  search: string;
}

/**
 * Searches that read little, though all that match may be many, and the viewer may see few of them. The database is not
 * allowed to know how many match, so the way is chosen here.
 */
@Injectable()
export class ItemSearchRepository extends BaseRepository {
  /** Items that are looked at one by one: all that a viewer sees, or the first ones, so many for each row of the page. */
  readonly bounds = { seen: 5_000, firstPerRow: 10 };

  constructor(private readonly lists: ItemsListRepository) {
    super();
  }

  /** The matches after a position, or the first ones, as {@link ItemsListRepository.list} finds them. */
  async list(
    tx: Transaction,
    viewer: Viewer,
    { search, ...selection }: ItemSearch,
    limit: number,
    after?: ListPosition,
  ): Promise<ListedItem[]> {
    const list = (scope: ItemScope): Promise<ListedItem[]> =>
      this.lists.list(tx, viewer, { ...selection, scope }, limit, after);
    const ids = await this.matchesSeenBy(tx, viewer, search);
    if (ids) return list({ ids });
    const few = { search, first: limit * this.bounds.firstPerRow };
    const first = indexedOrders.has(selection.order) ? await list(few) : [];
    return first.length === limit ? first : list({ search });
  }

  /**
   * Ids of what matches among all that lies in folders and the viewer sees, without folders on the way to it; undefined when
   * what they see is much.
   */
  private async matchesSeenBy(tx: Transaction, viewer: Viewer, search: string): Promise<number[] | undefined> {
    const { seen } = this.bounds;
    if (viewer.isAdmin || Object.values(viewer.heldOnAll).some((rank) => rank > 0)) return undefined;
    const { with: held, anchored, values } = rightsOf(viewer);
    const matches = `lower(i.name) like lower($${values.length + 1})`;
    const [found] = await this.managerFor(tx).query<[{ ids: number[]; seen: number }]>(
      `${held}, mine as (
         select i.id, i.type, ${matches} and ${liesInFolder} as matches from item i where i.deployment_id = $1 and ${anchored}
         union select c.id, c.type, c.matches from mine cross join lateral (
           select i.id, i.type, ${matches} as matches from item i where i.deployment_id = $1 and i.parent_id = mine.id offset 0
         ) c where mine.type = 'FOLDER'
       ) select coalesce(array_agg(id) filter (where matches), '{}') as ids, count(*)::int as seen
         from (select id, matches from mine limit ${seen + 1}) first`,
      [...values, containing(search)],
    );
    return found.seen > seen ? undefined : found.ids;
  }
}

/** Of few items: each report is asked for what it lies in. */
const liesInFolder = `(i.type <> 'REPORT' or i.parent_id is null
  or (select p.type = 'FOLDER' from item p where p.id = i.parent_id))`;
