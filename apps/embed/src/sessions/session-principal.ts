import { embedGrants, type Principal } from '@plinth/auth';
import type { Schemas } from '@plinth/contract';
import { credentialIdOf } from './session-ids';
import type { OpenSession } from './sessions.repository';

type Account = Pick<Principal, 'tenantId' | 'tenantName'>;

/** Whom a session stands for. It opens its deployment, and nothing of the account. */
export const principalOf = (
  account: Account,
  session: OpenSession,
  user: Schemas['AccountUser'] | null,
): NonNullable<Schemas['AuthenticatedEmbedSession']['principal']> => ({
  ...account,
  kind: 'embed-session',
  credentialId: credentialIdOf(session.id),
  ...(user ?? embedUser(session)),
  userId: session.userId,
  deploymentIds: [session.deploymentId],
  embed: {
    sessionId: session.id,
    deploymentId: session.deploymentId,
    embedUserId: session.embedUserId,
    embedTenantName: session.embedTenantName,
    groupIds: session.groupIds,
    isCreator: session.isCreator,
    publicDashboardId: session.context.publicDashboardId,
  },
});

const embedUser = ({ displayName, externalId, email, isCreator, deploymentId }: OpenSession) => ({
  userName: displayName ?? externalId ?? '',
  email,
  isAdmin: false,
  grants: embedGrants(deploymentId, isCreator),
});
