import { BaseRepository, containing, type Transaction } from '@plinth/database';
import type { ItemType } from './item.entity';
import { itemColumns, liesIn, type RankedItem } from './items.repository';
import { rightsOf } from './visibility';
import type { Viewer } from './viewer';

/** What orders a list; items that are equal in it are ordered by their ids. */
export type ItemOrder = 'id' | 'position' | 'name' | 'created_at' | 'updated_at' | 'viewer_last_viewed_at';

/** Items as they lie in one place, or as they are named wherever they lie. */
export type ItemScope = { parent: RankedItem | null } | { search: string };

export interface ItemSelection {
  scope: ItemScope;
  types: readonly ItemType[];
  order: ItemOrder;
  descending: boolean;
}

/** Where an item stands in a list; `key` is what orders it, as text. */
export type ListedItem = RankedItem & { key: string };

export interface ListPosition {
  key: string;
  id: number;
}

const orders: Readonly<Record<ItemOrder, { key: string; type: string }>> = {
  id: { key: 'i.id', type: 'bigint' },
  position: { key: 'i.position', type: 'bigint' },
  name: { key: 'lower(i.name)', type: 'text' },
  created_at: { key: 'i.created_at', type: 'timestamptz' },
  updated_at: { key: 'i.updated_at', type: 'timestamptz' },
  viewer_last_viewed_at: {
    key: `coalesce((select v.viewed_at from item_view v where v.item_id = i.id and v.user_id = $2), '-infinity')`,
    type: 'timestamptz',
  },
};

/** Lists of items that a viewer can see. What they cannot see is left out by SQL, and never read. */
export class ItemsListRepository extends BaseRepository {
  /**
   * The items after a position, or the first ones.
   *
   * A search needs a transaction across tenants: LIKE is not leakproof, so row-level security would keep it away from its
   * index.
   */
  list(
    tx: Transaction,
    who: Viewer,
    { scope, types, order, descending }: ItemSelection,
    limit: number,
    after?: ListPosition,
  ): Promise<ListedItem[]> {
    const { key, type } = orders[order];
    const { text, values } = selection(who, scope, types);
    const [comparison, direction] = descending ? ['<', 'desc'] : ['>', 'asc'];
    const [at, id, most] = [1, 2, 3].map((place) => `$${values.length + place}`);
    return this.managerFor(tx).query<ListedItem[]>(
      `${text(`${itemColumns}, (${key})::text as key`)}
         and (${at}::${type} is null or (${key}, i.id) ${comparison} (${at}::${type}, ${id}::bigint))
       order by ${key} ${direction}, i.id ${direction} limit ${most}`,
      [...values, after?.key ?? null, after?.id ?? null, limit],
    );
  }

  async count(tx: Transaction, who: Viewer, scope: ItemScope, types: readonly ItemType[]): Promise<number> {
    const { text, values } = selection(who, scope, types);
    const [{ count }] = await this.managerFor(tx).query<[{ count: number }]>(
      text('count(*)::int as count', false),
      values,
    );
    return count;
  }
}

function selection(who: Viewer, scope: ItemScope, types: readonly ItemType[]) {
  const rights = rightsOf(who, 'parent' in scope ? { parent: scope.parent } : 'in folders');
  const [type, ...others] = types;
  const ofKind = others.length === 0 ? { comparison: '=', value: type } : { comparison: '= any', value: types };
  const values = [...rights.values, who.tenantId, ofKind.value];
  const parameter = (value: unknown): string => `$${values.push(value)}`;
  const where =
    'parent' in scope
      ? `i.${liesIn(scope.parent?.id ?? null, scope.parent ? parameter(scope.parent.id) : '')}`
      : `lower(i.name) like lower(${parameter(containing(scope.search))}) and ${notInWorkbook}`;
  const [tenant, kinds] = [rights.values.length + 1, rights.values.length + 2];
  const text = (columns: string, ranked = true): string => `${rights.with}
    select ${columns}${ranked ? `, ${rights.rank} as rank, true as visible` : ''} from item i
    where i.tenant_id = $${tenant} and i.deployment_id = $1 and ${where} and i.type ${ofKind.comparison} ($${kinds})
      and ${rights.visible}`;
  return { text, values };
}

/** All folders are looked up once: searches with many matches would else ask for each of them. */
const notInWorkbook = `(i.type <> 'REPORT' or i.parent_id is null
  or i.parent_id in (select f.id from item f where f.deployment_id = $1 and f.type = 'FOLDER'))`;
