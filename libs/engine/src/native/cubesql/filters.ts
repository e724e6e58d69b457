import { type Clock, type Constant, timeOf } from './constants';
import { type Selectable } from './model';
import { unsupported } from './refusal';
import { clockText, parseTime } from './times';

/** A filter of a REST query. */
export type Filter = { and: Filter[] } | { or: Filter[] } | { member: string; operator: string; values?: string[] };

export type Comparison = '=' | '!=' | '<' | '<=' | '>' | '>=';

const OPERATORS: Readonly<Record<Comparison, string>> = {
  '=': 'equals',
  '!=': 'notEquals',
  '<': 'lt',
  '<=': 'lte',
  '>': 'gt',
  '>=': 'gte',
};
const TIME_OPERATORS: Readonly<Record<Comparison, string>> = {
  '=': 'equals',
  '!=': 'notEquals',
  '<': 'beforeDate',
  '<=': 'beforeOrOnDate',
  '>': 'afterDate',
  '>=': 'afterOrOnDate',
};

/** Whether the member is null, or is not. */
export const isSet = ({ member }: Selectable, set: boolean): Filter => ({
  member: member.name,
  operator: set ? 'set' : 'notSet',
});

/** The engine's own opposites let nulls through; those of SQL do not. */
const withoutNulls = (filter: Filter, resolved: Selectable): Filter => ({ and: [filter, isSet(resolved, true)] });

/** @throws SqlRefusal when a time is compared with what is none, or anything with null. */
export function comparison(resolved: Selectable, comparison: Comparison, value: Constant, clock: Clock): Filter {
  if (value === null) return unsupported('a comparison with NULL; use IS NULL');
  const { name, type } = resolved.member;
  const operator = (type === 'time' ? TIME_OPERATORS : OPERATORS)[comparison];
  const filter = { member: name, operator, values: [valueText(resolved, value, clock)] };
  return comparison === '!=' ? withoutNulls(filter, resolved) : filter;
}

/** IN and NOT IN. */
export function listed(resolved: Selectable, values: readonly Constant[], inside: boolean, clock: Clock): Filter {
  if (values.some((value) => value === null)) unsupported('NULL in a list of values');
  const texts = values.map((value) => valueText(resolved, value, clock));
  const filter = { member: resolved.member.name, operator: inside ? 'equals' : 'notEquals', values: texts };
  return inside ? filter : withoutNulls(filter, resolved);
}

/** LIKE and its relatives, which the engine compares without regard to case. */
export function patterned(resolved: Selectable, pattern: Constant, matches: boolean): Filter {
  if (typeof pattern !== 'string') return unsupported('LIKE of anything but a text');
  const [, head = '', text = '', tail = ''] = /^(%?)(.*?)(%?)$/s.exec(pattern) ?? [];
  if (/[%_\\]/.test(text)) return unsupported('LIKE with %, _ or \\ inside');
  const operator = operatorOf(head !== '', tail !== '');
  if (operator === undefined) return unsupported('LIKE without % at an end; use =');
  const opposite = `not${operator.charAt(0).toUpperCase()}${operator.slice(1)}`;
  const filter = { member: resolved.member.name, operator: matches ? operator : opposite, values: [text] };
  return matches ? filter : withoutNulls(filter, resolved);
}

function operatorOf(head: boolean, tail: boolean): string | undefined {
  if (head) return tail ? 'contains' : 'endsWith';
  return tail ? 'startsWith' : undefined;
}

function valueText({ member: { name, type } }: Selectable, value: Constant, { timezone }: Clock): string {
  if (type !== 'time')
    return timeOf(value) === undefined ? String(value) : unsupported(`a time for ${name}, which is a ${type}`);
  const time = timeOf(value) ?? (typeof value === 'string' ? parseTime(value, timezone) : undefined);
  return time === undefined ? unsupported(`${String(value)} for the time ${name}`) : clockText(time);
}
