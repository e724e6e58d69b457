/** What values an attribute of users has. */
export type AttributeType = 'string' | 'number' | 'boolean' | 'string_array' | 'number_array';

/** A value of any type. */
export type AttributeValue = string | number | boolean | string[] | number[];

const isText = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isArrayOf = (value: unknown, isItem: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(isItem);

const isOfType: Record<AttributeType, (value: unknown) => boolean> = {
  string: isText,
  number: isNumber,
  boolean: (value) => typeof value === 'boolean',
  string_array: (value) => isArrayOf(value, isText),
  number_array: (value) => isArrayOf(value, isNumber),
};

/** Whether a value as JSON has it belongs to the type. */
export const isValueOf = (type: AttributeType, value: unknown): value is AttributeValue => isOfType[type](value);

/**
 * The value that a text stands for: the text itself for `string`, JSON for every other type. Undefined when the text
 * is not of the type.
 */
export function parseValue(type: AttributeType, text: string): AttributeValue | undefined {
  const value = type === 'string' ? text : parsed(text);
  return isValueOf(type, value) ? value : undefined;
}

/** The value as people read it. */
export const formatValue = (value: AttributeValue | null): string | null =>
  value === null ? null : Array.isArray(value) ? value.join(', ') : String(value);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
