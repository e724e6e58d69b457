import type { CredentialKind } from '@plinth/contract';

/** A permission: an action on all deployments (`deploymentIds: null`) or on those named. */
export interface Grant {
  /** Name from the contract's `Policy.actions`, for example `DeploymentRead`; `All` stands for every one on deployments. */
  action: string;
  deploymentIds: readonly number[] | null;
}

/** What the principal of an embed session has besides; the session itself is known to the embed service. */
export interface EmbedCaller {
  sessionId: string;
  /** The only deployment that the session opens. */
  deploymentId: number;
  /** Null for a user of the account, whose `userId` the principal has. */
  embedUserId: number | null;
  /** Embed tenant whose groups count for the session; null for none. */
  embedTenantName: string | null;
  /** Groups of this embed tenant that the embed user is in; what is shared with them is shared with the user. */
  groupIds: readonly number[];
  /** Whether they may make content of their own (creator mode). */
  isCreator: boolean;
  /** The only dashboard that the session is for; null for all that the user sees. */
  publicDashboardId: string | null;
}

/** What a token of a deployment says of whoever asks an agent with it; the principal is whoever made the token. */
export interface TokenAsker {
  /** User of a host application; null for the maker of the token. */
  externalId: string | null;
  /** Environment that the token opens; null for whichever is production. */
  environmentId: number | null;
  /** Queries run under it. */
  securityContext: Record<string, unknown>;
}

/**
 * Who makes a call. The gateway resolves it from the credential; every service method takes it first.
 * `deploymentIds` is the scope of the credential: null means all deployments of the tenant. `grants` are what the user
 * may do, whatever the credential: nothing at all for a user without a licence tier.
 */
export interface Principal {
  kind: CredentialKind | 'anonymous' | 'system';
  tenantId: number;
  tenantName: string;
  /** Stable id of the credential; idempotency keys and dev-mode sessions belong to it. */
  credentialId: string;
  userId: number | null;
  /** Name shown as the author of commits. */
  userName: string;
  email: string | null;
  isAdmin: boolean;
  deploymentIds: readonly number[] | null;
  grants: readonly Grant[];
  /** Of embed sessions alone. */
  embed?: EmbedCaller;
  /** Of tokens of deployments alone. */
  asker?: TokenAsker;
}

/** The platform acting on its own account inside a tenant (event handlers, background work). */
export const systemPrincipal = (tenantId: number): Principal => ({
  kind: 'system',
  tenantId,
  tenantName: '',
  credentialId: 'system',
  userId: null,
  userName: 'Plinth',
  email: null,
  isAdmin: true,
  deploymentIds: null,
  grants: [],
});

/** A caller without a credential, for operations that are public. */
export const anonymousPrincipal = (tenantId: number, tenantName: string): Principal => ({
  ...systemPrincipal(tenantId),
  kind: 'anonymous',
  tenantName,
  credentialId: 'anonymous',
  userName: 'anonymous',
  isAdmin: false,
});
