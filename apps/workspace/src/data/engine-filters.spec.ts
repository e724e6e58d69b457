import { engineFilters, type DataFilter } from './engine-filters';
import { dayOf } from './relative-day';

const types = new Map([
  ['orders.status', 'string'],
  ['orders.amount', 'number'],
  ['orders.created_at', 'time'],
]);
// In Auckland it is the 2nd already.
const around = {
  typeOf: (member: string) => types.get(member),
  timeZone: 'Pacific/Auckland',
  now: new Date('2026-03-01T20:00:00Z'),
};
const map = (filter: Omit<DataFilter, 'member'>, member = 'orders.status') =>
  engineFilters([{ member, ...filter }], around);
const status = { member: 'orders.status' };
const amount = { member: 'orders.amount' };
const created = { member: 'orders.created_at' };
const filters = (...expected: object[]) => ({ filters: expected, timeDimensions: [] });

describe(engineFilters.name, () => {
  it.each([
    ['no value', { operator: 'equals' as const }],
    ['an empty list', { operator: 'equals' as const, value: [] }],
    ['a value that is an object', { operator: 'equals' as const, value: [{}] }],
    ['two values where one is meant', { operator: 'greater_than' as const, value: [1, 2] }],
    ['an end without a start', { operator: 'between' as const, value: 3 }],
    ['three bounds', { operator: 'between' as const, value: [1, 2, 3] }],
    ['texts compared without case', { operator: 'equals' as const, value: 'a', caseSensitive: false }],
    ['parts of texts compared with case', { operator: 'contains' as const, value: 'a', caseSensitive: true }],
    ['a range of three', { operator: 'custom' as const, value: ['a', 'b', 'c'] }],
  ])('refuses %s', (_what, filter) => {
    expect(() => map(filter)).toThrow(/\/body\/filters\/0/);
  });

  it('refuses a time compared with what is no date', () => {
    expect(() => map({ operator: 'greater_than', value: 'soon' }, 'orders.created_at')).toThrow('must be a date');
  });

  it.each([
    ['equals', 'equals'],
    ['not_equals', 'notEquals'],
    ['greater_than', 'gt'],
    ['greater_than_or_equal', 'gte'],
    ['less_than', 'lt'],
    ['less_than_or_equal', 'lte'],
    ['contains', 'contains'],
    ['not_contains', 'notContains'],
    ['starts_with', 'startsWith'],
    ['not_starts_with', 'notStartsWith'],
    ['ends_with', 'endsWith'],
    ['not_ends_with', 'notEndsWith'],
  ] as const)('asks %s as %s', (operator, engine) => {
    expect(map({ operator, value: 5 })).toEqual(filters({ ...status, operator: engine, values: ['5'] }));
  });

  it('takes equals where there is no operator, and any of several values', () => {
    expect(map({ value: ['a', true] })).toEqual(filters({ ...status, operator: 'equals', values: ['a', 'true'] }));
  });

  it('asks whether there is a value, and whether a text is empty', () => {
    const [absent, present] = [
      { ...status, operator: 'notSet' },
      { ...status, operator: 'set' },
    ];
    expect(map({ operator: 'is_null' })).toEqual(filters(absent));
    expect(map({ operator: 'is_not_null' })).toEqual(filters(present));
    expect(map({ operator: 'is_empty' })).toEqual(
      filters({ or: [absent, { ...status, operator: 'equals', values: [''] }] }),
    );
    expect(map({ operator: 'is_not_empty' })).toEqual(
      filters({ and: [present, { ...status, operator: 'notEquals', values: [''] }] }),
    );
    expect(map({ operator: 'is_empty' }, 'orders.amount')).toEqual(filters({ ...amount, operator: 'notSet' }));
  });

  it('leaves the bounds of between in, unless it is told otherwise', () => {
    const value = [1, 9];
    const bounds = (start: string, end: string) =>
      filters({
        and: [
          { ...amount, operator: start, values: ['1'] },
          { ...amount, operator: end, values: ['9'] },
        ],
      });
    expect(map({ operator: 'between', value }, 'orders.amount')).toEqual(bounds('gte', 'lte'));
    const open = { startInclusive: false, endInclusive: false };
    expect(map({ operator: 'between', value, ...open }, 'orders.amount')).toEqual(bounds('gt', 'lt'));
  });

  it('compares times by the day that it is where the reader is', () => {
    expect(map({ operator: 'greater_than_or_equal', value: 'yesterday' }, 'orders.created_at')).toEqual(
      filters({ ...created, operator: 'afterOrOnDate', values: ['2026-03-01'] }),
    );
    expect(map({ operator: 'between', value: ['1 month ago', 'today'] }, 'orders.created_at')).toEqual(
      filters({
        and: [
          { ...created, operator: 'afterOrOnDate', values: ['2026-02-02'] },
          { ...created, operator: 'beforeOrOnDate', values: ['2026-03-02'] },
        ],
      }),
    );
    expect(map({ value: '2026-01-05' }, 'orders.created_at')).toEqual(
      filters({ or: [{ ...created, operator: 'inDateRange', values: ['2026-01-05', '2026-01-05'] }] }),
    );
  });

  it('leaves ranges in words to the engine', () => {
    const range = { filters: [], timeDimensions: [{ dimension: 'orders.created_at', dateRange: 'last 7 days' }] };
    expect(map({ operator: 'custom', value: 'last 7 days' }, 'orders.created_at')).toEqual(range);
    expect(map({ operator: 'equals', value: 'last 7 days' }, 'orders.created_at')).toEqual(range);
  });
});

describe(dayOf.name, () => {
  it.each([
    ['today', '2026-03-02'],
    ['Tomorrow', '2026-03-03'],
    ['2 weeks ago', '2026-02-16'],
    ['1 quarter from now', '2026-06-02'],
    ['next month', 'next month'],
    ['2026-01-01', '2026-01-01'],
  ])('reads %s', (words, expected) => {
    expect(dayOf(words, around.now, around.timeZone)).toBe(expected);
  });

  it('ends at the last day of a shorter month', () => {
    expect(dayOf('1 month ago', new Date('2026-03-31T12:00:00Z'), 'UTC')).toBe('2026-02-28');
  });
});
