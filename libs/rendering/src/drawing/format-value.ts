import type { Chart, ChartColumn } from '../scene';

export interface Tongue {
  locale: string;
  timeZone: string;
}

export type Formatter = (value: unknown) => string;

/** Stands where there is no value. */
export const NOTHING = '–';

const MAX_LETTERS = 1_000;
const MOST_DIGITS = 20;
const DAY = /^(\d{4})-(\d\d)-(\d\d)/;
const HAS_ZONE = /(?:Z|[+-]\d\d:?\d\d)$/;

export const isNumeric = ({ type, format }: ChartColumn): boolean =>
  type === 'number' || /^(?:currency|percent|number|accounting|abbr)/.test(format ?? '');

/**
 * How the values of a column are written.
 *
 * @param values - All of them: when one has an hour or a fraction, all show one.
 */
export function formatterOf(column: ChartColumn, tongue: Tongue, values: readonly unknown[] = []): Formatter {
  if (isNumeric(column)) return numberFormatter(column, tongue, values);
  if (column.type === 'time') return timeFormatter(column, tongue, values);
  return (value) => (value === null || value === undefined || value === '' ? NOTHING : plain(value));
}

/** The columns as the chart's preferences have them. */
export const columnsOf = ({ columns, preferences }: Pick<Chart, 'columns' | 'preferences'>): ChartColumn[] =>
  columns.map((column) => {
    const own = preferences?.columnFormats?.[column.name];
    return own ? { ...column, format: own.type, decimalPlaces: own.decimalPlaces ?? column.decimalPlaces } : column;
  });

export function localeOf(locale: string): string {
  try {
    return Intl.getCanonicalLocales(locale)[0] ?? 'en';
  } catch {
    return 'en';
  }
}

export function timeZoneOf(timeZone: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
  } catch {
    return 'UTC';
  }
}

/** Of texts, too: engines send numbers as text. Undefined for what is none. */
export function numberOf(value: unknown): number | undefined {
  if (value === null || value === undefined || value === '' || typeof value === 'boolean') return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

function numberFormatter(column: ChartColumn, { locale }: Tongue, values: readonly unknown[]): Formatter {
  const options = numberOptions(column, fractionOf(values));
  const write = new Intl.NumberFormat(localeOf(locale), options);
  return (value) => {
    const number = numberOf(value);
    if (number !== undefined) return write.format(number);
    return value === null || value === undefined || value === '' ? NOTHING : plain(value);
  };
}

/** A format may name its digits: `currency_2`. */
function numberOptions(column: ChartColumn, fraction: number): Intl.NumberFormatOptions {
  const [kind, named] = (column.format ?? '').split('_');
  const wanted = column.decimalPlaces ?? (/^\d+$/.test(named ?? '') ? Number(named) : undefined);
  if (kind === 'currency' || kind === 'accounting') return moneyOptions(column.currency, wanted);
  if (kind === 'percent') return { style: 'percent', ...digits(wanted ?? 1) };
  if (kind === 'abbr') return { notation: 'compact', ...digits(wanted ?? 1) };
  return digits(wanted ?? fraction);
}

/** With as many digits as the currency has, unless others are wanted. */
const moneyOptions = (code: string | null | undefined, wanted: number | undefined): Intl.NumberFormatOptions => ({
  style: 'currency',
  currency: code && /^[A-Za-z]{3}$/.test(code) ? code : 'USD',
  ...(wanted !== undefined && digits(wanted)),
});

function digits(wanted: number): Intl.NumberFormatOptions {
  const exactly = Math.min(MOST_DIGITS, Math.max(0, Math.trunc(wanted)));
  return { minimumFractionDigits: exactly, maximumFractionDigits: exactly };
}

/** Digits after the point that tell numbers apart. */
function fractionOf(values: readonly unknown[]): number {
  const numbers = values.map(numberOf).filter((each) => each !== undefined);
  if (numbers.every(Number.isInteger)) return 0;
  return numbers.every((each) => Math.abs(each) < 1) ? 4 : 2;
}

/** A time without a zone is one of the reader's zone already; one with a zone is brought there. */
function timeFormatter(column: ChartColumn, tongue: Tongue, values: readonly unknown[]): Formatter {
  const locale = localeOf(tongue.locale);
  const options = timeOptions(column.name, values.every(isMidnight));
  const own = new Intl.DateTimeFormat(locale, { ...options, timeZone: timeZoneOf(tongue.timeZone) });
  const wall = new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' });
  return (value) => {
    if (value === null || value === undefined || value === '') return NOTHING;
    const text = String(value);
    const zoned = HAS_ZONE.test(text) && /\d\d:\d\d/.test(text);
    const time = new Date(
      zoned || !DAY.test(text) ? text : `${text.replace(' ', 'T')}${/\d\d:\d\d/.test(text) ? 'Z' : ''}`,
    );
    if (Number.isNaN(time.getTime())) return plain(value);
    if (column.name.endsWith('.quarter')) return quarter(time, zoned ? tongue.timeZone : 'UTC');
    return (zoned ? own : wall).format(time);
  };
}

function timeOptions(name: string, daysAlone: boolean): Intl.DateTimeFormatOptions {
  if (name.endsWith('.year')) return { year: 'numeric' };
  if (name.endsWith('.month')) return { year: 'numeric', month: 'short' };
  if (daysAlone || /\.(?:day|week)$/.test(name)) return { dateStyle: 'medium' };
  return { dateStyle: 'medium', timeStyle: 'short' };
}

function quarter(time: Date, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en', { timeZone: timeZoneOf(timeZone), year: 'numeric', month: 'numeric' });
  const [month = 1, year = 0] = parts.format(time).split('/').map(Number);
  return `Q${Math.ceil(month / 3)} ${year}`;
}

const isMidnight = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  !/\d\d:\d\d/.test(String(value)) ||
  /[T ]00:00(?::00(?:\.0+)?)?$/.test(String(value));

function plain(value: unknown): string {
  const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
  return text.length > MAX_LETTERS ? `${text.slice(0, MAX_LETTERS)}…` : text;
}
