import { BaseRepository, containing, type Reader } from '@plinth/database';
import type { Item, ItemType } from './item.entity';
import { itemColumns, liesIn, type RankedItem } from './items.repository';
import { rightsOf, type Whereabouts } from './visibility';
import type { Viewer } from './viewer';

/** What orders a list; items that are equal in it are ordered by their ids. */
export type ItemOrder = 'id' | 'position' | 'name' | 'created_at' | 'updated_at' | 'viewer_last_viewed_at';

/**
 * Items as they lie in one place, as they are named wherever they lie, of all or of so many that come first in the order, or
 * items that the viewer sees by their ids.
 */
export type ItemScope = { parent: RankedItem | null } | { search: string; first?: number } | { ids: readonly number[] };

export interface ItemSelection {
  scope: ItemScope;
  types: readonly ItemType[];
  order: ItemOrder;
  descending: boolean;
}

/** Where an item stands in a list; `key` is what orders it, as text. */
export type ListedItem = Item & { key: string };

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

/** Orders in which an index has the items of a kind, wherever they lie. */
export const indexedOrders: ReadonlySet<ItemOrder> = new Set(['id', 'created_at', 'updated_at']);

/** Lists of items that a viewer can see. What they cannot see is left out by SQL, and never read. */
export class ItemsListRepository extends BaseRepository {
  /**
   * The items after a position, or the first ones.
   *
   * A search needs a transaction across tenants: LIKE is not leakproof, so row-level security would keep it away from its
   * index.
   */
  list(
    from: Reader,
    who: Viewer,
    { scope, types, order, descending }: ItemSelection,
    limit: number,
    after?: ListPosition,
  ): Promise<ListedItem[]> {
    const { key, type } = orders[order];
    const [comparison, direction] = descending ? ['<', 'desc'] : ['>', 'asc'];
    const { text, values, parameter } = selection(who, scope, types);
    const beyond = after
      ? `(${key}, i.id) ${comparison} (${parameter(after.key)}::${type}, ${parameter(after.id)}::bigint)`
      : 'true';
    const ordered = `order by ${key} ${direction}, i.id ${direction}`;
    const columns = `${itemColumns}, (${key})::text as key`;
    return this.rows<ListedItem>(
      from,
      { who, scope },
      `${text(columns, { beyond, ordered })} limit ${parameter(limit)}`,
      values,
    );
  }

  async count(from: Reader, who: Viewer, scope: ItemScope, types: readonly ItemType[]): Promise<number> {
    const { text, values } = selection(who, scope, types);
    const sql = text('count(*)::int as count');
    const [row] = await this.rows<{ count: number }>(from, { who, scope }, sql, values);
    return row?.count ?? 0;
  }

  /** Where somebody holds much or little, and what many or few names match, are better read in different ways. */
  private rows<Row>(
    from: Reader,
    { who, scope }: { who: Viewer; scope: ItemScope },
    text: string,
    values: readonly unknown[],
  ): Promise<Row[]> {
    const isAlike = who.isAdmin && 'parent' in scope;
    return isAlike ? this.prepared<Row>(from, text, values) : this.planned<Row>(from, text, values);
  }
}

/** The part of a list after a position, in its order. */
interface Part {
  beyond: string;
  ordered: string;
}

function selection(who: Viewer, scope: ItemScope, types: readonly ItemType[]) {
  const rights = rightsOf(who, whereaboutsOf(scope));
  const values = [...rights.values];
  const parameter = (value: unknown): string => `$${values.push(value)}`;
  const tenant = parameter(who.tenantId);
  const kinds = types.map((type) => `'${type}'`);
  const inDeployment = `i.tenant_id = ${tenant} and i.deployment_id = $1`;
  const [type, ...others] = kinds;
  const ofKind = others.length === 0 ? `i.type = ${type}` : `i.type in (${kinds.join(', ')})`;
  const where = isInScope(scope, parameter);
  const first = 'search' in scope ? scope.first : undefined;
  const text = (columns: string, part?: Part): string => `${rights.with}
    select ${columns}
    from ${part && first ? candidates(first, { inDeployment, kinds, ...part }) : 'item i'}
    where ${inDeployment} and ${ofKind} and ${where}${'ids' in scope ? '' : ` and ${rights.visible}`}
    ${part ? `and ${part.beyond} ${part.ordered}` : ''}`;
  return { text, values, parameter };
}

function whereaboutsOf(scope: ItemScope): Whereabouts {
  if ('parent' in scope) return { parent: scope.parent };
  return 'ids' in scope ? 'anywhere' : 'in folders';
}

type Parameter = (value: unknown) => string;

function isInScope(scope: ItemScope, parameter: Parameter): string {
  if ('parent' in scope) return liesInParent(scope, parameter);
  return 'ids' in scope ? `i.id = any(${parameter(scope.ids)}::bigint[])` : isNamed(scope, parameter);
}

const liesInParent = ({ parent }: { parent: RankedItem | null }, parameter: Parameter): string =>
  `i.${liesIn(parent?.id ?? null, parent ? parameter(parent.id) : '')}`;

const isNamed = ({ search }: { search: string }, parameter: Parameter): string =>
  `lower(i.name) like lower(${parameter(containing(search))}) and ${notInWorkbook}`;

/** The first ones are read in the order of an index, until the page is full; the index of names is left aside. */
function candidates(
  first: number,
  { inDeployment, kinds, beyond, ordered }: Part & { inDeployment: string; kinds: readonly string[] },
): string {
  const cut = `${ordered} limit ${first}`;
  const ofKinds = kinds.map(
    (kind) => `(select i.* from item i where ${inDeployment} and i.type = ${kind} and ${beyond} ${cut})`,
  );
  return `(select i.* from (${ofKinds.join(' union all ')}) i ${cut}) i`;
}

/** All folders are looked up once: searches with many matches would else ask for each of them. */
const notInWorkbook = `(i.type <> 'REPORT' or i.parent_id is null
  or i.parent_id in (select f.id from item f where f.deployment_id = $1 and f.type = 'FOLDER'))`;
