import { shapedQuery, type Shape } from './shaped-query';

const as = (more: Partial<Shape> = {}): Shape => ({
  conditions: { filters: [], timeDimensions: [] },
  timeGrains: [],
  memberSwitchers: [],
  timezone: undefined,
  limit: 100,
  ...more,
});
const month = { dimension: 'orders.created_at', granularity: 'month', dateRange: 'this year' };

describe(shapedQuery.name, () => {
  it('leaves alone what the controls do not name', () => {
    const query = { measures: ['orders.count'], timeDimensions: [month], limit: 5, timezone: 'UTC', segments: ['a.b'] };
    const controls = as({
      timeGrains: [{ member: 'users.created_at', grain: 'day' }],
      memberSwitchers: [{ member: 'orders.city', selected: 'country' }],
    });
    expect(shapedQuery(query, controls)).toEqual({ ...query, filters: [] });
  });

  it('puts conditions beside those of the query, and keeps the lower limit', () => {
    const [own, given] = [
      { member: 'a.b', operator: 'set' },
      { member: 'a.c', operator: 'set' },
    ];
    const range = { dimension: 'a.d', dateRange: 'today' };
    const controls = as({ conditions: { filters: [given], timeDimensions: [range] }, timezone: 'Asia/Tokyo' });
    expect(shapedQuery({ filters: [own], limit: 1_000 }, controls)).toEqual({
      filters: [own, given],
      timeDimensions: [range],
      limit: 100,
      timezone: 'Asia/Tokyo',
    });
  });

  it('replaces granularities wherever they stand, but gives none to a date range', () => {
    const range = { dimension: 'orders.created_at', dateRange: 'this year' };
    const query = {
      dimensions: ['orders.created_at.month', 'orders.city'],
      timeDimensions: [month, range],
      order: { 'orders.created_at.month': 'asc' },
    };
    const controls = as({ timeGrains: [{ member: 'orders.created_at', grain: 'week' }] });
    expect(shapedQuery(query, controls)).toMatchObject({
      dimensions: ['orders.created_at.week', 'orders.city'],
      timeDimensions: [{ ...month, granularity: 'week' }, range],
      order: [['orders.created_at.week', 'asc']],
    });
  });

  it('shows another member in the place of one, ordered by it, once', () => {
    const query = {
      measures: ['orders.count'],
      dimensions: ['orders.city', 'orders.country'],
      order: { 'orders.city': 'desc' },
    };
    const controls = as({ memberSwitchers: [{ member: 'orders.city', selected: 'country' }] });
    expect(shapedQuery(query, controls)).toMatchObject({
      dimensions: ['orders.country'],
      order: [['orders.country', 'desc']],
    });
  });
});
