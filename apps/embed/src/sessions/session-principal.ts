import { builtInPolicies, grantsOf, type Policy, type Principal } from '@plinth/auth';
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
    isCreator: session.isCreator,
  },
});

/** Embed users read what is shared with them; those who make content have what Explorer has, on the deployment. */
const embedUser = ({ displayName, externalId, email, isCreator, deploymentId }: OpenSession) => ({
  userName: displayName ?? externalId ?? '',
  email,
  isAdmin: false,
  grants: grantsOf((isCreator ? creator : viewer).map((policy) => on(deploymentId, policy))),
});

const embedded: Policy = { resourceType: 'Deployment', actions: ['EmbedDeploymentRead'], resources: ['All'] };

const creator: readonly Policy[] = [...builtInPolicies.Explorer, embedded];

const viewer: readonly Policy[] = [
  { resourceType: 'Global', actions: ['AIBIView'], resources: ['All'] },
  { ...embedded, actions: ['DeploymentRead', 'EmbedDeploymentRead'] },
];

const on = (deploymentId: number, policy: Policy): Policy =>
  policy.resourceType === 'Deployment' ? { ...policy, resources: [String(deploymentId)] } : policy;
