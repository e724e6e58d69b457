import { AppError } from '@plinth/errors';
import {
  CUSTOM,
  setOwn,
  type Attributes,
  type AttributeValue,
  type Change,
  type Resource,
} from '@plinth/scim-protocol';
import { type AttributeType, type AttributeValue as StoredValue, isValueOf, parseValue } from '@plinth/user-attributes';
import type { UserAttribute } from '../../people';

/** A fact in the words of the tenant. */
export type KnownAttribute = Pick<UserAttribute, 'id' | 'name' | 'type'>;

/**
 * Facts that a tenant keeps about its users: brings what an identity provider says of them to the names and types that
 * the tenant gave them. An exact name comes before one in other letters.
 *
 * Errors: AppError `scim.invalid_value` (400) for a fact that the tenant does not keep, or a value of another type.
 */
export class CustomFacts {
  constructor(private readonly attributes: readonly KnownAttribute[]) {}

  attribute(name: string): KnownAttribute {
    const folded = name.toLowerCase();
    const found =
      this.attributes.find((each) => each.name === name) ??
      this.attributes.find((each) => each.name.toLowerCase() === folded);
    if (!found) throw new AppError('scim.invalid_value', `There is no user attribute ${name.slice(0, 200)}`);
    return found;
  }

  resource(resource: Resource): Resource {
    const facts: Attributes = {};
    for (const [name, value] of Object.entries(resource[CUSTOM] ?? {})) {
      const attribute = this.attribute(name);
      setOwn(facts, attribute.name, storedValue(attribute, value) as AttributeValue);
    }
    return { ...resource, [CUSTOM]: facts };
  }

  change(change: Change): Change {
    if (change.path.schema !== CUSTOM || change.path.name === '') return change;
    const attribute = this.attribute(change.path.name);
    const named = { ...change, path: { ...change.path, name: attribute.name } };
    return change.value === undefined
      ? named
      : { ...named, value: storedValue(attribute, change.value) as AttributeValue };
  }
}

/** Identity providers know texts, and some numbers: a text stands for a value of the attribute's type. */
function storedValue({ name, type }: KnownAttribute, value: unknown): StoredValue {
  const read = isValueOf(type, value) ? value : isList(type) ? listOf(type, value) : scalarOf(type, onlyOf(value));
  if (!isValueOf(type, read)) throw new AppError('scim.invalid_value', `${name} takes a ${type} value`);
  return read;
}

type ListType = 'string_array' | 'number_array';
type ScalarType = Exclude<AttributeType, ListType>;

const isList = (type: AttributeType): type is ListType => type === 'string_array' || type === 'number_array';

const onlyOf = (value: unknown): unknown =>
  Array.isArray(value) && value.length === 1 ? (value[0] as unknown) : value;

function scalarOf(type: ScalarType, value: unknown): StoredValue | undefined {
  if (!['string', 'number', 'boolean'].includes(typeof value)) return undefined;
  const text = String(value);
  return type === 'string' ? text : parseValue(type, text.trim().toLowerCase());
}

function listOf(type: ListType, value: unknown): unknown[] {
  const itemType = type === 'string_array' ? 'string' : 'number';
  return itemsOf(type, value).map((item) => scalarOf(itemType, item));
}

/** A text is a list as JSON, or items with commas between them. */
function itemsOf(type: ListType, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'string') return [value];
  const list = parseValue(type, value);
  if (Array.isArray(list)) return list;
  return value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
