import { localeOf } from '../../drawing/format-value';

/** How Vega writes numbers and times, by what the language has: see d3-format and d3-time-format. */
export function vegaLocale(tag: string): { number: object; time: object } {
  const locale = localeOf(tag);
  return { number: numbers(locale), time: times(locale) };
}

function numbers(locale: string): object {
  const currency = new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD' });
  const money = currency.formatToParts(1);
  const symbol = money.find(({ type }) => type === 'currency')?.value ?? '$';
  const leads = money.findIndex(({ type }) => type === 'currency') < money.findIndex(({ type }) => type === 'integer');
  const parts = new Intl.NumberFormat(locale, { useGrouping: true }).formatToParts(1_234_567.5);
  const sign = (type: string, otherwise: string): string =>
    parts.find((part) => part.type === type)?.value ?? otherwise;
  return {
    decimal: sign('decimal', '.'),
    thousands: sign('group', ','),
    grouping: [3],
    currency: leads ? [symbol, ''] : ['', ` ${symbol}`],
  };
}

function times(locale: string): object {
  const named = (options: Intl.DateTimeFormatOptions, dates: readonly Date[]): string[] => {
    const format = new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' });
    return dates.map((date) => format.format(date));
  };
  // The fourth of January 1970 was a Sunday.
  const days = Array.from({ length: 7 }, (_, day) => new Date(Date.UTC(1970, 0, 4 + day)));
  const months = Array.from({ length: 12 }, (_, month) => new Date(Date.UTC(1970, month, 15)));
  return {
    ...{ dateTime: '%x, %X', date: '%Y-%m-%d', time: '%H:%M:%S', periods: ['AM', 'PM'] },
    days: named({ weekday: 'long' }, days),
    shortDays: named({ weekday: 'short' }, days),
    months: named({ month: 'long' }, months),
    shortMonths: named({ month: 'short' }, months),
  };
}
