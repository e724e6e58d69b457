import { EVERYONE, groupOfTenant, NO_EMBED_TENANT } from '../tenants';
import type { HeldSubject } from './subjects.repository';

/** What holds for an embed user at present. */
export interface Standing {
  /** Names of groups of the account. */
  groups: readonly string[];
  userAttributes: Record<string, unknown>;
  /** What data models see as roles. */
  roles: readonly string[];
  /** What the host application wants data models to know besides. */
  context: Record<string, unknown>;
}

/**
 * The security context of queries of an embed user; data models rely on the names. There is no `userId`, as that stands
 * for users of the account, who have other ids.
 */
export const securityContextOf = (
  { embedTenantName, externalId, shownEmail, tenantGroups }: HeldSubject,
  { groups, userAttributes, roles, context }: Standing,
): Record<string, unknown> => ({
  ...context,
  cubeCloud: {
    username: externalId,
    email: shownEmail,
    externalId,
    embedTenantName: embedTenantName || null,
    groups: [...groups, ...tenantGroups.map((name) => groupName(embedTenantName, name)), ...builtIn(embedTenantName)],
    roles,
    userAttributes,
  },
});

const groupName = (embedTenantName: string, name: string): string => `${groupOfTenant(embedTenantName)}:group:${name}`;

const builtIn = (embedTenantName: string): string[] =>
  embedTenantName === NO_EMBED_TENANT ? [EVERYONE] : [groupOfTenant(embedTenantName), EVERYONE];
