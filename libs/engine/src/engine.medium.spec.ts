import { createEmptyDatabase, type TestDatabase } from '@plinth/testing';
import { Client } from 'pg';
import { EngineUnderTest, tokenFor } from './testing/engine-under-test';

const ORDERS = `cube('orders', {
  sql: \`SELECT * FROM orders\`,
  dimensions: {
    id: { sql: 'id', type: 'number', primary_key: true },
    status: { sql: 'status', type: 'string' },
    at: { sql: 'at', type: 'time' },
  },
  measures: { count: { type: 'count' }, total: { sql: 'amount', type: 'sum' } },
})`;
const model = {
  'orders.js': ORDERS,
  'sales.yml': `views:\n  - name: sales\n    cubes:\n      - join_path: orders\n        includes: '*'\n`,
  'slow.yml': `cubes:\n  - name: slow\n    sql: SELECT pg_sleep(25) AS a\n    measures:\n      - { name: count, type: count }\n`,
};

let database: TestDatabase;
let admin: Client;
let engine: EngineUnderTest;
beforeAll(async () => {
  database = await createEmptyDatabase();
  admin = new Client({ connectionString: database.url });
  await admin.connect();
  await admin.query(`create table orders as
    select id, case when id % 3 = 0 then 'open' else 'done' end as status, id * 1.5 as amount,
      timestamp '2026-01-01' + id * interval '1 hour' as at
    from generate_series(1, 300) id`);
  engine = await EngineUnderTest.start({ model, database: database.url });
});
afterAll(async () => {
  await engine.stop();
  await admin.end();
  await database.drop();
});

const load = '/cubejs-api/v1/load';

describe('an engine refuses', () => {
  it('who has no token, or one that has run out', async () => {
    const expired = await tokenFor({}, '-1s');
    for (const token of ['', 'x', expired]) {
      const { status, body } = await engine.ask('/cubejs-api/v1/meta', { token });
      expect([status, typeof body.error]).toEqual([403, 'string']);
    }
  });

  it('unknown members, with their name', async () => {
    const { status, body } = await engine.load({ measures: ['orders.missing'] });
    expect([status, body.error]).toEqual([400, expect.stringContaining('orders.missing')]);
  });

  it('expressions as members, which would be code of its own process', async () => {
    const expression = JSON.stringify({
      cubeName: 'orders',
      alias: 'x',
      expr: { type: 'SqlFunction', cubeParams: [], sql: '1' },
    });
    const { status, body } = await engine.load({ measures: [expression] });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(body.error).toMatch(/xpressions/);
  });

  it('what it does not serve, and bodies that are too large', async () => {
    const answers = await Promise.all([
      engine.ask('/cubejs-system/v1/context'),
      engine.ask('/cubejs-api/v1/pre-aggregations/jobs', { body: {} }),
      engine.ask(load, { body: { query: { measures: ['x'.repeat(5 << 20)] } } }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 413]);
    expect(answers.map(({ body }) => typeof body.error)).toEqual(['string', 'string', 'string']);
  });
});

describe('an engine answers', () => {
  it('queries with rows, by POST and by GET', async () => {
    const query = { dimensions: ['orders.status'], measures: ['orders.count', 'orders.total'] };
    const posted = await engine.load(query);
    const got = await engine.ask(`${load}?query=${encodeURIComponent(JSON.stringify(query))}`);
    expect(posted.body.data).toEqual([
      { 'orders.status': 'done', 'orders.count': '200', 'orders.total': '45000.0' },
      { 'orders.status': 'open', 'orders.count': '100', 'orders.total': '22725.0' },
    ]);
    expect(got.body.data).toEqual(posted.body.data);
  });

  it('meta, sql, dry-run, cubesql, graphql and whether it is alive', async () => {
    const query = { measures: ['sales.count'] };
    const meta = await engine.ask('/cubejs-api/v1/meta');
    expect((meta.body as { cubes: { name: string }[] }).cubes.map(({ name }) => name).sort()).toEqual([
      'orders',
      'sales',
      'slow',
    ]);
    const sql = await engine.ask('/cubejs-api/v1/sql', { body: { query } });
    expect(JSON.stringify(sql.body)).toContain('orders AS');
    const dry = await engine.ask('/cubejs-api/v1/dry-run', { body: { query } });
    expect(dry.body).toMatchObject({ queryType: 'regularQuery' });
    const lines = await engine.ask('/cubejs-api/v1/cubesql', {
      body: { query: 'SELECT status, MEASURE(count) FROM orders GROUP BY 1 ORDER BY 1' },
    });
    expect(lines.text).toContain('[["done","200"],["open","100"]]');
    const graphql = await engine.ask('/cubejs-api/v1/graphql', {
      body: { query: '{ cube { orders { count } } }' },
    });
    expect(graphql.body.data).toEqual({ cube: [{ orders: { count: 300 } }] });
    const extended = await engine.ask('/cubejs-api/v1/meta?extended');
    expect(extended.status).toBe(200);
    expect((await engine.ask('/livez', { token: '' })).status).toBe(200);
    expect((await engine.ask('/readyz', { token: '' })).status).toBe(200);
  });

  it('and reports each query, with its rows, and whether the source was asked', async () => {
    const query = { dimensions: ['orders.at'], limit: 7 };
    engine.reports.length = 0;
    expect((await engine.load(query)).status).toBe(200);
    expect((await engine.load(query)).status).toBe(200);
    await engine.reported((report) => report.kind === 'query' && report.cached);
    expect(engine.reports.filter(({ kind }) => kind === 'query')).toEqual([
      { kind: 'query', route: 'load', durationMs: expect.any(Number), rows: 7, cached: false, failed: false },
      { kind: 'query', route: 'load', durationMs: expect.any(Number), rows: 7, cached: true, failed: false },
    ]);
  });
});
