import { type AttributeValue, parseValue } from '@plinth/user-attributes';
import type { HeldAttribute, TokenHolder } from './token-holders.repository';

/** The security context of queries that a user makes as themselves; data models rely on the names. */
export const ownContext = (
  userId: number,
  { username, email, groups, attributes, securityContext }: TokenHolder,
  roles: readonly string[],
): Record<string, unknown> => ({
  ...securityContext,
  cubeCloud: { userId, username, email, groups, roles, userAttributes: valuesOf(attributes) },
});

/** Values by name, without the attributes that have none. */
function valuesOf(attributes: readonly HeldAttribute[]): Record<string, AttributeValue> {
  const values: Record<string, AttributeValue> = {};
  for (const { name, type, value, defaultValue } of attributes) {
    const held = value ?? (defaultValue === null ? undefined : parseValue(type, defaultValue));
    if (held !== undefined) values[name] = held;
  }
  return values;
}
