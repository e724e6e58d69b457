import { hasAccess, type Principal } from '@plinth/auth';
import { withoutReservedClaims } from './token-signer';

/** What is signed into a token besides its times. */
export interface TokenGrant {
  securityContext: Record<string, unknown>;
  scopes: string[];
}

export interface TokenRequest {
  securityContext: Readonly<Record<string, unknown>>;
  scopes: readonly string[];
}

/**
 * What an environment token may hold. Who may not change the deployment can neither choose the context nor get a
 * scope; unknown scopes are left out.
 */
export function environmentGrant(principal: Principal, deploymentId: number, request: TokenRequest): TokenGrant {
  if (!hasAccess(principal, 'DeploymentUpdate', deploymentId)) return { securityContext: {}, scopes: [] };
  const allowed = ['meta', ...(hasAccess(principal, 'SqlRunnerRead', deploymentId) ? ['sql-runner'] : [])];
  return {
    securityContext: withoutReservedClaims(request.securityContext),
    scopes: allowed.filter((scope) => request.scopes.includes(scope)),
  };
}

/** What a token for metadata sync may hold: the scope `meta` always, `meta-private` for who may read the schema. */
export function metaSyncGrant(principal: Principal, deploymentId: number, request: TokenRequest): TokenGrant {
  const isPrivate = request.scopes.includes('meta-private') && hasAccess(principal, 'SchemaRead', deploymentId);
  return {
    securityContext: withoutReservedClaims(request.securityContext),
    scopes: isPrivate ? ['meta', 'meta-private'] : ['meta'],
  };
}
