import { hasAccess, type Principal } from '@plinth/auth';
import type { TokenOrder } from '../data-tokens/data-tokens.service';

/** What an environment token may hold. */
export type EnvironmentGrant = Pick<TokenOrder, 'purpose' | 'securityContext' | 'scopes'>;

export interface TokenRequest {
  securityContext: Readonly<Record<string, unknown>>;
  scopes: readonly string[];
}

/** Who may not change the deployment gets their own context and no scope; unknown scopes are left out. */
export function environmentGrant(principal: Principal, deploymentId: number, request: TokenRequest): EnvironmentGrant {
  const mayChoose = hasAccess(principal, 'DeploymentUpdate', deploymentId);
  const allowed = [
    ...(mayChoose ? ['meta'] : []),
    ...(mayChoose && hasAccess(principal, 'SqlRunnerRead', deploymentId) ? ['sql-runner'] : []),
    ...(mayChoose && hasAccess(principal, 'DeploymentAgentRead', deploymentId) ? ['chat'] : []),
  ];
  return {
    purpose: 'environment',
    securityContext: chosenContext(principal, deploymentId, request),
    scopes: allowed.filter((scope) => request.scopes.includes(scope)),
  };
}

/** What a token for metadata sync may hold: the scope `meta` always, `meta-private` for who may read the schema. */
export function metaSyncGrant(principal: Principal, deploymentId: number, request: TokenRequest): EnvironmentGrant {
  const isPrivate = request.scopes.includes('meta-private') && hasAccess(principal, 'SchemaRead', deploymentId);
  return {
    purpose: 'meta-sync',
    securityContext: chosenContext(principal, deploymentId, request),
    scopes: isPrivate ? ['meta', 'meta-private'] : ['meta'],
  };
}

/** A context decides what its holder sees, so that only those choose one who may change the deployment anyway. */
const chosenContext = (principal: Principal, deploymentId: number, { securityContext }: TokenRequest) =>
  hasAccess(principal, 'DeploymentUpdate', deploymentId) ? securityContext : null;
