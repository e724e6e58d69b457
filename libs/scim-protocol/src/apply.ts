import { AppError } from '@plinth/errors';
import type { Filter } from './filter';
import type { Change } from './patch';
import { isClearing, withParts, type PartChanges } from './patch-value';
import {
  identityOf,
  isComplex,
  isRecord,
  setOwn,
  withoutRepeats,
  type Attributes,
  type AttributeValue,
  type Complex,
  type Resource,
} from './resource';
import { CUSTOM } from './schemas';

/** Kinds of values that are made when a path names one that is not there yet. */
const makeable = new Set(['work', 'home', 'other', 'mobile', 'fax', 'pager']);

/**
 * The resource after the changes; the given one stays as it is.
 *
 * @throws AppError `scim.no_target` (400) for a condition that no value satisfies.
 */
export function applyChanges(resource: Resource, changes: readonly Change[]): Resource {
  const result = structuredClone(resource);
  for (const change of changes) applyChange((result[change.path.schema] ??= {}), change);
  return Object.fromEntries(Object.entries(result).filter(([, attributes]) => Object.keys(attributes).length > 0));
}

function applyChange(attributes: Attributes, change: Change): void {
  const { path, op } = change;
  if (path.name === '') {
    for (const name of Object.keys(attributes)) Reflect.deleteProperty(attributes, name);
    return;
  }
  const value = changedValue(attributes, change);
  const isNothing = value === undefined || (typeof value === 'object' && Object.keys(value).length === 0);
  if (isNothing) Reflect.deleteProperty(attributes, path.name);
  else if (op === 'remove' || change.value !== undefined) setOwn(attributes, path.name, value);
}

/** A fact of the tenant's own is one value, whatever its type, and changed as a whole. */
function changedValue(attributes: Attributes, change: Change): Attributes[string] | undefined {
  const { path, filter, value } = change;
  if (path.schema === CUSTOM) return value as AttributeValue;
  if (filter || Array.isArray(value) || Array.isArray(attributes[path.name])) {
    return changedList(listOf(attributes, path.name), change);
  }
  return changedSingle(Object.hasOwn(attributes, path.name) ? attributes[path.name] : undefined, change);
}

const listOf = (attributes: Attributes, name: string): Complex[] => {
  const value = attributes[name];
  return Array.isArray(value) ? value : [];
};

/** Parts of a complex value that are not mentioned stay. */
function changedSingle(
  before: Attributes[string] | undefined,
  { op, path, value }: Change,
): Attributes[string] | undefined {
  if (path.sub !== undefined) {
    return withPart(isComplex(before) ? before : {}, path.sub, op === 'remove' ? undefined : (value as string));
  }
  if (op === 'remove' || value === undefined) return op === 'remove' ? undefined : before;
  return isRecord(value) ? withParts(isComplex(before) ? before : {}, value as PartChanges) : (value as AttributeValue);
}

function changedList(before: readonly Complex[], change: Change): Complex[] {
  const after = change.filter ? changedMatches(before, change, change.filter) : changedWhole(before, change);
  return withOnePrimary(before, withoutRepeats(after.filter((item) => Object.keys(item).length > 0)));
}

function changedWhole(before: readonly Complex[], { op, path, value }: Change): Complex[] {
  const { sub } = path;
  if (sub !== undefined) {
    const items = before.length > 0 || op === 'remove' ? before : [{}];
    return items.map((item) => withPart(item, sub, op === 'remove' ? undefined : (value as string)));
  }
  const given = (Array.isArray(value) ? value : value === undefined ? [] : [value]) as Complex[];
  return op === 'add' ? [...before, ...given] : op === 'replace' ? given : [];
}

function changedMatches(before: readonly Complex[], change: Change, filter: Filter): Complex[] {
  if (before.some((item) => satisfies(item, filter))) {
    return before.flatMap((item) => (satisfies(item, filter) ? changedItem(item, change) : [item]));
  }
  if (change.op === 'remove' || isClearing(change.value)) return [...before];
  return [...before, ...changedItem(newItem(change, filter), change)];
}

function changedItem(item: Complex, { op, path, value }: Change): Complex[] {
  if (path.sub !== undefined) return [withPart(item, path.sub, op === 'remove' ? undefined : (value as string))];
  return op === 'remove' ? [] : [withParts(item, value as PartChanges)];
}

/** A value that satisfies the condition, where it says all that there is to it: `type eq "work"`. */
function newItem({ op }: Change, filter: Filter): Complex {
  const item: Complex = {};
  for (const condition of filter.kind === 'and' ? filter.operands : [filter]) {
    if (condition.kind !== 'compare' || condition.operator !== 'eq' || condition.path.sub === undefined)
      throw noTarget();
    item[condition.path.sub] = condition.value as string;
  }
  const isKnown = item['primary'] === true || makeable.has(String(item['type']).toLowerCase());
  if (op === 'replace' && !isKnown) throw noTarget();
  return item;
}

function withPart(item: Complex, name: string, value: string | boolean | undefined): Complex {
  const others = Object.fromEntries(Object.entries(item).filter(([key]) => key !== name));
  return value === undefined ? others : { ...others, [name]: value };
}

/** Whichever value was made primary last is, alone. */
function withOnePrimary(before: readonly Complex[], after: readonly Complex[]): Complex[] {
  const primaries = after.filter((item) => item['primary'] === true);
  if (primaries.length < 2) return [...after];
  const known = new Set(before.filter((item) => item['primary'] === true).map(identityOf));
  const chosen = primaries.filter((item) => !known.has(identityOf(item))).at(-1) ?? primaries[0];
  return after.map((item) => (item['primary'] === true && item !== chosen ? { ...item, primary: false } : item));
}

function satisfies(item: Complex, filter: Filter): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.operands.every((each) => satisfies(item, each));
    case 'or':
      return filter.operands.some((each) => satisfies(item, each));
    case 'not':
      return !satisfies(item, filter.operand);
    case 'present':
      return item[filter.path.sub ?? 'value'] !== undefined;
    case 'compare':
      return compares(item[filter.path.sub ?? 'value'], filter.operator, filter.value);
    case 'element':
      return false;
  }
}

function compares(actual: string | boolean | undefined, operator: string, expected: unknown): boolean {
  const left = actual === undefined ? undefined : String(actual).toLowerCase();
  const right = String(expected).toLowerCase();
  if (operator === 'ne') return left !== right;
  if (left === undefined) return typeof expected === 'boolean' && operator === 'eq' && !expected;
  const verdicts: Record<string, () => boolean> = {
    eq: () => left === right,
    co: () => left.includes(right),
    sw: () => left.startsWith(right),
    ew: () => left.endsWith(right),
    gt: () => left > right,
    ge: () => left >= right,
    lt: () => left < right,
    le: () => left <= right,
  };
  return verdicts[operator]?.() ?? false;
}

const noTarget = (): AppError => new AppError('scim.no_target', 'No value satisfies the condition of the path');
