import type { DataFilter } from '../data/engine-filters';

/** `orders.shipped_at` as people read it: `Shipped at`. */
export function memberText(member: string): string {
  const name = member.slice(member.lastIndexOf('.') + 1).replaceAll('_', ' ');
  return name.charAt(0).toUpperCase() + name.slice(1);
}

type Operator = NonNullable<DataFilter['operator']>;

const words: Partial<Record<Operator, string>> = {
  not_equals: 'not',
  greater_than: '>',
  greater_than_or_equal: '≥',
  less_than: '<',
  less_than_or_equal: '≤',
  contains: 'contains',
  not_contains: 'does not contain',
  starts_with: 'starts with',
  not_starts_with: 'does not start with',
  ends_with: 'ends with',
  not_ends_with: 'does not end with',
};
const withoutValue: Partial<Record<Operator, string>> = {
  is_null: 'not set',
  is_not_null: 'set',
  is_empty: 'empty',
  is_not_empty: 'not empty',
};
/** Letters of a value list; one that is longer is cut. */
const LONGEST = 200;

/** What a filter lets through, in words. */
export function filterText({ operator, value }: DataFilter): string {
  const chosen = operator ?? 'equals';
  const alone = withoutValue[chosen];
  if (alone !== undefined) return alone;
  const values = (Array.isArray(value) ? (value as unknown[]) : [value]).map(String);
  const list = shortened(values.join(chosen === 'between' ? ' – ' : ', '));
  const word = words[chosen];
  return word === undefined ? list : `${word} ${list}`;
}

const shortened = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text);
