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
    '0000-01-01',
    '0001-01-01T00:30:00+01:00',
    '9999-12-31T23:30:00-01:00',
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

  it('takes the first and the last day that can be written', () => {
    expect(parsePeriod({ start: '0001-01-01', end: '9999-12-31' })).toEqual({
      start: new Date('0001-01-01T00:00:00.000Z'),
      end: new Date('9999-12-31T23:59:59.999Z'),
    });
  });

  it('leaves open what is not given', () => {
    expect(parsePeriod({})).toEqual({ start: undefined, end: undefined });
  });
});
