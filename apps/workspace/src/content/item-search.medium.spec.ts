import { managerFor, type Database, type Transaction } from '@plinth/database';
import { createTestDatabase } from '@plinth/testing';
import fc from 'fast-check';
import { workspaceSchema } from '../workspace.schema';
import type { ItemType } from './item.entity';
import { ItemSearchRepository, type ItemSearch } from './item-search.repository';
import { ItemsListRepository, type ListPosition } from './items-list.repository';
import { nobody, type Viewer } from './viewer';

const [TENANT, DEPLOYMENT, ELSEWHERE] = [7, 3, 4];
const OWNERS = [11, 12, 13];
/** Owns nothing. */
const READER = 14;
const ITEMS = 120;

const orders = ['id', 'name', 'created_at', 'updated_at', 'viewer_last_viewed_at'] as const;
const types: ItemType[][] = [['WORKBOOK', 'REPORT'], ['WORKBOOK'], ['REPORT']];

const changes = fc.array(
  fc.record({
    place: fc.nat(ITEMS - 1),
    name: fc.constantFrom('Revenue', 'COSTS', 'Churn'),
    hours: fc.integer({ min: -1, max: 5 }),
  }),
  { maxLength: 10 },
);
const anonymous = { userId: null, tenantName: 'acme', groupIds: [] };
const viewers = fc.record({
  userId: fc.constantFrom(READER, READER, ...OWNERS),
  isAdmin: fc.boolean(),
  heldPlaces: fc.array(fc.nat(ITEMS - 1), { maxLength: 8 }),
  heldKind: fc.constantFrom(null, null, 'FOLDER', 'WORKBOOK', 'REPORT'),
  embed: fc.constantFrom(null, null, null, { userId: 31, tenantName: 'acme', groupIds: [] }, anonymous),
});

const asked = fc.record({
  who: viewers,
  search: fc.constantFrom('a', 'revenue', 'costs of 1', 'x', '%'),
  types: fc.constantFrom(...types),
  order: fc.constantFrom(...orders),
  descending: fc.boolean(),
  limit: fc.integer({ min: 1, max: 30 }),
});

describe(ItemSearchRepository.name, () => {
  const lists = new ItemsListRepository();
  const searches = new ItemSearchRepository(lists);
  let database: Database;
  let drop: () => Promise<void>;
  let ids: number[];

  beforeAll(async () => {
    ({ database, drop } = await createTestDatabase(workspaceSchema));
    Object.assign(searches.bounds, { seen: 30, firstPerRow: 3 });
    ids = await database
      .asSystem((tx) => managerFor(tx).query<{ id: number }[]>(tree))
      .then((rows) => rows.map(({ id }) => id));
    await database.asSystem((tx) => managerFor(tx).query(rest, [ids]));
  });
  afterAll(() => drop?.());

  const viewerOf = ({
    userId,
    isAdmin,
    heldPlaces,
    heldKind,
    embed,
  }: typeof viewers extends fc.Arbitrary<infer T> ? T : never): Viewer => {
    const itemIds = heldPlaces.map((place) => ids[place] ?? 0);
    const none = nobody(TENANT, DEPLOYMENT);
    if (embed) return { ...none, embed: { ...embed, shares: 'all' } };
    const heldOnAll = { ...none.heldOnAll, ...(heldKind && { [heldKind]: 1 }) };
    return { ...none, userId, isAdmin, heldOnAll, held: { itemIds, ranks: itemIds.map((_, at) => 1 + (at % 3)) } };
  };

  type Page = { limit: number; after: ListPosition | undefined };
  const ways = {
    quick: (tx: Transaction, viewer: Viewer, search: ItemSearch, { limit, after }: Page) =>
      searches.list(tx, viewer, search, limit, after),
    slow: (tx: Transaction, viewer: Viewer, { search, ...selection }: ItemSearch, { limit, after }: Page) =>
      lists.list(tx, viewer, { ...selection, scope: { search } }, limit, after),
  };

  /** Page by page, in the order of the pages. */
  const walk = (way: keyof typeof ways, viewer: Viewer, search: ItemSearch, limit: number) =>
    database.asSystem(async (tx) => {
      const found = [];
      for (let after: ListPosition | undefined, isMore = true; isMore;) {
        const page = await ways[way](tx, viewer, search, { limit, after });
        found.push(...page.map(({ id, key }) => ({ id, key })));
        after = page.at(-1);
        isMore = page.length === limit;
      }
      return found;
    });

  it('finds what a search of everything finds, in its order, page by page, whoever searches', async () => {
    let [some, many] = [0, 0];
    await fc.assert(
      fc.asyncProperty(asked, async ({ who, limit, ...search }) => {
        const viewer = viewerOf(who);
        const expected = await walk('slow', viewer, search, limit);
        expect(await walk('quick', viewer, search, limit)).toEqual(expected);
        if (expected.length > 0) some += 1;
        if (expected.length > limit) many += 1;
      }),
      { numRuns: 300 },
    );
    expect(some).toBeGreaterThan(50);
    expect(many).toBeGreaterThan(20);
  });

  it('goes on after things were renamed and changed between pages as a search of everything does', async () => {
    let later = 0;
    await fc.assert(
      fc.asyncProperty(asked, fc.infiniteStream(changes), async ({ who, limit: some, ...search }, between) => {
        const [viewer, limit] = [viewerOf(who), Math.ceil(some / 5)];
        await database.asSystem(async (tx) => {
          await managerFor(tx).query('savepoint unchanged');
          for (let after: ListPosition | undefined, isMore = true, pages = 0; isMore && pages < 20; pages += 1) {
            const expected = await ways.slow(tx, viewer, search, { limit, after });
            expect(await ways.quick(tx, viewer, search, { limit, after })).toEqual(expected);
            if (after && expected.length > 0) later += 1;
            after = expected.at(-1);
            isMore = expected.length === limit;
            for (const { place, name, hours } of between.next().value ?? []) {
              await managerFor(tx).query(change, [ids[place], name, hours]);
            }
          }
          await managerFor(tx).query('rollback to savepoint unchanged');
        });
      }),
      { numRuns: 100 },
    );
    expect(later).toBeGreaterThan(50);
  });
});

