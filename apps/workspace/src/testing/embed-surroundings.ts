import { systemPrincipal, type Principal } from '@plinth/auth';
import type { OperationId, Schemas } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import type { Call, Handler } from '@plinth/messaging';
import { handlers, type Surroundings } from './surroundings';

const EVERYONE = 1;

/** The parts of the embed service that workspace calls. */
export function embedOf(known: Surroundings): ReadonlyMap<OperationId, Handler> {
  const { embedSubjects, embedTenants, embedPeople, colleagues, embedSessions, tenantsWithoutEmbedding } = known;
  return handlers({
    resolveEmbedSubject: async ({ body }: Call<'resolveEmbedSubject'>) => {
      const { embedTenantName, externalId, email = null } = body;
      const found = embedSubjects.get(`${embedTenantName}/${externalId}`);
      if (!found) throw new AppError('embed_user.not_found', 'There is no such embed user');
      return { ...found, embedTenantName, externalId, email, displayName: null, groups: [], userAttributes: {} };
    },
    describeEmbedAudience: async ({ principal: { tenantId }, body }: Call<'describeEmbedAudience'>) => {
      if (tenantsWithoutEmbedding.has(tenantId)) throw new AppError('embedding.off', 'Embedding is switched off');
      const { embedTenantName } = body;
      if (embedTenantName === null) return { embedTenantId: null, embedTenantName, groupId: EVERYONE };
      const embedTenantId = embedTenants.get(`${tenantId}/${embedTenantName}`);
      if (embedTenantId === undefined) throw new AppError('embed_tenant.not_found', 'There is no such embed tenant');
      return { embedTenantId, embedTenantName, groupId: embedTenantId + 100 };
    },
    describeColleagues: async ({ principal: { tenantId }, body }: Call<'describeColleagues'>) => {
      const embedTenant = colleagues.get(`${tenantId}/${body.embedTenantName}`);
      const named = (ids: readonly number[], names?: ReadonlyMap<number, string>) =>
        ids.flatMap((id) => (names?.has(id) ? [{ id, name: names.get(id) ?? '' }] : []));
      const users = named(body.embedUserIds, embedTenant?.users);
      return {
        groups: named(body.groupIds, embedTenant?.groups),
        users: users.map(({ id, name }) => ({ id, username: name, email: null, firstName: null })),
      };
    },
    describeEmbedPeople: async ({ body }: Call<'describeEmbedPeople'>) => {
      await known.beforePeople?.();
      return { people: body.embedUserIds.flatMap((id) => embedPeople.get(id) ?? []) };
    },
    describeEmbedSession: async ({ body: { sessionId } }: Call<'describeEmbedSession'>) => {
      const found = embedSessions.get(sessionId);
      if (!found) throw new AppError('embed_session.ended', 'The embed session has ended');
      return { ...session, ...found, sessionId };
    },
  });
}

const session: Schemas['EmbedSessionFacts'] = {
  ...{ sessionId: '', deploymentId: 1, embedTenantName: null, embedUserId: null, userId: null, externalId: null },
  ...{ displayName: null, email: null, isCreator: false, publicDashboardId: null, securityContext: {}, settings: {} },
  ...{ theme: null, locale: null, timeZone: null, branchName: null, expiresAt: '2999-01-01T00:00:00.000Z' },
};

let ids = 5_000;

/** Somebody in an embed session, with what such sessions may do. */
export function newEmbedUser(
  { embedPeople, embedTenants, embedSessions, colleagues }: Surroundings,
  { tenantId, deploymentId }: { tenantId: number; deploymentId: number },
  {
    embedTenantName,
    groupIds = [],
    isCreator = false,
  }: { embedTenantName: string | null; groupIds?: number[]; isCreator?: boolean },
): Principal & { embed: NonNullable<Principal['embed']> & { embedUserId: number } } {
  const embedUserId = (ids += 1);
  const sessionId = `session-${embedUserId}`;
  const name = `${tenantId}/${embedTenantName}`;
  if (embedTenantName !== null && !embedTenants.has(name)) embedTenants.set(name, (ids += 1));
  const known = colleagues.get(name) ?? { groups: new Map<number, string>(), users: new Map<number, string>() };
  colleagues.set(name, known);
  known.users.set(embedUserId, `user-${embedUserId}`);
  for (const id of groupIds) known.groups.set(id, `group-${id}`);
  embedPeople.set(embedUserId, { id: embedUserId, email: `${embedUserId}@host.test`, firstName: 'Ada', picture: null });
  embedSessions.set(sessionId, { deploymentId, embedUserId, securityContext: { cubeCloud: { embedUserId } } });
  const actions = isCreator
    ? (['AIBIExplore', 'AIBIView', 'DeploymentRead'] as const)
    : (['AIBIView', 'DeploymentRead'] as const);
  return {
    ...systemPrincipal(tenantId),
    kind: 'embed-session',
    credentialId: sessionId,
    isAdmin: false,
    deploymentIds: [deploymentId],
    grants: actions.map((action) => ({ action, deploymentIds: action === 'DeploymentRead' ? [deploymentId] : null })),
    embed: { sessionId, deploymentId, embedUserId, embedTenantName, groupIds, isCreator, publicDashboardId: null },
  };
}
