import { type Cube } from './model';
import { translate, type RestQuery } from './translate';

const cubes: Cube[] = [
  {
    name: 'Orders',
    measures: [
      { name: 'Orders.count', type: 'number', aggType: 'count' },
      { name: 'Orders.total', type: 'number', aggType: 'sum', format: 'currency', currency: 'EUR' },
      { name: 'Orders.buyers', type: 'number', aggType: 'countDistinct' },
    ],
    dimensions: [
      { name: 'Orders.id', type: 'number' },
      { name: 'Orders.status', type: 'string' },
      { name: 'Orders.gift', type: 'boolean' },
      { name: 'Orders.made', type: 'time' },
    ],
    segments: [{ name: 'Orders.open' }],
  },
  { name: 'Notes', measures: [], dimensions: [{ name: 'Notes.text', type: 'string' }], segments: [] },
];
const clock = { now: new Date('2024-08-15T13:14:15Z'), timezone: 'UTC' };
const query = (sql: string): RestQuery => translate(sql, cubes, clock).query;
const filters = (where: string): unknown => query(`SELECT count FROM orders WHERE ${where}`).filters;
const status = (operator: string, ...values: string[]): object => ({ member: 'Orders.status', operator, values });
const isSet = { member: 'Orders.status', operator: 'set' };

describe('a statement that is refused', () => {
  it.each([
    ['SELECT text, COUNT(*) FROM notes GROUP BY 1', 'COUNT(*) of a cube without a measure of type count'],
    ['SELECT text() FROM notes', 'the function text()'],
    ['SELECT constructor(text) FROM notes', 'the function constructor()'],
    ['SELECT MEASURE(status) FROM orders', 'MEASURE(Orders.status): it is no measure'],
    ['SELECT MEASURE() FROM orders', 'MEASURE() of anything but a measure'],
    ['SELECT SUM() FROM orders', 'sum() without an argument'],
    ['SELECT AVG(status) FROM orders', 'avg() of a dimension'],
    ['SELECT SUM(total) FILTER (WHERE id = 1) FROM orders', 'sum() with FILTER'],
    ["SELECT DATE_TRUNC('day', status) FROM orders", 'DATE_TRUNC of anything but a time dimension'],
    ['SELECT open FROM orders', 'the segment Orders.open in place of a column'],
    ['SELECT DISTINCT ON (status) status FROM orders', 'DISTINCT ON'],
    ['SELECT status FROM orders GROUP BY 7', 'column 7: there is none'],
    ['SELECT status FROM orders GROUP BY 1, count', 'GROUP BY the measure Orders.count'],
    ['SELECT status FROM generate_series(1, 2)', 'a function in FROM'],
    ['SELECT status FROM orders FOR UPDATE', 'FOR UPDATE'],
    ['SELECT status FROM orders LIMIT $1', 'LIMIT of anything but a whole number'],
    ['SELECT (SELECT 1) FROM orders', 'a subquery'],
    ['SELECT status FROM orders GROUP BY 1 HAVING status = 1', 'the dimension Orders.status in HAVING; use WHERE'],
    ['SELECT count FROM orders WHERE status', 'Orders.status in place of a condition: it is no boolean'],
    ["SELECT count FROM orders WHERE status ~ 'a'", 'the operator ~ in WHERE'],
    ["SELECT count FROM orders WHERE DATE_TRUNC('day', made) = '2024-01-01'", 'DATE_TRUNC of a member in a condition'],
    ['SELECT count FROM orders WHERE status IN (NULL)', 'NULL in a list of values'],
    ['SELECT count FROM orders WHERE status LIKE 5', 'LIKE of anything but a text'],
    ["SELECT count FROM orders WHERE status LIKE 'a'", 'LIKE without % at an end; use ='],
    ['SELECT count FROM orders WHERE status = now()', 'a time for Orders.status, which is a string'],
    ['SELECT count FROM orders WHERE made > 5', '5 for the time Orders.made'],
    ['SELECT count FROM orders WHERE made > now() - 5', '- of a time and anything but an interval'],
    ['SELECT count FROM orders WHERE open OR id = 1', 'the segment Orders.open in OR or NOT'],
  ])('%s', (sql, words) => {
    expect(() => query(sql)).toThrow(words);
  });

  it('is one that is too long to be read', () => {
    expect(() => query(`SELECT count FROM orders WHERE status = '${'a'.repeat(16_384)}'`)).toThrow('longer than 16384');
  });
});

