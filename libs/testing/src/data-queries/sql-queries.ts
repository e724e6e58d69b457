import { comparableRows } from './comparable';
import { type OpenShop } from './open-shop';
import { refusedStatements, type sqlCases } from './sql-cases';

/** Statements of SQL, through the client and as the lines of JSON that it reads. */
export function describeSqlQueries(shop: () => OpenShop, cases: typeof sqlCases): void {
  describe('SQL over the data model', () => {
    it.each(refusedStatements)('refuses by name: %s', async (query, words) => {
      const reply = await shop().ask('cubesql', { query });
      expect(reply.status).toBe(200);
      expect(JSON.parse(await reply.text())).toMatchObject({ error: expect.stringContaining(words) });
    });

    it.each(cases)('$title', async ({ statement, sql }) => {
      const { schema, data } = await shop().api.cubeSql(statement);
      expect(comparableRows(data)).toEqual(await shop().database.rows(sql));
      for (const row of data) expect(row).toHaveLength(schema.length);
    });

    it('tells the types of the columns', async () => {
      const { schema } = await shop().api.cubeSql(
        `SELECT DATE_TRUNC('year', created_at) made, status, is_gift, id, MEASURE(count), MEASURE(completed_share)
         FROM orders WHERE id < 5 GROUP BY 1, 2, 3, 4`,
      );
      expect(schema.map(({ name, column_type }) => [name, column_type])).toEqual([
        ['made', 'Timestamp'],
        ['status', 'String'],
        ['is_gift', 'Boolean'],
        ['id', 'Double'],
        ['measure(orders.count)', 'Int64'],
        ['measure(orders.completed_share)', 'Double'],
      ]);
    });

    it('reads times without a zone in the zone of the request', async () => {
      const query = `SELECT MEASURE(count) FROM orders WHERE created_at >= '2024-07-01' AND created_at < '2024-07-02T00:00:00Z'`;
      const reply = await shop().ask('cubesql', { query, timezone: 'America/New_York' });
      const [, { data }] = (await reply.text())
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { data: string[][] }) as [object, { data: string[][] }];
      expect(comparableRows(data)).toEqual(
        await shop().database.rows(
          `select count(*) from orders where created_at >= '2024-07-01 04:00Z' and created_at < '2024-07-02Z'`,
        ),
      );
    });

    it('streams many rows in parts', async () => {
      const sizes: number[] = [];
      for await (const chunk of shop().api.cubeSqlStream('SELECT id, status FROM orders ORDER BY 1 LIMIT 10000')) {
        if (chunk.type === 'data') sizes.push(chunk.data.length);
      }
      expect(sizes.length).toBeGreaterThan(1);
    });

    it('shows the SQL that the source gets', async () => {
      const reply = await shop().ask('sql', {
        format: 'sql',
        query: `SELECT MEASURE(count) FROM orders WHERE status = 'shipped'`,
      });
      const { sql } = (await reply.json()) as { sql: { status: string; sql: [string, string[]] } };
      expect(sql).toMatchObject({ status: 'ok', sql: [expect.stringContaining('$1'), ['shipped']] });
    });

    it('converts a statement to a query of the REST API, or says why not', async () => {
      const convert = async (query: string): Promise<unknown> =>
        (await shop().ask('convert-query', { input: 'sql', output: 'rest', query })).json();
      expect(await convert('SELECT upper(status) FROM orders')).toEqual({
        status: 'error',
        error: expect.stringContaining('the function upper()'),
      });
      expect(await convert('SELECT status, MEASURE(count) FROM orders GROUP BY 1 LIMIT 5')).toMatchObject({
        status: 'ok',
        query: { measures: ['orders.count'], dimensions: ['orders.status'], limit: 5 },
      });
    });
  });
}
