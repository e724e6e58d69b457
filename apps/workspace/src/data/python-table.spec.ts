import { tableOf } from './python-table';

const known = [{ name: 'orders.count', title: 'Orders Count', type: 'number', format: 'currency' }];
const column = (name: string, type: string) => ({ name, title: name, type, format: null });

describe(tableOf, () => {
  it.each([
    ['nothing', null, { columns: [], rows: [] }],
    ['a value', 7, { columns: [column('value', 'number')], rows: [{ value: 7 }] }],
    ['an object', { a: true }, { columns: [column('a', 'boolean')], rows: [{ a: true }] }],
    ['values', ['x', null], { columns: [column('value', 'string')], rows: [{ value: 'x' }, { value: null }] }],
    ['lists', [[1]], { columns: [column('value', 'string')], rows: [{ value: [1] }] }],
    ['no rows', [], { columns: [], rows: [] }],
  ])('makes a table of %s', (_, result, table) => {
    expect(tableOf(result, known)).toEqual(table);
  });

  it('has the columns of all rows in their order, and those that the rows had before as they were', () => {
    const rows = [{ day: '2026-01-02' }, { day: '2026-01-02T10:00:00.000', 'orders.count': 'many' }, { n: null }];
    expect(tableOf(rows, known)).toEqual({
      columns: [column('day', 'time'), known[0], column('n', 'string')],
      rows,
    });
  });

  it('has no more than a thousand columns', () => {
    const row = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`c${index}`, index]));
    expect(tableOf([row], []).columns).toHaveLength(1_000);
  });
});