describe('a statement becomes a query', () => {
  it('of single rows, or of groups', () => {
    expect(query('SELECT status FROM orders')).toMatchObject({ dimensions: ['Orders.status'], ungrouped: true });
    expect(query('SELECT status FROM orders GROUP BY 1')).not.toHaveProperty('ungrouped');
    expect(query('SELECT DISTINCT status FROM orders')).not.toHaveProperty('ungrouped');
  });

  it('that groups by what is not selected, too', () => {
    expect(query("SELECT count FROM orders GROUP BY status, DATE_TRUNC('day', made)")).toMatchObject({
      dimensions: ['Orders.status'],
      timeDimensions: [{ dimension: 'Orders.made', granularity: 'day' }],
    });
  });

  it('whatever the case of names, with columns in the order of SELECT', () => {
    const { query: rest, columns } = translate(
      `SELECT o.TOTAL, "o"."Status" AS "State", DATE_TRUNC('MONTH', made) FROM ORDERS o GROUP BY 2, 3 ORDER BY "State" DESC, 3 LIMIT 5 OFFSET 2`,
      cubes,
      clock,
    );
    expect(rest).toEqual({
      measures: ['Orders.total'],
      dimensions: ['Orders.status'],
      timeDimensions: [{ dimension: 'Orders.made', granularity: 'month' }],
      filters: [],
      segments: [],
      order: [
        ['Orders.status', 'desc'],
        ['Orders.made', 'asc'],
      ],
      limit: 5,
      offset: 2,
    });
    expect(columns).toEqual([
      { member: 'Orders.total', output: { name: 'total', column_type: 'Double', format: 'currency', currency: 'EUR' } },
      { member: 'Orders.status', output: { name: 'State', column_type: 'String' } },
      { member: 'Orders.made.month', output: { name: 'date_trunc(month,Orders.made)', column_type: 'Timestamp' } },
    ]);
  });

  it.each([
    ["status = 'a'", [status('equals', 'a')]],
    ["'a' = status", [status('equals', 'a')]],
    ['5 < id', [{ member: 'Orders.id', operator: 'gt', values: ['5'] }]],
    ["status <> 'a'", [{ and: [status('notEquals', 'a'), isSet] }]],
    ["NOT status = 'a'", [{ and: [status('notEquals', 'a'), isSet] }]],
    ["NOT (status <> 'a')", [status('equals', 'a')]],
    ["status IN ('a')", [status('equals', 'a')]],
    ["status NOT IN ('a', 'b')", [{ and: [status('notEquals', 'a', 'b'), isSet] }]],
    ["status LIKE '%a%'", [status('contains', 'a')]],
    ["status ILIKE 'a%'", [status('startsWith', 'a')]],
    ["status NOT LIKE '%a'", [{ and: [status('notEndsWith', 'a'), isSet] }]],
    ['NOT status IS NULL', [isSet]],
    ['NOT gift', [{ member: 'Orders.gift', operator: 'equals', values: ['false'] }]],
    [
      'gift IS NOT FALSE',
      [
        {
          or: [
            { member: 'Orders.gift', operator: 'equals', values: ['true'] },
            { member: 'Orders.gift', operator: 'notSet' },
          ],
        },
      ],
    ],
    [
      "NOT (id > 5 AND status = 'a')",
      [{ or: [{ member: 'Orders.id', operator: 'lte', values: ['5'] }, { and: [status('notEquals', 'a'), isSet] }] }],
    ],
    [
      'id NOT BETWEEN 1 AND -2',
      [
        {
          or: [
            { member: 'Orders.id', operator: 'lt', values: ['1'] },
            { member: 'Orders.id', operator: 'gt', values: ['-2'] },
          ],
        },
      ],
    ],
    [
      "made >= date_trunc('month', now())",
      [{ member: 'Orders.made', operator: 'afterOrOnDate', values: ['2024-08-01T00:00:00.000'] }],
    ],
    [
      "made < current_date - interval '1 day'",
      [{ member: 'Orders.made', operator: 'beforeDate', values: ['2024-08-14T00:00:00.000'] }],
    ],
    [
      "made = CAST('2024-01-02' AS date)",
      [{ member: 'Orders.made', operator: 'equals', values: ['2024-01-02T00:00:00.000'] }],
    ],
  ])('with filters: %s', (where, expected) => {
    expect(filters(where)).toEqual(expected);
  });

  it('with segments, wherever AND has them', () => {
    expect(query("SELECT count FROM orders WHERE open AND status = 'a' AND open IS TRUE")).toMatchObject({
      filters: [status('equals', 'a')],
      segments: ['Orders.open', 'Orders.open'],
    });
  });

  it('in the zone of the statement', () => {
    const berlin = { ...clock, timezone: 'Europe/Berlin' };
    const { query: rest } = translate('SELECT count FROM orders WHERE made < now()', cubes, berlin);
    expect(rest).toMatchObject({ timezone: 'Europe/Berlin', filters: [{ values: ['2024-08-15T15:14:15.000'] }] });
  });
});
