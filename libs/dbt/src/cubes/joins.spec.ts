import { converted, type SmallModel, type SmallTest } from '../testing/small-manifest';

const customers: SmallModel = { name: 'customers', columns: ['customer_id'] };
const orders: SmallModel = { name: 'orders', columns: ['order_id', 'customer_id', 'payer_id', 'store_id'] };
const link = (column: string, to: [string, string], rest: Partial<SmallTest> = {}): SmallTest => ({
  model: 'orders',
  column,
  name: 'relationships',
  to,
  ...rest,
});
const toCustomer = link('customer_id', ['customers', 'customer_id']);

describe('what is no join', () => {
  it.each<[string, SmallModel[], SmallTest, string]>([
    ['to a seed', [orders], link('store_id', ['seed.shop.stores', 'id']), 'the target has no cube'],
    ['to itself', [orders], link('order_id', ['orders', 'order_id']), 'a cube cannot join itself'],
    [
      'to an ephemeral model',
      [orders, { ...customers, config: { materialized: 'ephemeral' } }],
      toCustomer,
      'the target has no cube',
    ],
    [
      'of a cube without a key',
      [{ name: 'orders', columns: ['customer_id'] }, customers],
      toCustomer,
      'dbt_orders has no primary key',
    ],
    [
      'over an expression',
      [orders, customers],
      link('lower(name)', ['customers', 'customer_id']),
      'its columns are not documented',
    ],
  ])('is told with its reason, and the rest is there: %s', (_what, models, test, reason) => {
    const { joins, skipped, cubes } = converted({ models, tests: [test] });
    expect(joins).toBe(0);
    expect(cubes).toBeGreaterThan(0);
    expect(skipped.find(({ what }) => what.startsWith('join'))?.reason).toContain(reason);
  });

  it('is a second one between the same cubes; the first is that of the first column', () => {
    const second = link('payer_id', ['customers', 'customer_id']);
    const { joins, skipped, file } = converted({ models: [orders, customers], tests: [second, toCustomer] });
    expect(joins).toBe(1);
    expect(file('orders')).toContain('{CUBE}.customer_id = {dbt_customers}.customer_id');
    expect(skipped).toContainEqual({
      what: expect.stringContaining('payer_id') as string,
      reason: 'there is another one already',
    });
  });

  it.each([
    ['of several columns', { columns: ['a', 'b'], to: "ref('customers')", to_columns: ['a', 'b'] }],
    ['to what is no model', { columns: ['customer_id'], to: 'a.b.c', to_columns: ['x'] }],
    ['without a target', { columns: ['customer_id'], expression: 'x (y)' }],
  ])('is a foreign key %s', (_what, constraint) => {
    const model = { ...orders, constraints: [{ type: 'foreign_key', ...constraint }] };
    const { joins, skipped } = converted({ models: [model, customers] });
    expect(joins).toBe(0);
    expect(skipped.map(({ what }) => what)).toEqual([expect.stringContaining('foreign key of dbt_orders')]);
  });

  it('is one while the option is off', () => {
    expect(converted({ models: [orders, customers], tests: [toCustomer] }, { joins: false }).joins).toBe(0);
  });
});

describe('a join', () => {
  it('goes from the cube that is tested, whatever the order in which dbt names both', () => {
    const turned = { ...toCustomer, depends_on: { nodes: ['model.shop.customers', 'model.shop.orders'] } };
    for (const test of [toCustomer, turned]) {
      const { file } = converted({ models: [orders, customers], tests: [test] });
      expect(file('orders')).toContain('name: dbt_customers');
      expect(file('customers')).not.toContain('joins:');
    }
  });

  it('makes the key of a cube that has none, also of a column that nobody documented', () => {
    const test = link('customer_id', ['customers', 'code']);
    const { file } = converted({ models: [orders, { name: 'customers' }], tests: [test] });
    expect(file('customers')).toMatch(/name: code\n.*\n.*\n\s+primary_key: true\n\s+public: false/);
  });

  it.each([
    ['the text of a reference', "ref('customers')"],
    ['a reference with its package', "ref('shop', 'customers')"],
    ['the table that dbt resolved', '"warehouse"."shop"."customers"'],
  ])('is a foreign key, whose target is %s', (_what, to) => {
    const columns = [
      'order_id',
      { name: 'customer_id', constraints: [{ type: 'foreign_key', to, to_columns: ['customer_id'] }] },
    ];
    expect(converted({ models: [{ name: 'orders', columns }, customers] }).joins).toBe(1);
  });

  it('has its counterpart when reverse joins are on', () => {
    const { joins, file } = converted({ models: [orders, customers], tests: [toCustomer] }, { reverseJoins: true });
    expect(joins).toBe(2);
    expect(file('customers')).toContain(
      'sql: "{dbt_orders}.customer_id = {CUBE}.customer_id"\n        relationship: one_to_many',
    );
  });
});
