import { join } from 'node:path';
import { runChild } from '@plinth/testing';
import fc from 'fast-check';

interface Phases {
  errors: boolean;
  scripts?: string[];
}
interface Told {
  wanted: Phases;
  found: Phases;
  quick: boolean;
}

const names = {
  cubeNames: ['orders', 'users', 'base'],
  cubeSymbols: { orders: { id: true, amount: true, sql: true }, users: { id: true }, base: { id: true } },
};

async function tell(files: readonly string[]): Promise<Told[]> {
  const { output } = await runChild(join(__dirname, 'testing/transpile-yaml.child.ts'), { files, names });
  return JSON.parse(output.split('\n').at(-1) ?? '') as Told[];
}

const cube = (...lines: string[]): string =>
  ['cubes:', '  - name: orders', ...lines.map((line) => `    ${line}`)].join('\n');
const dimension = (fields: string): string =>
  cube('sql_table: orders', `dimensions: [{ name: id, type: number, ${fields} }]`);

/** Files that are looked through as the compiler does it, with the reason. */
const INTRICATE: Record<string, string> = {
  'an expression': dimension('sql: "{id + 1}"'),
  'a call': dimension(`sql: "{FILTER_PARAMS.orders.id.filter('x')}"`),
  'a word of JavaScript': dimension('sql: "{this} {new}"'),
  'the context of users': dimension('sql: "{SECURITY_CONTEXT.cubeCloud.user_attributes.a}"'),
  'groups of users': dimension('sql: "{groups}"'),
  'a context that is gone': dimension('title: "{a.USER_CONTEXT}", sql: id'),
  'a key with the word extends': cube('dimensions: [{ name: valid_extends_to, sql: id, type: number }]'),
  'a field of code in meta': dimension('sql: id, meta: { sql: { a: 1 } }'),
  'a field of code that is none': dimension('sql: 1'),
  'groups of views': 'view_groups: [{ name: all, includes: [orders] }]',
};

const ORDINARY: Record<string, string> = {
  'names and plain texts': cube(
    `sql_table: '"shop"."orders"'`,
    'description: "Costs $5 & more: \\\\x7bbraces\\\\x7d"',
    'joins: [{ name: users, relationship: many_to_one, sql: "{CUBE}.user_id = {users.id}" }]',
    'dimensions: [{ name: id, sql: "{CUBE}.\\"ID\\"", type: number, primary_key: true, public: false }]',
    'measures: [{ name: total, sql: "{CUBE.amount} / {nobody}", type: sum, filters: [{ sql: "{id} > 0" }] }]',
    'segments: [{ name: paid, sql: "{CUBE}.state = \'paid\'" }]',
  ),
  'what another cube has': cube('extends: base', 'sql_alias: x', 'meta: { owner: me, tags: [a, 1, true, null] }'),
  'lists of members': cube(
    'sql: select 1 as id',
    'measures: [{ name: count, type: count, drill_members: [id, users.id, CUBE.amount] }]',
    'pre_aggregations: [{ name: main, measures: [CUBE.count], time_dimension: CUBE.at, granularity: day }]',
    'hierarchies: [{ name: h, levels: [id, users.id] }]',
  ),
  'a text of several lines': cube('sql: |', '  select *', '  from a', '  where x = {id}'),
  views:
    'views: [{ name: v, cubes: [{ join_path: orders.users, includes: "*", prefix: true }, { join_path: base, includes: [id] }] }]',
  policies: cube(
    'access_policy: [{ role: admin, row_level: { filters: [{ member: id, operator: equals, values: ["1", b] }] } }]',
  ),
};

describe('a file of YAML', () => {
  it('is looked through where it is more than names and plain texts', async () => {
    const told = await tell(Object.values(INTRICATE));
    expect(told.map(({ quick }) => quick)).toEqual(told.map(() => false));
    expect(told.map(({ found }) => found)).toEqual(told.map(({ wanted }) => wanted));
  });

  it('is not looked through again where it is not, and comes to the same', async () => {
    const told = await tell(Object.values(ORDINARY));
    expect(told.map(({ found }) => found)).toEqual(told.map(({ wanted }) => wanted));
    expect(told.map(({ wanted }) => wanted.errors)).toEqual(told.map(() => false));
    const quick = Object.keys(ORDINARY).filter((_, index) => told[index]?.quick);
    expect(quick).toEqual(Object.keys(ORDINARY));
  });

  it('comes to the same whatever is in it', async () => {
    const word = fc.constantFrom(
      'id',
      'users',
      'orders.id',
      'CUBE',
      '{CUBE}.id',
      '{users.id} x',
      '{base}',
      '{not}',
      '{x y}',
      'a {1}',
      '*',
    );
    const odd = fc.constantFrom(
      'true',
      '1',
      '-1',
      'null',
      '""',
      '[]',
      '{}',
      '[id, users]',
      '[[id]]',
      '{ sql: id }',
      '{ a: { sql: id } }',
      '"a\\nb"',
      '"`"',
    );
    const value = fc.oneof(
      { weight: 3, arbitrary: word.map((text) => JSON.stringify(text)) },
      { weight: 1, arbitrary: odd },
    );
    const key = fc.constantFrom(
      ...[
        'sql',
        'title',
        'drill_members',
        'extends',
        'extended',
        'it_extends',
        'includes',
        'key',
        'time_dimension',
        'meta',
        'filters',
      ],
      ...[
        'joins',
        'case',
        'order_by',
        'public',
        'prefix',
        'mask',
        'views',
        'columns',
        'levels',
        'toString',
        'a.b',
        'values',
      ],
    );
    const fields = fc
      .dictionary(key, value, { maxKeys: 3 })
      .map((all) => Object.entries(all).map(([name, text]) => `"${name}": ${text}`));
    const member = fields.map((list) => `{ ${['name: m', ...list].join(', ')} }`);
    const kind = fc.constantFrom(
      'measures',
      'dimensions',
      'segments',
      'pre_aggregations',
      'joins',
      'hierarchies',
      'access_policy',
      'folders',
      'meta',
    );
    const file = fc
      .tuple(fc.constantFrom('cubes', 'views'), fields, kind, member)
      .map(([what, top, list, one]) => `${what}: [{ name: orders, ${[...top, `${list}: [${one}]`].join(', ')} }]`);
    const files = fc.sample(file, 300);
    const told = await tell(files);
    expect(
      told.flatMap(({ wanted, found }, index) =>
        JSON.stringify(wanted) === JSON.stringify(found) ? [] : [{ file: files[index], wanted, found }],
      ),
    ).toEqual([]);
    expect(told.filter(({ quick }) => quick).length).toBeGreaterThan(10);
    expect(told.filter(({ quick, wanted }) => !quick && !wanted.errors).length).toBeGreaterThan(10);
  });
});
