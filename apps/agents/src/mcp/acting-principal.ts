import type { Principal } from '@plinth/auth';

/**
 * Whoever called a tool, as operations know them. A token for the MCP server opens no operation by itself; tools call a few,
 * and each decides by the rights of the user and the deployments that a key is limited to.
 */
export const actingPrincipal = (principal: Principal): Principal => ({ ...principal, kind: 'access-token' });
