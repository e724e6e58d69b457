import { type Filter } from '@cubejs-client/core';
import { type QueryCase } from './query-case';

const filtered = (title: string, filters: Filter[], where: string): QueryCase => ({
  title,
  query: { measures: ['orders.count'], filters },
  sql: `select count(*) from orders o join customers c on c.id = o.customer_id where ${where}`,
});
const city = (operator: string, values?: string[]): Filter[] => [
  { member: 'customers.city', operator, values } as Filter,
];
const id = (operator: string, value: string): Filter[] => [
  { member: 'orders.id', operator, values: [value] } as Filter,
];
const made = (operator: string, ...values: string[]): Filter[] => [
  { member: 'orders.created_at', operator, values } as Filter,
];

/** Every operator of filters. */
export const filterCases: readonly QueryCase[] = [
  filtered('equals', city('equals', ['Lyon']), `city = 'Lyon'`),
  filtered('equals one of several', city('equals', ['Lyon', 'Pune']), `city in ('Lyon', 'Pune')`),
  filtered('notEquals', city('notEquals', ['Lyon', 'Pune']), `city not in ('Lyon', 'Pune')`),
  filtered(
    'notEquals of a member that may be null, which lets nulls through',
    [{ member: 'orders.coupon', operator: 'notEquals', values: ['SPRING'] }],
    `coupon is distinct from 'SPRING'`,
  ),
  filtered('contains, whatever the case', city('contains', ['BER', 'yon']), `city ilike '%ber%' or city ilike '%yon%'`),
  filtered('contains with signs of patterns', city('contains', ['%']), `city like '%\\%%'`),
  filtered('notContains', city('notContains', ['o']), `city not ilike '%o%'`),
  filtered('startsWith', city('startsWith', ['b']), `city ilike 'b%'`),
  filtered('notStartsWith', city('notStartsWith', ['b']), `city not ilike 'b%'`),
  filtered('endsWith', city('endsWith', ['n', 'o']), `city ilike '%n' or city ilike '%o'`),
  filtered('notEndsWith', city('notEndsWith', ['n']), `city not ilike '%n'`),
  filtered('gt', id('gt', '29000'), 'o.id > 29000'),
  filtered('gte', id('gte', '29000'), 'o.id >= 29000'),
  filtered('lt', id('lt', '100'), 'o.id < 100'),
  filtered('lte', id('lte', '100'), 'o.id <= 100'),
  filtered('set', [{ member: 'orders.coupon', operator: 'set' }], 'coupon is not null'),
  filtered('notSet', [{ member: 'orders.coupon', operator: 'notSet' }], 'coupon is null'),
  filtered('a boolean', [{ member: 'orders.is_gift', operator: 'equals', values: ['true'] }], 'is_gift'),
  filtered(
    'inDateRange',
    made('inDateRange', '2024-02-01', '2024-02-29'),
    `o.created_at >= '2024-02-01Z' and o.created_at < '2024-03-01Z'`,
  ),
  filtered(
    'notInDateRange',
    made('notInDateRange', '2024-02-01', '2024-02-29'),
    `o.created_at < '2024-02-01Z' or o.created_at >= '2024-03-01Z'`,
  ),
  filtered('beforeDate', made('beforeDate', '2024-02-10'), `o.created_at < '2024-02-10Z'`),
  filtered('beforeOrOnDate, which is a moment', made('beforeOrOnDate', '2024-02-10'), `o.created_at <= '2024-02-10Z'`),
  filtered('afterDate, which is a moment', made('afterDate', '2025-02-10'), `o.created_at > '2025-02-10Z'`),
  filtered(
    'onTheDate',
    made('onTheDate', '2025-02-10'),
    `o.created_at >= '2025-02-10Z' and o.created_at < '2025-02-11Z'`,
  ),
  filtered('afterOrOnDate', made('afterOrOnDate', '2025-02-10'), `o.created_at >= '2025-02-10Z'`),
  filtered(
    'and, or, and both inside each other',
    [
      {
        or: [
          { and: [...city('equals', ['Lyon']), ...id('gt', '15000')] },
          {
            and: [
              ...city('equals', ['Pune']),
              { or: [...id('lt', '5000'), { member: 'orders.coupon', operator: 'set' }] },
            ],
          },
        ],
      } as Filter,
      { member: 'orders.status', operator: 'equals', values: ['completed', 'shipped'] },
    ],
    `((city = 'Lyon' and o.id > 15000) or (city = 'Pune' and (o.id < 5000 or coupon is not null)))
      and status in ('completed', 'shipped')`,
  ),
  filtered('a value with quotes', city('equals', [`O'Hara"; --`]), 'false'),
];
