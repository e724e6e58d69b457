import { clockText, clockTimeOf, parseTime, shiftTime, truncateTime } from './times';

const at = (text: string): number => parseTime(text, 'UTC');

describe('times of a statement', () => {
  it.each(['', 'soon', '2024-13-01', '2024-01-01 25:00'])('refuse %j', (text) => {
    expect(() => at(text)).toThrow(`the time '${text}'`);
  });

  it('refuse an interval that is none', () => {
    expect(() => shiftTime(0, 'a while', 1)).toThrow("the interval 'a while'");
  });

  it('refuse a unit that is none', () => {
    expect(() => truncateTime(0, 'decade')).toThrow("DATE_TRUNC('decade', ...)");
  });

  it.each([
    ['2024-02-03', '2024-02-03T00:00:00.000'],
    ['2024-02-03 04:05', '2024-02-03T04:05:00.000'],
    ['2024-02-03T04:05:06.7', '2024-02-03T04:05:06.700'],
    ['2024-07-03 04:05:06Z', '2024-07-03T00:05:06.000'],
    ['2024-07-03 04:05:06+02', '2024-07-02T22:05:06.000'],
  ])('are read as clocks in New York show them: %s', (text, clock) => {
    const readable = text.replace(/\+02$/, '+02:00');
    expect(clockText(parseTime(readable, 'America/New_York'))).toBe(clock);
  });

  it('know the offset of summer and of winter', () => {
    const clock = (instant: string): string => clockText(clockTimeOf(new Date(instant), 'Europe/Berlin'));
    expect(clock('2024-01-01T12:00:00.250Z')).toBe('2024-01-01T13:00:00.250');
    expect(clock('2024-07-01T12:00:00.250Z')).toBe('2024-07-01T14:00:00.250');
  });

  it.each([
    ['2024-03-31', '1 month', -1, '2024-02-29T00:00:00.000'],
    ['2024-01-31', '1 month', 1, '2024-02-29T00:00:00.000'],
    ['2024-02-29', '1 year', 1, '2025-02-28T00:00:00.000'],
    ['2024-01-15', '1 quarter 2 days', 1, '2024-04-17T00:00:00.000'],
    ['2024-01-15', '36 hours', -1, '2024-01-13T12:00:00.000'],
    ['2024-01-15', '2 weeks', 1, '2024-01-29T00:00:00.000'],
    ['2024-01-15', '-1 day', 1, '2024-01-14T00:00:00.000'],
  ] as const)('%s and %s (%d)', (from, interval, sign, to) => {
    expect(clockText(shiftTime(at(from), interval, sign))).toBe(to);
  });

  it.each([
    ['second', '2024-08-15T13:14:15.000'],
    ['minute', '2024-08-15T13:14:00.000'],
    ['hour', '2024-08-15T13:00:00.000'],
    ['day', '2024-08-15T00:00:00.000'],
    ['week', '2024-08-12T00:00:00.000'],
    ['month', '2024-08-01T00:00:00.000'],
    ['quarter', '2024-07-01T00:00:00.000'],
    ['year', '2024-01-01T00:00:00.000'],
  ])('are cut to the %s', (unit, cut) => {
    expect(clockText(truncateTime(at('2024-08-15T13:14:15.678'), unit))).toBe(cut);
  });
});
