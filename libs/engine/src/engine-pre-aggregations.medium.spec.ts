import { until } from '@plinth/testing';
import type { EngineReport } from './protocol';
import { EngineSuite } from './testing/engine-suite';
import type { EngineSettings, EngineUnderTest } from './testing/engine-under-test';

const model = {
  'orders.yml': `cubes:
  - name: orders
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
`,
};
const query = { measures: ['orders.count'], dimensions: ['orders.status'], order: { 'orders.status': 'asc' } };

let suite: EngineSuite;
const start = (settings: Partial<EngineSettings> = {}) => suite.start(settings);
beforeAll(async () => {
  suite = await EngineSuite.open(
    model,
    `create table public.orders as
      select case when id % 2 = 0 then 'open' else 'done' end as status, timestamp '2026-01-01' + id * interval '1 hour' as at
      from generate_series(1, 100) id`,
  );
});
afterAll(() => suite.close());

const loaded = (engine: EngineUnderTest) =>
  until(
    'rows',
    () => engine.load(query),
    ({ body }) => body.error !== 'Continue wait',
  );

describe('a pre-aggregation', () => {
  it('is kept in the database of the data, where the model asks for it, and answers from there', async () => {
    const { body } = await loaded(await start({ variables: { CUBEJS_PRE_AGGREGATIONS_SCHEMA: 'kept' } }));
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
    await suite.admin.query(`do $$ begin if not exists (select from pg_roles where rolname = 'engine_reader') then
      create role engine_reader login password 'reader-password'; end if; end $$`);
    await suite.admin.query('grant select on public.orders to engine_reader');
    const engine = await start({
      variables: {
        CUBEJS_DB_USER: 'engine_reader',
        CUBEJS_DB_PASS: 'reader-password',
        CUBEJS_PRE_AGGREGATIONS_SCHEMA: 'refused',
      },
    });
    const { status, body } = await loaded(engine);
    expect([status, body.error]).toEqual([400, expect.stringMatching(/permission denied/)]);
  });
});

describe('an engine that is started again', () => {
  it('takes what another made of YAML files, and makes no more of them', async () => {
    const first = await start();
    const made = first.reports.find((report) => report.kind === 'transpiled') as Extract<
      EngineReport,
      { kind: 'transpiled' }
    >;
    expect(made.transpiled).toHaveLength(1);
    const second = await start({ transpiled: made.transpiled });
    expect(second.reports.map(({ kind }) => kind)).not.toContain('transpiled');
    expect((await second.ask('/cubejs-api/v1/meta')).status).toBe(200);
  });
});

describe('results', () => {
  it('are cut at the limit of rows, unless a query asks for more, up to another limit', async () => {
    const many = {
      'many.yml': `cubes:\n  - name: many\n    sql: select generate_series(1, 100) as a\n    dimensions:\n      - { name: a, sql: a, type: number }\n`,
    };
    const engine = await start({ model: many, limits: { defaultRows: 10, maxRows: 20 } });
    const rows = async (limit?: number) => {
      const { status, body } = await engine.load({ dimensions: ['many.a'], ...(limit !== undefined && { limit }) });
      return Array.isArray(body.data) ? body.data.length : [status, body.error];
    };
    expect([await rows(), await rows(15)]).toEqual([10, 15]);
    expect(await rows(21)).toEqual([400, 'The query limit has been exceeded.']);
  });

  it('are remembered up to a number of bytes', async () => {
    const wide = {
      'wide.yml': `cubes:\n  - name: wide\n    sql: select a, repeat('x', 1000) as b from generate_series(1, 1000) a\n    dimensions:\n      - { name: a, sql: a, type: number }\n      - { name: b, sql: b, type: string }\n`,
    };
    const engine = await start({ model: wide, limits: { cacheBytes: 3 << 20 } });
    const query = (offset: number) => engine.load({ dimensions: ['wide.a', 'wide.b'], offset });
    for (const offset of [0, 1, 2, 3, 4, 1]) expect((await query(offset)).status).toBe(200);
    await engine.reported(() => engine.reports.filter(({ kind }) => kind === 'query').length === 6);
    const cached = engine.reports.flatMap((report) => (report.kind === 'query' ? [report.cached] : []));
    expect(cached).toEqual([false, false, false, false, false, false]);
    expect((await query(4)).status).toBe(200);
  });
});

describe('somebody who asks much', () => {
  it('keeps nobody else from a turn at the source', async () => {
    const slow = {
      'slow.yml': `cubes:\n  - name: slow\n    sql: select pg_sleep(0.3) as a\n    dimensions:\n      - { name: a, sql: a, type: string }\n    measures:\n      - { name: count, type: count }\n`,
    };
    const engine = await start({ model: slow, limits: { concurrency: 1 } });
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
