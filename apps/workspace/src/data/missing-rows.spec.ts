import type { Result } from '@plinth/queries';
import { filled } from './missing-rows';

const DAY = 'orders.created_at.day';
const result = (rows: [day: number, city: string][], more: object = {}): Result => ({
  columns: [DAY, 'orders.city', 'orders.count'].map((name) => ({ name, title: name, type: 'string', format: null })),
  rows: rows.map(([day, city]) => ({ [DAY]: at(day), 'orders.city': city, 'orders.count': '1' })),
  query: {
    dimensions: ['orders.city'],
    timeDimensions: [{ dimension: 'orders.created_at', granularity: 'day', ...more }],
    ...('order' in more && { order: more.order }),
  },
});
const at = (day: number): string => `2026-03-0${day}T00:00:00.000`;
const member = 'orders.created_at';
const seen = ({ rows }: Result) => rows.map((row) => [row[DAY], row['orders.city'], row['orders.count']]);

describe(filled.name, () => {
  it('leaves a result alone that has no such time, or a granularity of the model itself', () => {
    const rows = result([[1, 'Bonn']]);
    expect(filled(rows, { member: 'orders.other' })).toBe(rows);
    const fiscal = result([[1, 'Bonn']], { granularity: 'fiscal_year' });
    expect(filled(fiscal, { member })).toBe(fiscal);
  });

  it('fills each combination between the first and the last day', () => {
    expect(
      seen(
        filled(
          result([
            [1, 'Bonn'],
            [1, 'Rome'],
            [3, 'Bonn'],
          ]),
          { member },
        ),
      ),
    ).toEqual([
      [at(1), 'Bonn', '1'],
      [at(1), 'Rome', '1'],
      [at(2), 'Bonn', null],
      [at(2), 'Rome', null],
      [at(3), 'Bonn', '1'],
      [at(3), 'Rome', null],
    ]);
  });

  it('makes no combinations of dimensions that are left out', () => {
    const excludedDimensions = ['orders.city'];
    expect(
      seen(
        filled(
          result([
            [1, 'Bonn'],
            [3, 'Rome'],
          ]),
          { member, excludedDimensions },
        ),
      ),
    ).toEqual([
      [at(1), 'Bonn', '1'],
      [at(2), null, null],
      [at(3), 'Rome', '1'],
    ]);
  });

  it('fills the whole date range, in the order of the query', () => {
    const dateRange = [at(1), '2026-03-03T23:59:59.999'];
    const order = { 'orders.created_at': 'desc' };
    expect(seen(filled(result([[2, 'Bonn']], { dateRange, order }), { member }))).toEqual([
      [at(3), 'Bonn', null],
      [at(2), 'Bonn', '1'],
      [at(1), 'Bonn', null],
    ]);
  });
});
