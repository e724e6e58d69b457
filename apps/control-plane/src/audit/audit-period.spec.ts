import { parsePeriod } from './audit-period';

describe(parsePeriod.name, () => {
  it.each([
    'yesterday',
    '2026',
    '2026-13-01',
    '2026-02-30',
    '2026-03-01T09:30:00',
    '2026-02-30T09:30:00Z',
    '1772443800000',
    '',
  ])('refuses %p, which names no moment', (text) => {
    expect(() => parsePeriod({ start: text })).toThrow('/query/start takes a date');
    expect(() => parsePeriod({ end: text })).toThrow('/query/end takes a date');
  });

  it('refuses a start after the end', () => {
    expect(() => parsePeriod({ start: '2026-03-02', end: '2026-03-01' })).toThrow('/query/start is after end');
  });

  it('takes a bare date as its whole day in UTC', () => {
    expect(parsePeriod({ start: '2026-03-01', end: '2026-03-01' })).toEqual({
      start: new Date('2026-03-01T00:00:00.000Z'),
      end: new Date('2026-03-01T23:59:59.999Z'),
    });
  });

  it('takes a moment with its offset, to the millisecond', () => {
    expect(parsePeriod({ start: '2026-03-01T09:30:00.123+02:00', end: '2026-03-01T07:30:00.123Z' })).toEqual({
      start: new Date('2026-03-01T07:30:00.123Z'),
      end: new Date('2026-03-01T07:30:00.123Z'),
    });
  });

  it('leaves open what is not given', () => {
    expect(parsePeriod({})).toEqual({ start: undefined, end: undefined });
  });
});
