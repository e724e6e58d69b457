import { parseValue } from '@plinth/user-attributes';
import type { HeldAttribute } from './subjects.repository';

/** What the embed tenant's own attributes are for a user, by name, without those that have no value. */
export function ownValuesOf(attributes: readonly HeldAttribute[]): Record<string, unknown> {
  const values = attributes.map((attribute) => [attribute.name, valueOf(attribute)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== null && value !== undefined));
}

const valueOf = ({ isOwn, value, type, defaultValue }: HeldAttribute): unknown =>
  isOwn || defaultValue === null ? value : parseValue(type, defaultValue);
