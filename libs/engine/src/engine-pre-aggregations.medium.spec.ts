import { until } from '@plinth/testing';
import type { EngineReport } from './protocol';
import { EngineSuite } from './testing/engine-suite';
import type { EngineUnderTest } from './testing/engine-under-test';
import { withHostedModel } from './testing/hosted-model';

const orders = (name: string, dataSource: string) => `cubes:
  - name: ${name}
    data_source: ${dataSource}
    sql_table: public.orders
    dimensions:
      - { name: status, sql: status, type: string }
      - { name: at, sql: at, type: time }
    measures:
      - { name: count, type: count }
    pre_aggregations:
      - name: daily
        measures: [count]
        dimensions: [status]
        time_dimension: at
        granularity: day
        external: false
        refresh_key: { every: 1 hour }
`;
const model = {
  'orders.yml': orders('orders', 'default'),
  'read.yml': orders('read', 'reader'),
  'many.yml': `cubes:
  - name: many
    sql: select generate_series(1, 100) as a
    dimensions:
      - { name: a, sql: a, type: number }
`,
  'wide.yml': `cubes:
  - name: wide
    sql: select a, repeat('x', 100000) as b from generate_series(1, 20) a
    dimensions:
      - { name: a, sql: a, type: number }
      - { name: b, sql: b, type: string }
`,
  'slow.yml': `cubes:
  - name: slow
    sql: select pg_sleep(0.3) as a
    measures:
      - { name: count, type: count }
`,
};
const queryOf = (name: string) => ({
  measures: [`${name}.count`],
  dimensions: [`${name}.status`],
  order: { [`${name}.status`]: 'asc' },
});

let suite: EngineSuite;
let engine: EngineUnderTest;
beforeAll(async () => {
  suite = await EngineSuite.open(
    model,
    `create table public.orders as
      select case when id % 2 = 0 then 'open' else 'done' end as status, timestamp '2026-01-01' + id * interval '1 hour' as at
      from generate_series(1, 100) id`,
  );
  await suite.admin.query(`do $$ begin if not exists (select from pg_roles where rolname = 'engine_reader') then
    create role engine_reader login password 'reader-password'; end if; end $$`);
  await suite.admin.query('grant select on public.orders to engine_reader');
  const { hostname, port, pathname } = new URL(suite.url);
  engine = await suite.start({
    limits: { defaultRows: 10, maxRows: 20, cacheBytes: 3 << 20, concurrency: 1 },
    variables: {
      CUBEJS_PRE_AGGREGATIONS_SCHEMA: 'kept',
      CUBEJS_DATASOURCES: 'default,reader',
      ...{ CUBEJS_DS_READER_DB_TYPE: 'postgres', CUBEJS_DS_READER_DB_HOST: hostname, CUBEJS_DS_READER_DB_PORT: port },
      ...{ CUBEJS_DS_READER_DB_USER: 'engine_reader', CUBEJS_DS_READER_DB_PASS: 'reader-password' },
      CUBEJS_DS_READER_DB_NAME: pathname.slice(1),
    },
  });
});
afterAll(() => suite.close());

const loaded = (name: string) =>
  until(
    'rows',
    () => engine.load(queryOf(name)),
    ({ body }) => body.error !== 'Continue wait',
  );

describe('a pre-aggregation', () => {
  it('is kept in the database of the data, where the model asks for it, and answers from there', async () => {
    const { body } = await loaded('orders');
    expect(body.data).toEqual([
      { 'orders.status': 'done', 'orders.count': '50' },
      { 'orders.status': 'open', 'orders.count': '50' },
    ]);
    expect(Object.keys(body['usedPreAggregations'] as object)).toEqual(['kept.orders_daily']);
    const { rows } = await suite.admin.query(
      `select table_name from information_schema.tables where table_schema = 'kept'`,
    );
    expect(rows).toHaveLength(1);
  });

  it('that may not be written fails with what the database says', async () => {
    const { status, body } = await loaded('read');
    expect([status, body.error]).toEqual([400, expect.stringMatching(/permission denied/)]);
  });
});

describe('an engine that is started again', () => {
  it('takes what another made of YAML files, and makes no more of them', async () => {
    const made = engine.reports.find((report) => report.kind === 'transpiled') as Extract<
      EngineReport,
      { kind: 'transpiled' }
    >;
    expect(made.transpiled).toHaveLength(Object.keys(model).length);
    const databases = { default: 'postgres', reader: 'postgres' };
    await withHostedModel({ model, databases, transpiled: made.transpiled }, async (host, { transpiled }) => {
      expect(transpiled).toEqual([]);
      const meta = await host.call('metaConfig', { securityContext: {} }, {});
      expect(meta).toHaveLength(Object.keys(model).length);
    });
  });
});

describe('results', () => {
  it('are cut at the limit of rows, unless a query asks for more, up to another limit', async () => {
    const rows = async (limit?: number) => {
      const { status, body } = await engine.load({ dimensions: ['many.a'], ...(limit !== undefined && { limit }) });
      return Array.isArray(body.data) ? body.data.length : [status, body.error];
    };
    expect([await rows(), await rows(15)]).toEqual([10, 15]);
    expect(await rows(21)).toEqual([400, 'The query limit has been exceeded.']);
  });

  it('are remembered up to a number of bytes', async () => {
    const limit = 9;
    const query = (offset: number) => engine.load({ dimensions: ['wide.a', 'wide.b'], limit, offset });
    const cached = () =>
      engine.reports.flatMap((report) => (report.kind === 'query' && report.rows === limit ? [report.cached] : []));
    for (const offset of [0, 1, 2, 3, 4, 1, 1]) expect((await query(offset)).status).toBe(200);
    await engine.reported(() => cached().length === 7);
    expect(cached()).toEqual([false, false, false, false, false, false, true]);
  });
});

describe('somebody who asks much', () => {
  it('keeps nobody else from a turn at the source', async () => {
    const ended: string[] = [];
    const ask = (user: string, offset: number) =>
      engine.load({ measures: ['slow.count'], offset }, { user }).then(() => ended.push(user));
    const many = Array.from({ length: 12 }, (_, index) => ask('much', index + 1));
    await suite.runs('pg_sleep', 1);
    await ask('little', 100);
    expect(ended.filter((user) => user === 'much').length).toBeLessThan(6);
    await Promise.all(many);
  });
});