/** Also to a time that others have. */
const change = `update item set name = $2 || substring(name from ' of .*'), updated_at = now() - $3 * interval '1 hour' where id = $1`;

/** A tree whose folders lie in folders of smaller numbers; reports lie in workbooks, too. */
const tree = `
  with recursive made as (
    select n, nextval(pg_get_serial_sequence('item', 'id')) as id,
      case when n % 4 = 1 then 'FOLDER' when n % 4 = 2 then 'WORKBOOK' else 'REPORT' end as type,
      case when n % 7 = 0 or n < 4 then null when n % 4 = 3 and n % 3 = 0 then n - 1 else ((n / 3) / 4) * 4 + 1 end as parent
    from generate_series(1, ${ITEMS}) n
  ), placed as (
    select n, id, type, null::bigint as parent_id, '{}'::bigint[] as path from made where parent is null
    union all
    select m.n, m.id, m.type, p.id, p.path || p.id from made m join placed p on m.parent = p.n
  )
  insert into item (id, tenant_id, deployment_id, type, name, parent_id, path, position, owner_id, embed_owner_id, embed_tenant_name,
    created_at, updated_at)
  overriding system value
  select id, ${TENANT}, case when n > ${ITEMS - 6} and parent_id is null then ${ELSEWHERE} else ${DEPLOYMENT} end, type,
    (array['Revenue', 'COSTS', 'Churn'])[1 + n % 3] || ' of ' || n, parent_id, path, case when type = 'FOLDER' then n end,
    case when n % 10 = 9 then null else (array[${OWNERS.join()}])[1 + n % 3] end,
    case when n % 10 = 9 then 31 end, case when n % 10 = 9 then 'acme' end,
    now() - (n % 13) * interval '1 hour', now() - (n % 5) * interval '1 hour'
  from placed order by id returning id`;

const rest = `
  with viewed as (
    insert into item_view (tenant_id, item_id, user_id, viewed_at)
    select ${TENANT}, id, ${OWNERS[0]}, now() - id * interval '1 minute' from unnest($1::bigint[]) t(id) where id % 3 = 0
  )
  insert into embed_share (tenant_id, deployment_id, item_id, embed_tenant_id, embed_tenant_name)
  select ${TENANT}, ${DEPLOYMENT}, i.id, 1, 'acme' from item i where i.id = any($1) and i.type <> 'REPORT' and i.id % 6 = 0`;
