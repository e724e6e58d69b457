import { type Filter, type Query } from '@cubejs-client/core';
import { comparable, comparableRows } from './comparable';
import { type OpenShop } from './open-shop';

const QUARTERS: Query = {
  measures: ['orders.count'],
  timeDimensions: [
    {
      dimension: 'orders.created_at',
      granularity: 'quarter',
      compareDateRange: [
        ['2024-01-01', '2024-06-30'],
        ['2025-01-01', '2025-06-30'],
      ],
    },
  ],
};

/** What the public client asks besides rows of one query. */
export function describeClientCalls(shop: () => OpenShop): void {
  describe('what is refused', () => {
    it('an unknown member is 400 with its name', async () => {
      await expect(shop().api.load({ measures: ['orders.nope'] })).rejects.toMatchObject({
        status: 400,
        message: expect.stringContaining('orders.nope'),
      });
    });

    it.each([
      ['with rows', []],
      ['without rows', [{ member: 'products.name', operator: 'equals', values: ['none'] }]],
    ])('a hidden member is named and not shown, %s', async (_, filters) => {
      const query = { dimensions: ['products.cost'], filters } as Query;
      await expect(shop().api.load(query)).rejects.toThrow(/hidden member: 'products.*cost'/);
    });

    it('a query that is none is 400', async () => {
      await expect(
        shop().api.load({ measures: ['orders.count'], limit: 'many' } as unknown as Query),
      ).rejects.toMatchObject({
        status: 400,
      });
    });
  });

  describe('several queries at once', () => {
    it.each(['default', 'compact', 'columnar'] as const)('periods are compared, %s', async (format) => {
      const result = await shop().api.load(QUARTERS, {}, undefined, format);
      const rows = result.decompose().flatMap((part) => part.rawData());
      const shown = rows.map((row) => [row['compareDateRange'], row['orders.created_at.quarter'], row['orders.count']]);
      expect(comparableRows(shown)).toEqual(
        await shop().database.rows(
          `select case when q < '2025-01-01' then '2024-01-01T00:00:00.000 - 2024-06-30T23:59:59.999'
              else '2025-01-01T00:00:00.000 - 2025-06-30T23:59:59.999' end, q, count(*)
           from orders, date_trunc('quarter', created_at at time zone 'UTC') q
           where extract(quarter from q) < 3 group by 2 order by 2`,
        ),
      );
      expect(result.chartPivot()).toHaveLength(2);
    });

    it('results of several cubes are put beside each other', async () => {
      const byYear = (measure: string, dimension: string, year: string): Query => ({
        measures: [measure],
        timeDimensions: [{ dimension, granularity: 'year', dateRange: [`${year}-01-01`, '2024-12-31'] }],
      });
      const result = await shop().api.load([
        byYear('orders.count', 'orders.created_at', '2024'),
        byYear('customers.count', 'customers.created_at', '2023'),
      ]);
      const [orders, customers] = result.decompose().map((part) => part.rawData());
      expect(orders?.[0]?.['time.year']).toBe('2024-01-01T00:00:00.000');
      expect(customers?.[0]?.['time.year']).toBe('2023-01-01T00:00:00.000');
      const [[ordersOf2024, customersOf2023]] = (await shop().database.rows(
        `select (select count(*) from orders where created_at < '2025-01-01Z'), (select count(*) from customers where created_at < '2024-01-01Z')`,
      )) as [[string, string]];
      expect(comparable(orders?.[0]?.['orders.count'])).toBe(ordersOf2024);
      expect(comparable(customers?.[0]?.['customers.count'])).toBe(customersOf2023);
    });

    it('the total counts rows beyond the limit', async () => {
      const result = await shop().api.load({ dimensions: ['customers.city'], limit: 3, total: true });
      expect(result.rawData()).toHaveLength(3);
      expect(result.totalRows()).toBe(10);
    });
  });

  describe('what else the client asks', () => {
    it('a query that takes long tells so until it has its rows', async () => {
      const { api, database } = shop();
      const release = await database.lock('products');
      let released: Promise<void> | undefined;
      const progressCallback = (): void => void (released ??= release());
      const filters: Filter[] = [{ member: 'products.name', operator: 'contains', values: ['Books'] }];
      try {
        const result = await api.load({ measures: ['products.count'], filters }, { progressCallback });
        expect(released).toBeDefined();
        expect(comparableRows(result.rawData().map((row) => Object.values(row)))).toEqual(
          await database.rows(`select count(*) from products where name like '%Books%'`),
        );
      } finally {
        await (released ?? release());
      }
    });

    it('values are numbers when the client casts them', async () => {
      const result = await shop().api.load({ measures: ['orders.count'] }, { castNumerics: true });
      expect(result.rawData()).toEqual([{ 'orders.count': 30_000 }]);
    });

    it('a time may be read without its granularity', async () => {
      const result = await shop().api.load({
        measures: ['orders.count'],
        timeDimensions: [{ dimension: 'orders.created_at', granularity: 'year' }],
      });
      expect(result.rawData().map((row) => row['orders.created_at'])).toEqual([
        '2024-01-01T00:00:00.000',
        '2025-01-01T00:00:00.000',
      ]);
    });

    it('the model, without what is hidden', async () => {
      const { api, moreCubes } = shop();
      const meta = await api.meta();
      const shown = ['customers', 'line_items', 'orders', 'products', 'sales', ...moreCubes];
      expect(meta.cubes.map(({ name }) => name).sort()).toEqual(shown.sort());
      expect(meta.cubes.flatMap(({ dimensions }) => dimensions.map(({ name }) => name))).not.toContain('products.cost');
      expect(meta.resolveMember('line_items.revenue', 'measures')).toMatchObject({ format: 'currency' });
    });

    it('the SQL of a query', async () => {
      const sql = await shop().api.sql({
        measures: ['orders.count'],
        filters: [{ member: 'orders.status', operator: 'equals', values: ['shipped'] }],
      });
      const [text, values] = sql.rawQuery().sql as unknown as [string, string[]];
      expect(text).toContain('$1');
      expect(values).toEqual(['shipped']);
    });

    it('what a query would be, without running it', async () => {
      const { queryType, pivotQuery } = await shop().api.dryRun(QUARTERS);
      expect(queryType).toBe('compareDateRangeQuery');
      expect(pivotQuery).toMatchObject({ measures: ['orders.count'] });
    });

    it('pivots and drill-downs', async () => {
      const result = await shop().api.load({ measures: ['orders.count'], dimensions: ['orders.status'] });
      expect(result.tablePivot()).toHaveLength(4);
      expect(result.drillDown({ xValues: ['shipped'], yValues: ['orders.count'] })).toMatchObject({
        dimensions: ['orders.id', 'orders.status', 'orders.created_at'],
        filters: expect.arrayContaining([expect.objectContaining({ values: ['shipped'] })]),
      });
    });
  });

  describe('GraphQL', () => {
    const asked = async (query: string): Promise<object> =>
      (await shop().ask('graphql', { query })).json() as Promise<object>;

    it('refuses a member that does not exist, with its name', async () => {
      expect(await asked('{ cube { orders { nope } } }')).toMatchObject({
        errors: [{ message: expect.stringContaining('nope') }],
      });
    });

    it('answers as SQL does', async () => {
      const reply = (await asked(
        '{ cube(where: { orders: { status: { notEquals: "shipped" } } }) { orders(orderBy: { status: asc }) { status count } } }',
      )) as { data: { cube: { orders: { status: string; count: number } }[] } };
      const rows = reply.data.cube.map(({ orders }) => [orders.status, orders.count]);
      expect(comparableRows(rows)).toEqual(
        await shop().database.rows(
          `select status, count(*) from orders where status <> 'shipped' group by 1 order by 1`,
        ),
      );
    });
  });
}
