/** Who may call an operation, from its `x-permission`, `x-scope` and `x-credentials`. */

const PERMISSIONS_WITHOUT_ACTION = ['admin', 'self', 'signed-in', 'public', 'system'];
/** Of people and of their programs; credentials of embed sessions and identity providers reach what names them. */
const ORDINARY_CREDENTIALS = ['api-key', 'access-token'];
/** Services call each other on behalf of anybody. */
const ALL_CREDENTIALS = [...ORDINARY_CREDENTIALS, 'mcp-token', 'embed-session', 'scim-token', 'deployment-token'];

/** libs/auth describes every action of the same list, or it does not compile. */
function permissionOf(actions, { operationId, 'x-permission': permission, 'x-internal': internal }) {
  const isKnown = PERMISSIONS_WITHOUT_ACTION.includes(permission) || actions.includes(permission);
  if (isKnown && (permission !== 'system' || internal)) return permission;
  throw new Error(`${operationId}: there is no permission ${permission}`);
}

/**
 * Callers without a user have no credential that could be limited. That all others have `x-scope` is a rule of the lint.
 *
 * @throws Error when there is no such permission.
 */
export const accessOf = (actions, operation) => ({
  permission: permissionOf(actions, operation),
  scope: operation['x-scope'] ?? 'any',
  credentials: operation['x-credentials'] ?? (operation['x-internal'] ? ALL_CREDENTIALS : ORDINARY_CREDENTIALS),
});
