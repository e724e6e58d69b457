import { systemPrincipal, type Principal } from '@plinth/auth';
import type { Schemas } from '@plinth/contract';
import { until as untilAnswered } from '@plinth/testing';
import { newTenant } from './access-fixture';
import type { Fixture } from './deployment-fixture';

/** An administrator, with an API key, of a tenant that nobody else uses. */
export const newTenantAdmin = async (platform: Fixture): Promise<Principal> => (await newTenant(platform)).admin;

/** A user of the tenant by an API key of theirs; those who do not administer it are viewers. */
export const principalOf = (
  tenantId: number,
  { id, email, isAdmin }: Pick<Schemas['User'], 'id' | 'email' | 'isAdmin'>,
): Principal => ({
  ...systemPrincipal(tenantId),
  kind: 'api-key',
  credentialId: `api-key:of-${id}`,
  userId: id,
  email,
  isAdmin,
  grants: [{ action: 'AIBIView', deploymentIds: null }],
});

/** A viewer of the tenant that the administrator belongs to. */
export const viewerBeside = (admin: Principal): Principal =>
  principalOf(admin.tenantId, { id: 999_999, email: 'viewer@people.test', isAdmin: false });

export const newUser = (name: string, more: object = {}) => ({
  email: `${name}@people.test`,
  username: name,
  ...more,
});

/** Waits until the condition holds. */
export const until = async (holds: () => boolean | Promise<boolean>): Promise<void> =>
  void (await untilAnswered('the condition', holds, Boolean));
