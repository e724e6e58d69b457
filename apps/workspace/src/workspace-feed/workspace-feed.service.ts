import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { QueryOf, ReplyOf } from '@plinth/contract';
import { Database, keysetList, type Reader, type Transaction } from '@plinth/database';
import {
  audience,
  ContentRights,
  ItemSearchRepository,
  ItemsListRepository,
  itemTypes,
  People,
  requireWholeWorkspace,
  type ItemSelection,
  type ItemType,
  type ListedItem,
  type RankedItem,
  type Viewer,
} from '../content';
import { FeedItems } from './feed-items.service';

type Query = QueryOf<'workspaceObjects'>;
type Reply = ReplyOf<'workspaceObjects'>;

/** Folders stand before all others: a position says first whether it is among the others. */
type FeedPosition = [isOther: number, key: string, id: number];

/** What a list is restricted to and ordered by. */
interface FeedFilters {
  deploymentId: number;
  embedTenantName: string | null;
  folderId: number | null;
  search: string | null;
  types: readonly ItemType[];
  order: ItemSelection['order'];
  descending: boolean;
}

@Injectable()
export class WorkspaceFeedService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly rights: ContentRights,
    private readonly lists: ItemsListRepository,
    private readonly searches: ItemSearchRepository,
    private readonly feedItems: FeedItems,
    private readonly people: People,
  ) {}

  async list(principal: Principal, deploymentId: number, query: Query): Promise<Reply> {
    const who = await this.rights.viewerOf(principal, deploymentId);
    return this.page(who, 'workspace', query);
  }

  /** The same for all embed users of an embed tenant. Nothing is shared with those who have no embed session. */
  async listShared(principal: Principal, deploymentId: number, query: Query): Promise<Reply> {
    const { tenantId, embed } = principal;
    requireWholeWorkspace(principal);
    if (embed) return this.page(audience(tenantId, deploymentId, embed.embedTenantName), 'shared-workspace', query);
    const filters = filtersOf(await this.rights.viewerOf(principal, deploymentId), query);
    const positionOf = (_row: never): FeedPosition => [0, '', 0];
    return keysetList(query, { name: 'shared-workspace', filters, positionOf, read: async () => [] });
  }

  private async page(who: Viewer, name: string, query: Query): Promise<Reply> {
    const filters = filtersOf(who, query);
    const { items, pageInfo } = await keysetList(query, {
      name,
      filters,
      positionOf: ({ type, key, id }: ListedItem): FeedPosition => [type === 'FOLDER' ? 0 : 1, key, id],
      read: (limit, after) => this.read(who, filters, limit, after),
    });
    const described = await this.feedItems.describe(this.database.reader(who.tenantId, 'lists'), who, items);
    return { items: await this.people.name(who, described), pageInfo };
  }

  private async read(
    who: Viewer,
    filters: FeedFilters,
    limit: number,
    after: Partial<FeedPosition>,
  ): Promise<readonly ListedItem[]> {
    const { folderId, search } = filters;
    if (search !== null)
      return this.database.asSystem((tx) => this.rows(tx, who, filters, { search, tx }, limit, after));
    const reader = this.database.reader(who.tenantId, 'lists');
    const parent = await this.rights.look(reader, who, folderId);
    return this.rows(reader, who, filters, { parent }, limit, after);
  }

  private async rows(
    reader: Reader,
    who: Viewer,
    { types, order, descending }: FeedFilters,
    scope: { parent: RankedItem | null } | { search: string; tx: Transaction },
    limit: number,
    [isOther = 0, key, id]: Partial<FeedPosition>,
  ): Promise<readonly ListedItem[]> {
    const after = key !== undefined && id !== undefined ? { key, id } : undefined;
    const others = types.filter((type) => type !== 'FOLDER');
    const rest = (most: number, from: typeof after): Promise<ListedItem[]> =>
      others.length === 0 || most === 0
        ? Promise.resolve([])
        : 'search' in scope
          ? this.searches.list(scope.tx, who, { search: scope.search, types: others, order, descending }, most, from)
          : this.lists.list(reader, who, { scope, types: others, order, descending }, most, from);
    if (isOther) return rest(limit, after);
    if (!types.includes('FOLDER')) return rest(limit, undefined);
    const selection = { scope, types: ['FOLDER'], order: 'position', descending: false } as const;
    const folders = await this.lists.list(reader, who, selection, limit, after);
    return [...folders, ...(await rest(limit - folders.length, undefined))];
  }
}

function filtersOf({ deploymentId, embed }: Viewer, query: Query): FeedFilters {
  const search = query.search?.trim() || null;
  return {
    deploymentId,
    embedTenantName: embed?.tenantName ?? null,
    folderId: search === null ? query.folderId || null : null,
    search,
    types: itemTypes.filter((type) => query.types === undefined || query.types.includes(type)),
    order: query.orderByField ?? 'id',
    descending: query.orderByDirection === 'DESC',
  };
}
