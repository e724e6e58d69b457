import { type Query } from '@cubejs-client/core';
import { type QueryCase } from './query-case';

const MADE = 'orders.created_at';

function series(granularity: string, from: string, to: string, timezone = 'UTC'): QueryCase {
  const at = `created_at at time zone '${timezone}'`;
  return {
    title: `every ${granularity} in ${timezone}`,
    query: {
      measures: ['orders.count'],
      timezone,
      timeDimensions: [{ dimension: MADE, granularity, dateRange: [from, to] }],
    } as Query,
    sql: `select date_trunc('${granularity}', ${at}), count(*) from orders
      where ${at} >= '${from}' and ${at} < date '${to}' + 1 group by 1 order by 1`,
  };
}

/** Granularities, zones, windows and stages. */
export const timeCases: readonly QueryCase[] = [
  series('second', '2024-03-01', '2024-03-01'),
  series('minute', '2024-03-01', '2024-03-02'),
  series('hour', '2024-03-01', '2024-03-03'),
  series('day', '2024-02-20', '2024-03-10'),
  series('week', '2024-01-01', '2024-02-25'),
  series('month', '2024-01-01', '2025-12-31'),
  series('quarter', '2024-01-01', '2025-12-31'),
  series('year', '2024-01-01', '2025-12-31'),
  series('day', '2024-03-05', '2024-03-15', 'America/New_York'),
  series('month', '2024-01-01', '2024-12-31', 'Asia/Tokyo'),
  {
    title: 'hours over a change of the clock',
    query: {
      measures: ['orders.count'],
      timezone: 'Europe/Berlin',
      timeDimensions: [{ dimension: MADE, granularity: 'hour', dateRange: ['2024-10-27', '2024-10-27'] }],
    },
    sql: `select date_trunc('hour', created_at at time zone 'Europe/Berlin'), count(*) from orders
      where created_at >= '2024-10-26 22:00Z' and created_at < '2024-10-27 23:00Z' group by 1 order by 1`,
  },
  {
    title: 'a granularity that the model defines',
    query: { measures: ['orders.count'], timeDimensions: [{ dimension: MADE, granularity: 'fiscal_year' }] },
    sql: `select date_trunc('year', (created_at at time zone 'UTC') - interval '1 month') + interval '1 month', count(*)
      from orders group by 1 order by 1`,
  },
  {
    title: 'two granularities of the same time',
    query: {
      measures: ['orders.count'],
      timeDimensions: [
        { dimension: MADE, granularity: 'year' },
        { dimension: MADE, granularity: 'quarter' },
      ],
      order: { [MADE]: 'asc' },
    },
    sql: `select date_trunc('year', created_at at time zone 'UTC'), date_trunc('quarter', created_at at time zone 'UTC'), count(*)
      from orders group by 1, 2 order by 1, 2`,
  },
  {
    title: 'a range of times without a granularity',
    query: {
      measures: ['orders.count'],
      timeDimensions: [{ dimension: MADE, dateRange: ['2024-05-01', '2024-05-31'] }],
    },
    sql: `select count(*) from orders where created_at >= '2024-05-01Z' and created_at < '2024-06-01Z'`,
  },
  {
    title: 'times as they are, in a time zone',
    query: {
      dimensions: ['orders.id', MADE],
      timezone: 'Asia/Tokyo',
      filters: [{ member: 'orders.id', operator: 'lte', values: ['20'] }],
      order: { 'orders.id': 'asc' },
    },
    sql: `select id, created_at at time zone 'Asia/Tokyo' from orders where id <= 20 order by id`,
  },
  {
    title: 'times with nulls as dimensions',
    query: {
      dimensions: ['orders.id', 'orders.completed_at'],
      filters: [{ member: 'orders.id', operator: 'lt', values: ['30'] }],
      order: { 'orders.id': 'asc' },
    },
    sql: `select id, to_char(completed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS') from orders where id < 30 order by 1`,
  },
  {
    title: 'a window over all that came before',
    query: {
      measures: ['orders.count_to_date'],
      timeDimensions: [{ dimension: MADE, granularity: 'month', dateRange: ['2024-06-01', '2024-11-30'] }],
    },
    sql: `select m, (select count(*) from orders where created_at < (m + interval '1 month') at time zone 'UTC')
      from generate_series(timestamp '2024-06-01', '2024-11-01', '1 month') m order by 1`,
  },
  {
    title: 'a window of 30 days',
    query: {
      measures: ['orders.count_30_days'],
      timeDimensions: [{ dimension: MADE, granularity: 'day', dateRange: ['2024-06-01', '2024-06-10'] }],
    },
    sql: `select d, (select count(*) from orders where created_at < (d + interval '1 day') at time zone 'UTC'
        and created_at >= (d + interval '1 day' - interval '30 days') at time zone 'UTC')
      from generate_series(timestamp '2024-06-01', '2024-06-10', '1 day') d order by 1`,
  },
  {
    title: 'a month beside the month before',
    query: {
      measures: ['line_items.revenue', 'line_items.revenue_last_month'],
      timeDimensions: [{ dimension: MADE, granularity: 'month', dateRange: ['2024-03-01', '2024-05-31'] }],
    },
    sql: `with months as (select date_trunc('month', created_at at time zone 'UTC') m, sum(quantity * price) revenue
        from line_items l join orders o on o.id = l.order_id group by 1)
      select m, revenue, (select revenue from months b where b.m = a.m - interval '1 month')
      from months a where m between '2024-03-01' and '2024-05-01' order by 1`,
  },
];
