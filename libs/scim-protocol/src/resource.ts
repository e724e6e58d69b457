import { AppError } from '@plinth/errors';
import { findAttribute, type Attribute } from './attributes';
import type { ResolvedPath } from './filter';
import { attributesOf, resolvePath, splitUrn } from './resolve-path';
import { CUSTOM, schemasOf, type ResourceKind } from './schemas';
import { UNSTORABLE } from './tokens';

/** Values of a complex attribute by canonical names. */
export type Complex = { [part: string]: string | boolean };

export type AttributeValue = string | boolean | Complex | Complex[];

/** Attributes of one schema by canonical names. What is absent has no value: null and empty lists do not occur. */
export type Attributes = { [name: string]: AttributeValue };

/** A resource as a client writes it, in canonical form: schemas by URN, without what only the service writes. */
export type Resource = { [schema: string]: Attributes };

/** Most characters of a text whose attribute says nothing of it. */
const TEXT_LENGTH = 8_192;
const MOST_VALUES = 100;

/** Lists that grow with the tenant are bounded by the body alone. */
const isBounded = ({ name }: Attribute): boolean => name !== 'members';

/**
 * The resource in a request body, whatever the case of its names, with full URNs or dots in them, single values in place
 * of lists, and texts in place of booleans. Unknown attributes and those of the service are dropped.
 *
 * @throws AppError `scim.invalid_value` (400) for a value of the wrong type, and for two primary values.
 */
export function readResource(kind: ResourceKind, body: Readonly<Record<string, unknown>>): Resource {
  const resource: Resource = {};
  for (const [key, value] of Object.entries(body)) place(kind, resource, key, value);
  return resource;
}

function place(kind: ResourceKind, resource: Resource, key: string, value: unknown): void {
  const urn = splitUrn(kind, key);
  if (urn?.rest === '') {
    const parts = isRecord(value) ? Object.entries(value) : [];
    for (const [name, part] of parts) place(kind, resource, `${urn.schema}:${name}`, part);
    return;
  }
  const found = resolvePath(kind, key);
  if (found?.attribute.mutability === 'readWrite') put(resource, found, value);
}

function put(resource: Resource, { path, attribute, sub }: ResolvedPath, value: unknown): void {
  const read = readValue(attribute, sub ? { [sub.name]: value } : value, path.schema === CUSTOM);
  if (read === undefined) return;
  const attributes = (resource[path.schema] ??= {});
  const known = attributes[path.name];
  const merged = sub && isComplex(known) && isComplex(read) ? { ...known, ...read } : read;
  setOwn(attributes, path.name, merged);
}

/** Sets a property of the object itself, also under a name such as `__proto__`. */
export const setOwn = (attributes: Attributes, name: string, value: AttributeValue): void =>
  void Object.defineProperty(attributes, name, { value, enumerable: true, configurable: true, writable: true });

/** The value in canonical form; undefined when it stands for none. */
export function readValue(attribute: Attribute, value: unknown, isCustom = false): AttributeValue | undefined {
  if (isEmpty(value)) return undefined;
  if (attribute.multiValued) return readList(attribute, Array.isArray(value) ? value : [value]);
  if (isCustom) return readCustom(attribute, value);
  const single: unknown = Array.isArray(value) ? value[0] : value;
  return attribute.type === 'complex' ? readComplex(attribute, single) : readScalar(attribute, single);
}

/** The values of a list in canonical form; undefined when none of them holds anything. */
export function readList(
  attribute: Attribute,
  given: readonly unknown[],
  readItem: (attribute: Attribute, item: unknown) => Complex | undefined = readComplex,
): Complex[] | undefined {
  const items = given.map((item) => readItem(attribute, item)).filter((item) => item !== undefined);
  if (isBounded(attribute) && items.length > MOST_VALUES) throw invalid(attribute, `has at most ${MOST_VALUES} values`);
  if (items.filter((item) => item['primary'] === true).length > 1) {
    throw invalid(attribute, 'has one primary value at most');
  }
  return items.length > 0 ? withoutRepeats(items) : undefined;
}

function readComplex(attribute: Attribute, item: unknown): Complex | undefined {
  if (isEmpty(item)) return undefined;
  if (!isRecord(item)) return readComplex(attribute, { value: item });
  const complex: Complex = {};
  for (const [name, value] of Object.entries(item)) {
    const part = findPart(attribute, name);
    if (!part || part.mutability !== 'readWrite' || isEmpty(value)) continue;
    complex[part.name] = readScalar(part, value);
  }
  return Object.keys(complex).length > 0 ? complex : undefined;
}

export function readScalar(attribute: Attribute, value: unknown): string | boolean {
  if (attribute.type === 'boolean') {
    const text = String(value).toLowerCase();
    if (text === 'true' || text === 'false') return text === 'true';
    throw invalid(attribute, 'must be true or false');
  }
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') throw invalid(attribute, 'must be text');
  const { maxLength = TEXT_LENGTH } = attribute;
  if (text.length > maxLength) throw invalid(attribute, `must have at most ${maxLength} characters`);
  if (UNSTORABLE.test(text)) throw invalid(attribute, 'must not hold the null character or half a character');
  return text;
}

/** Facts of the tenant's own have types of their own, which the tenant's attribute decides on. */
function readCustom(attribute: Attribute, value: unknown): AttributeValue {
  if (!Array.isArray(value)) return readFact(attribute, value);
  if (value.length > MOST_VALUES) throw invalid(attribute, `has at most ${MOST_VALUES} values`);
  return value.map((item) => readFact(attribute, item)) as unknown as Complex[];
}

function readFact(attribute: Attribute, given: unknown): AttributeValue {
  const value = isRecord(given) ? given['value'] : given;
  if (typeof value === 'string') return readScalar(attribute, value);
  if (typeof value === 'number' || typeof value === 'boolean') return value as boolean;
  throw invalid(attribute, 'must be text, a number, a boolean or a list of these');
}

/** Null, an empty text and an empty list stand for no value (RFC 7643, section 2.5). */
export const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isComplex = (value: AttributeValue | undefined): value is Complex => isRecord(value);

export function withoutRepeats(items: readonly Complex[]): Complex[] {
  return [...new Map(items.map((item) => [identityOf(item), item])).values()];
}

/** Two values are the same when all of their parts are. */
export const identityOf = (item: Complex): string =>
  JSON.stringify(Object.entries(item).sort(([left], [right]) => (left < right ? -1 : 1)));

/** @throws AppError `scim.invalid_value` (400) without a value for each attribute that is required. */
export function requireComplete(kind: ResourceKind, resource: Resource): void {
  const core = schemasOf[kind][0].id;
  for (const { name, required } of attributesOf(kind, core)) {
    const value = resource[core]?.[name];
    if (required && (typeof value !== 'string' || value.trim() === '')) {
      throw new AppError('scim.invalid_value', `${name} is required`);
    }
  }
}

/** The part of a complex attribute that a name stands for, in whatever case. */
export const findPart = (attribute: Attribute, name: string): Attribute | undefined =>
  findAttribute(attribute.subAttributes ?? [], name);

export const invalid = ({ name }: Attribute, message: string): AppError =>
  new AppError('scim.invalid_value', `${name} ${message}`);
