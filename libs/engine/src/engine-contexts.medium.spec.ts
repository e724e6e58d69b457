import { createEmptyDatabase, type TestDatabase } from '@plinth/testing';
import { Client } from 'pg';
import { EngineUnderTest } from './testing/engine-under-test';

const HELLO = {
  sql: 'SELECT * FROM orders',
  dimensions: `id: { sql: 'id', type: 'number', primary_key: true }, city: { sql: 'city', type: 'string' }, secret: { sql: 'secret', type: 'string' }`,
};
const cube = (name: string, rest: string, sql = HELLO.sql) =>
  `cube('${name}', { sql: \`${sql}\`, dimensions: { ${HELLO.dimensions} }, measures: { count: { type: 'count' } }, ${rest} });\n`;
const model = {
  'plain.js': cube('plain', ''),
  'policies.js': cube(
    'guarded',
    `access_policy: [
      { group: 'sales', member_level: { excludes: ['secret'] },
        row_level: { filters: [{ member: 'city', operator: 'equals', values: [securityContext.cubeCloud.userAttributes.city] }] } },
      { group: 'bosses' },
    ]`,
  ),
  'context.js': cube(
    'filtered',
    '',
    "SELECT * FROM orders WHERE \${SECURITY_CONTEXT.cubeCloud.userAttributes.city.filter('city')}",
  ),
};
/** Which is compiled for each of its users. */
const personal = {
  'personal.js': `cube('personal', {
    sql: \`SELECT * FROM orders WHERE city = '\${COMPILE_CONTEXT.securityContext.cubeCloud?.userAttributes?.city ?? 'none'}'\`,
    measures: { count: { type: 'count' } } });\n`,
};
/** As the engine's SQL interface has them. */
const EXPRESSION = JSON.stringify({
  cubeName: 'a',
  alias: 'x',
  expr: { type: 'SqlFunction', cubeParams: [], sql: '1' },
});
const configuration = `module.exports = {
  queryRewrite: async (query, { securityContext }) => {
    const { username } = securityContext.cubeCloud;
    if (username === 'nobody') throw new Error('You may not ask at all');
    if (username === 'smuggler') return { ...query, measures: [${JSON.stringify(EXPRESSION)}] };
    if (JSON.stringify(query).includes('plain.'))
      query.filters.push({ member: 'plain.city', operator: 'equals', values: [securityContext.cubeCloud.userAttributes.city] });
    return query;
  },
  checkAuth: () => undefined,
};`;
const person = (username: string, city: string, ...groups: string[]) => ({
  cubeCloud: { username, groups, userAttributes: { city } },
});
const ann = person('ann', 'Bonn', 'sales');
const bob = person('bob', 'Rome', 'sales');
const boss = person('boss', 'Oslo', 'bosses');
const nobody = person('nobody', 'Bonn');

let database: TestDatabase;
let engine: EngineUnderTest;
beforeAll(async () => {
  database = await createEmptyDatabase();
  const admin = new Client({ connectionString: database.url });
  await admin.connect();
  await admin.query(`create table orders (id int, city text, secret text);
    insert into orders values (1, 'Bonn', 'x'), (2, 'Rome', 'y'), (3, 'Rome', 'z'), (4, 'Oslo', 'w')`);
  await admin.end();
  engine = await EngineUnderTest.start({ model, configuration, database: database.url });
});
afterAll(async () => {
  await engine.stop();
  await database.drop();
});

const count = async (cubeName: string, context: object, from = engine) => {
  const { body } = await from.load({ measures: [`${cubeName}.count`] }, { ...context });
  return (body.data as Record<string, string>[] | undefined)?.[0]?.[`${cubeName}.count`] ?? body.error;
};

describe('two users of one engine see their own rows', () => {
  it.each([
    ['by an access policy', 'guarded'],
    ['by a filter in the SQL of a cube', 'filtered'],
    ['by the configuration, which rewrites queries', 'plain'],
  ])('%s', async (_, name) => {
    const asked = [ann, bob, ann, bob].map((who) => count(name, who));
    expect(await Promise.all(asked)).toEqual(['1', '2', '1', '2']);
  });

  it('whatever the body of a request says of who asks', async () => {
    const query = { measures: ['guarded.count'] };
    const { body } = await engine.ask('/cubejs-api/v1/load', {
      body: { query, securityContext: bob, context: { securityContext: bob } },
      context: ann,
    });
    expect(body.data).toEqual([{ 'guarded.count': '1' }]);
  });

  it('by a model that is compiled for each of them', async () => {
    const own = await EngineUnderTest.start({ model: personal, database: database.url });
    const asked = [ann, bob, ann, bob].map((who) => count('personal', who, own));
    expect(await Promise.all(asked)).toEqual(['1', '2', '1', '2']);
    await own.stop();
  });

  it('also over SQL and GraphQL', async () => {
    for (const [who, rows] of [
      [ann, '1'],
      [bob, '2'],
    ] as const) {
      const sql = await engine.ask('/cubejs-api/v1/cubesql', {
        body: { query: 'SELECT MEASURE(count) FROM guarded' },
        context: who,
      });
      expect(sql.text).toContain(`[["${rows}"]]`);
      const graphql = await engine.ask('/cubejs-api/v1/graphql', {
        body: { query: '{ cube { guarded { count } } }' },
        context: who,
      });
      expect(graphql.body.data).toEqual({ cube: [{ guarded: { count: Number(rows) } }] });
    }
  });
});

describe('an access policy', () => {
  it('shows nothing to who is in none of its groups', async () => {
    for (const member of ['count', 'city']) {
      const asked = member === 'count' ? { measures: ['guarded.count'] } : { dimensions: ['guarded.city'] };
      const { status, body } = await engine.load(asked, person('carl', 'Bonn'));
      expect([status, body.error]).toEqual([
        400,
        expect.stringMatching(new RegExp(`hidden member: 'guarded(?:__|\\.)${member}'`)),
      ]);
    }
  });

  it('lets everything through where it has no filter', async () => {
    expect(await count('guarded', boss)).toBe('4');
  });

  it('hides members from some, in meta and in queries, and shows them to others', async () => {
    const seen = async (who: object) => {
      const { text } = await engine.ask('/cubejs-api/v1/meta', { context: { ...who } });
      return text.includes('guarded.secret');
    };
    expect([await seen(ann), await seen(boss)]).toEqual([false, true]);
    const query = { dimensions: ['guarded.secret'] };
    expect((await engine.load(query, ann)).body.data ?? []).toEqual([]);
    expect((await engine.load(query, boss)).body.data).toHaveLength(4);
  });
});

describe('the configuration', () => {
  it('refuses a query with its own words', async () => {
    expect(await count('plain', nobody)).toBe('You may not ask at all');
  });

  it('is told what of it has no effect', () => {
    const lines = engine.reports.flatMap((report) => (report.kind === 'log' ? [report.message] : []));
    expect(lines).toContain('cube.js: `checkAuth` has no effect here');
  });

  it('brings no expressions in, which would be code of the engine', async () => {
    expect(await count('plain', person('smuggler', 'Bonn'))).toBe('A query may name members, and no expressions');
  });
});
