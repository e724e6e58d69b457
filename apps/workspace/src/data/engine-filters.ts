import type { Schemas } from '@plinth/contract';
import { invalidRequest } from '@plinth/errors';
import type { TimeDimension } from './engine-query';
import { dayOf } from './relative-day';

export type DataFilter = Schemas['DataFilter'];

/** What the data model knows of members, and where and when the reader is. */
export interface FilterSurroundings {
  typeOf: (member: string) => string | undefined;
  timeZone: string;
  now: Date;
}

/** Conditions as the engine takes them; date ranges in words only go beside the dimensions. */
export interface EngineFilters {
  filters: object[];
  timeDimensions: TimeDimension[];
}

type Operator = NonNullable<DataFilter['operator']>;
interface Asked {
  member: string;
  operator: Operator;
  values: string[];
  flags: Record<'startInclusive' | 'endInclusive', boolean | null | undefined>;
}

const plain: Partial<Record<Operator, string>> = {
  equals: 'equals',
  not_equals: 'notEquals',
  greater_than: 'gt',
  greater_than_or_equal: 'gte',
  less_than: 'lt',
  less_than_or_equal: 'lte',
  contains: 'contains',
  not_contains: 'notContains',
  starts_with: 'startsWith',
  not_starts_with: 'notStartsWith',
  ends_with: 'endsWith',
  not_ends_with: 'notEndsWith',
};
const ofTimes: Partial<Record<Operator, string>> = {
  greater_than: 'afterDate',
  greater_than_or_equal: 'afterOrOnDate',
  less_than: 'beforeDate',
  less_than_or_equal: 'beforeOrOnDate',
};
const single: readonly Operator[] = ['greater_than', 'greater_than_or_equal', 'less_than', 'less_than_or_equal'];
const withoutValue: readonly Operator[] = ['is_null', 'is_not_null', 'is_empty', 'is_not_empty'];
const DATE = /^[0-9]{4}-[0-9]{2}-[0-9]{2}/;

/** @throws AppError `request.invalid` (400) for a value that the operator cannot take. */
export function engineFilters(given: readonly DataFilter[], around: FilterSurroundings): EngineFilters {
  const found: EngineFilters = { filters: [], timeDimensions: [] };
  for (const [index, filter] of given.entries()) {
    const path = `/body/filters/${index}`;
    const asked = askedIn(filter, path);
    requireCase(filter, asked.operator, path);
    const { filters, timeDimensions } = mapped(asked, around, path);
    found.filters.push(...filters);
    found.timeDimensions.push(...timeDimensions);
  }
  return found;
}

function askedIn({ member, operator, value, startInclusive, endInclusive }: DataFilter, path: string): Asked {
  const chosen = operator ?? 'equals';
  const flags = { startInclusive, endInclusive };
  if (withoutValue.includes(chosen)) return { member, operator: chosen, values: [], flags };
  const values = (Array.isArray(value) ? (value as unknown[]) : [value]).map((each) => textOf(each, path));
  if (values.length === 0) throw invalidRequest(`${path}/value`, 'is required');
  if (single.includes(chosen) && values.length > 1) throw invalidRequest(`${path}/value`, 'must be one value');
  if (chosen === 'between' && values.length !== 2) throw invalidRequest(`${path}/value`, 'must be a start and an end');
  return { member, operator: chosen, values, flags };
}

function textOf(value: unknown, path: string): string {
  if (typeof value === 'string' || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return String(value);
  throw invalidRequest(
    `${path}/value`,
    value === undefined || value === null ? 'is required' : 'must hold single values',
  );
}

/** The engine compares whole texts with their case, and parts of texts without. */
function requireCase({ caseSensitive }: DataFilter, operator: Operator, path: string): void {
  if (typeof caseSensitive !== 'boolean') return;
  const isWhole = operator === 'equals' || operator === 'not_equals';
  const isPart = /contains|starts|ends/.test(operator);
  if ((isWhole && !caseSensitive) || (isPart && caseSensitive)) {
    throw invalidRequest(`${path}/caseSensitive`, `cannot be ${caseSensitive} for ${operator}`);
  }
}

function mapped(asked: Asked, around: FilterSurroundings, path: string): EngineFilters {
  const { member, operator, values, flags } = asked;
  const type = around.typeOf(member);
  if (operator === 'is_null') return one({ member, operator: 'notSet' });
  if (operator === 'is_not_null') return one({ member, operator: 'set' });
  if (operator === 'is_empty' || operator === 'is_not_empty') return one(emptiness(member, operator, type));
  if (operator === 'custom') return words(member, values, path);
  if (type === 'time') return ofTime({ ...asked, values }, around, path);
  if (operator !== 'between') return one({ member, operator: plain[operator], values });
  const [start = '', end = ''] = values;
  return one({
    and: [
      { member, operator: flags.startInclusive === false ? 'gt' : 'gte', values: [start] },
      { member, operator: flags.endInclusive === false ? 'lt' : 'lte', values: [end] },
    ],
  });
}

/** Only texts can be there and empty. */
function emptiness(member: string, operator: 'is_empty' | 'is_not_empty', type: string | undefined): object {
  const isText = type === 'string' || type === undefined;
  if (operator === 'is_empty') {
    const absent = { member, operator: 'notSet' };
    return isText ? { or: [absent, { member, operator: 'equals', values: [''] }] } : absent;
  }
  const present = { member, operator: 'set' };
  return isText ? { and: [present, { member, operator: 'notEquals', values: [''] }] } : present;
}

function ofTime({ member, operator, values, flags }: Asked, around: FilterSurroundings, path: string): EngineFilters {
  const dates = values.map((value) => dayOf(value, around.now, around.timeZone));
  const areDates = dates.every((date) => DATE.test(date));
  if (operator === 'equals' && !areDates) return words(member, values, path);
  if (!areDates) throw invalidRequest(`${path}/value`, 'must be a date, or words for one');
  const [start = '', end = ''] = dates;
  if (operator === 'equals' || operator === 'not_equals') return one(oneOfDays(member, operator, dates));
  if (operator !== 'between') return one({ member, operator: ofTimes[operator] ?? plain[operator], values: dates });
  return one({
    and: [
      { member, operator: flags.startInclusive === false ? 'afterDate' : 'afterOrOnDate', values: [start] },
      { member, operator: flags.endInclusive === false ? 'beforeDate' : 'beforeOrOnDate', values: [end] },
    ],
  });
}

/** A date without a time is its whole day. */
function oneOfDays(member: string, operator: 'equals' | 'not_equals', dates: readonly string[]): object {
  const isIn = operator === 'equals';
  const ranges = dates.map((date) => ({
    member,
    operator: isIn ? 'inDateRange' : 'notInDateRange',
    values: [date, date],
  }));
  return isIn ? { or: ranges } : { and: ranges };
}

/** The engine reads them, in the time zone of the query. */
function words(dimension: string, values: readonly string[], path: string): EngineFilters {
  if (values.length > 2) throw invalidRequest(`${path}/value`, 'must be a date range');
  const [first = ''] = values;
  return { filters: [], timeDimensions: [{ dimension, dateRange: values.length === 1 ? first : [...values] }] };
}

const one = (filter: object): EngineFilters => ({ filters: [filter], timeDimensions: [] });
