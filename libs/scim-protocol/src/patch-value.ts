import { AppError } from '@plinth/errors';
import type { Attribute } from './attributes';
import type { Target } from './parse-path';
import {
  findPart,
  invalid,
  isEmpty,
  isRecord,
  readList,
  readScalar,
  readValue,
  type AttributeValue,
  type Complex,
} from './resource';
import { CUSTOM } from './schemas';

/** Parts of a complex value by canonical names: null clears one, and those that are not mentioned stay. */
export type PartChanges = { [part: string]: string | boolean | null };

/**
 * The value of a PATCH operation in canonical form; undefined when it stands for none. Stricter than a resource is read:
 * what says nothing that can be understood must not take away what is there.
 *
 * @throws AppError `scim.invalid_value` (400) for a value of the wrong type, and for one that holds nothing but unknown
 *   parts; `scim.mutability` (400) for one that holds nothing but read-only parts.
 */
export function readPatchValue(
  { attribute, sub, path, filter }: Target,
  given: unknown,
): AttributeValue | PartChanges | undefined {
  if (isEmpty(given)) return undefined;
  if (sub) return readScalar(sub, given);
  if (path.schema === CUSTOM) return readValue(attribute, given, true);
  if (attribute.multiValued && !filter) return readItems(attribute, Array.isArray(given) ? given : [given]);
  const single = onlyOf(attribute, given);
  if (isEmpty(single)) return undefined;
  return attribute.type === 'complex' ? readParts(attribute, single) : readScalar(attribute, single);
}

function onlyOf(attribute: Attribute, given: unknown): unknown {
  if (!Array.isArray(given)) return given;
  if (given.length > 1) throw invalid(attribute, 'takes one value');
  return given[0];
}

function readItems(attribute: Attribute, given: readonly unknown[]): Complex[] | undefined {
  const items = given.filter((item) => !isEmpty(item));
  if (items.length === 0) throw invalid(attribute, 'has values that hold nothing');
  return readList(attribute, items, readWholeItem);
}

function readWholeItem(attribute: Attribute, item: unknown): Complex {
  const held = withParts({}, readParts(attribute, item));
  if (Object.keys(held).length === 0) throw invalid(attribute, 'has values that hold nothing');
  return held;
}

/** A value that is no object is the `value` of one. */
function readParts(attribute: Attribute, item: unknown): PartChanges {
  const named = Object.entries(isRecord(item) ? item : { value: item }).flatMap(([name, value]) => {
    const part = findPart(attribute, name);
    return part ? [{ part, value }] : [];
  });
  if (named.length === 0) throw invalid(attribute, 'has no part of that kind');
  const changed = named.filter(({ part }) => part.mutability === 'readWrite');
  if (changed.length === 0) throw new AppError('scim.mutability', `These parts of ${attribute.name} cannot be changed`);
  return Object.fromEntries(
    changed.map(({ part, value }) => [part.name, isEmpty(value) ? null : readScalar(part, value)]),
  );
}

/** The value with the parts changed. */
export const withParts = (value: Complex, changes: PartChanges): Complex =>
  Object.fromEntries(
    Object.entries({ ...value, ...changes }).filter((entry): entry is [string, string | boolean] => entry[1] !== null),
  );

/** Whether the changes do nothing but clear. */
export const isClearing = (value: unknown): boolean =>
  isRecord(value) && Object.values(value).every((part) => part === null);
