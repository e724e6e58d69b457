import type { Result } from '@plinth/queries';
import { compared, earlierQuery } from './period-comparisons';

const MONTH = 'orders.created_at.month';
const comparison = {
  measure: 'orders.count',
  timeDimension: 'orders.created_at',
  offset: { amount: 1, unit: 'month' },
};
const query = {
  measures: ['orders.count'],
  dimensions: ['orders.city'],
  timeDimensions: [{ dimension: 'orders.created_at', granularity: 'month', dateRange: 'this month' }],
};
const ran = (dateRange: string[]) => ({
  ...query,
  timeDimensions: [{ dimension: 'orders.created_at', granularity: 'month', dateRange }],
});
const names = ['orders.city', MONTH, 'orders.count'];
const result = (...rows: [city: string, month: string, count: string | null][]): Result => ({
  columns: names.map((name) => ({ name, title: name, type: 'string', format: null })),
  rows: rows.map(([city, month, count]) => ({
    'orders.city': city,
    [MONTH]: `${month}-01T00:00:00.000`,
    'orders.count': count,
  })),
  query,
});

describe(earlierQuery.name, () => {
  it('is none without a date range, and none for an unknown unit', () => {
    const open = { ...query, timeDimensions: [{ dimension: 'orders.created_at', granularity: 'month' }] };
    expect(earlierQuery(open, open, comparison)).toBeUndefined();
    const range = ran(['2026-03-01T00:00:00.000', '2026-03-31T23:59:59.999']);
    const odd = { ...comparison, offset: { amount: 1, unit: 'moon' } };
    expect(earlierQuery(query, range, odd)).toBeUndefined();
  });

  it('asks for the whole month before, however long it is', () => {
    const march = ran(['2026-03-01T00:00:00.000', '2026-03-31T23:59:59.999']);
    expect(earlierQuery(query, march, comparison)?.timeDimensions).toEqual([
      {
        dimension: 'orders.created_at',
        granularity: 'month',
        dateRange: ['2026-02-01T00:00:00.000', '2026-02-28T23:59:59.999'],
      },
    ]);
    const february = ran(['2026-02-01T00:00:00.000', '2026-02-28T23:59:59.999']);
    expect(earlierQuery(query, february, comparison)?.timeDimensions?.[0]?.dateRange).toEqual([
      '2026-01-01T00:00:00.000',
      '2026-01-31T23:59:59.999',
    ]);
  });
});

describe(compared.name, () => {
  const added = ({ rows }: Result) =>
    rows.map((row) => ['value', 'change', 'percent'].map((output) => row[`orders.count__1_month_${output}`]));

  it('has nothing where there was nothing, and no part of nought', () => {
    const earlier = result(['Bonn', '2026-02', '0']);
    const now = result(['Bonn', '2026-03', '5'], ['Rome', '2026-03', '5']);
    expect(added(compared(now, earlier, comparison))).toEqual([
      ['0', '5', null],
      [null, null, null],
    ]);
  });

  it('finds the earlier value of the same dimensions', () => {
    const earlier = result(['Rome', '2026-02', '9'], ['Bonn', '2026-02', '4'], ['Bonn', '2026-01', '1']);
    const both = compared(result(['Bonn', '2026-03', '5'], ['Bonn', '2026-02', '3']), earlier, comparison);
    expect(added(both)).toEqual([
      ['4', '1', '0.25'],
      ['1', '2', '2'],
    ]);
    const chosen = compared(result(['Bonn', '2026-03', '5']), earlier, { ...comparison, outputs: ['change'] });
    expect(chosen.columns.map(({ name }) => name)).toEqual([...names, 'orders.count__1_month_change']);
  });
});
