import { converted, type SmallModel, type SmallTest } from '../testing/small-manifest';

const unique = (column: string, config: object = {}, model = 'orders'): SmallTest => ({
  model,
  column,
  name: 'unique',
  config,
});
const filled = (column: string, config: object = {}, model = 'orders'): SmallTest => ({
  model,
  column,
  name: 'not_null',
  config,
});
const both = (column: string): SmallTest[] => [unique(column), filled(column)];

function keysOf(
  model: Partial<SmallModel>,
  tests: SmallTest[] = [],
  options: object = {},
  others: SmallModel[] = [],
): string[] {
  const { file } = converted(
    { models: [{ name: 'orders', ...model }, ...others], tests },
    { keysFromNames: false, ...options },
  );
  const dimensions = file('orders').split('measures:')[0]?.split('- name: ') ?? [];
  return dimensions.filter((text) => text.includes('primary_key: true')).map((text) => text.split('\n')[0] as string);
}

describe('a primary key by constraints', () => {
  it('is none when one of its columns is not documented', () => {
    expect(keysOf({ columns: ['a'], constraints: [{ type: 'primary_key', columns: ['a', 'b'] }] })).toEqual([]);
  });

  it('may be of several columns', () => {
    expect(keysOf({ columns: ['a', 'b', 'c'], constraints: [{ type: 'primary_key', columns: ['a', 'B'] }] })).toEqual([
      'a',
      'b',
    ]);
  });

  it('may be declared at a column, and goes before tests', () => {
    const columns = [{ name: 'code', constraints: [{ type: 'primary_key' }] }, 'order_id'];
    expect(keysOf({ columns }, both('order_id'))).toEqual(['code']);
  });
});

describe('a primary key by tests', () => {
  it.each([
    ['unique alone', [unique('id')]],
    ['not_null alone', [filled('id')]],
    ['a warning', [unique('id', { severity: 'warn' }), filled('id')]],
    ['a part of the rows', [unique('id', { where: 'id > 3' }), filled('id')]],
    ['a relaxed limit', [unique('id', { error_if: '> 10' }), filled('id')]],
    ['a limit of the rows', [unique('id'), filled('id', { limit: 5 })]],
    ['a test that is off', [unique('id', { enabled: false }), filled('id')]],
    ['a column that is not documented', [unique('other'), filled('other')]],
    ['a test of another model', [{ ...unique('id'), attached_node: 'model.shop.x' }, filled('id')]],
  ])('is none by %s', (_what, tests) => {
    expect(keysOf({ columns: ['id'] }, tests)).toEqual([]);
  });

  it('is none when the option is off', () => {
    expect(keysOf({ columns: ['id'] }, both('id'), { keysFromTests: false })).toEqual([]);
  });

  it('is what both tests hold for, however the test quotes it', () => {
    expect(keysOf({ columns: ['ID', 'x'] }, [unique('"id"'), filled('Id')])).toEqual(['ID']);
  });

  it.each([
    [
      'the column that is named after the model',
      ['customer_id', 'order_id'],
      [...both('customer_id'), ...both('order_id')],
      ['order_id'],
    ],
    [
      'a column that is no foreign key',
      ['customer_id', 'code'],
      [
        ...both('customer_id'),
        ...both('code'),
        { model: 'orders', column: 'customer_id', name: 'relationships', to: ['customers', 'id'] } as SmallTest,
      ],
      ['code'],
    ],
  ])('is of several %s', (_what, columns, tests, expected) => {
    expect(keysOf({ columns }, tests, {}, [{ name: 'customers', columns: ['id'] }])).toEqual(expected);
  });

  it.each(['stg_orders', 'stg_shop__orders', 'fct_orders', 'dim_order'])('knows %s as a model of orders', (name) => {
    const tests = [...both('a_code'), ...both('order_key')].map((test) => ({ ...test, model: name }));
    const { file } = converted({ models: [{ name, columns: ['a_code', 'order_key'] }], tests });
    expect(file(name)).toMatch(/name: order_key\n.*\n.*\n\s+primary_key/);
  });
});

describe('a primary key by names', () => {
  const options = { keysFromNames: true };
  it.each([
    ['off', ['id'], { keysFromNames: false }, []],
    ['ambiguous', ['customer_id', 'store_id'], options, []],
    ['exact', ['x_id', 'id'], options, ['id']],
    ['that of the model', ['customer_id', 'order_id'], options, ['order_id']],
    ['the only one', ['ticket_id', 'name'], options, ['ticket_id']],
    ['of names of the project', ['ticket_sk', 'uid'], { ...options, keyNames: ['uid'] }, ['uid']],
    ['of suffixes of the project', ['ticket_sk', 'a_id'], { ...options, keySuffixes: ['_sk'] }, ['ticket_sk']],
  ])('is %s', (_what, columns, chosen, expected) => {
    expect(keysOf({ columns }, [], chosen)).toEqual(expected);
  });
});
