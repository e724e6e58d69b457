import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { lastingPrincipal, systemPrincipal, type Principal } from '@plinth/auth';
import type { OperationDescription, ReplyOf } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import { ShortCache, type Bus } from '@plinth/messaging';
import type { FailureLimiter } from '../limits/failure-limiter';
import type { Tenant } from '../tenants/tenant.resolver';

type Identity = ReplyOf<'authenticateDeploymentToken'>;

const HEADER = 'x-cube-auth-token';

const refusals: Record<NonNullable<Identity['refusal']>, string> = {
  'chat.token_scope': 'The token has no scope `chat`',
  'chat.tokens_off': 'The settings of the deployment do not let agents be asked with its tokens',
};

/** The token of a deployment that a request shows where there is no `Authorization`; undefined for operations that take none. */
export function deploymentTokenIn(
  { headers }: Pick<IncomingMessage, 'headers'>,
  { access }: OperationDescription,
): string | undefined {
  const token = headers[HEADER];
  const counts = headers.authorization === undefined && access.credentials.includes('deployment-token');
  return counts && typeof token === 'string' ? token : undefined;
}

/** Whom tokens of deployments stand for, remembered until a notice that credentials or deployments have changed. */
export class DeploymentTokens {
  private readonly known: ShortCache<Identity>;

  /** @param cacheMs bounds what a lost notice of a revocation costs. */
  constructor(
    private readonly bus: Bus,
    private readonly failures: FailureLimiter,
    cacheMs: number,
  ) {
    this.known = new ShortCache(cacheMs, { lifetimeMs: ({ validForMs, refusal }) => (refusal ? cacheMs : validForMs) });
    for (const topic of ['control-plane.credential.changed', 'control-plane.deployment.changed']) {
      bus.subscribe(topic, () => this.known.clear());
    }
  }

  /**
   * @throws AppError `auth.credential_invalid` (401), `chat.token_scope` and `chat.tokens_off` (403),
   *   `request.too_many_failures` (429) for who tries many.
   */
  async authenticate({ tenantId, tenantName }: Tenant, token: string, clientIp: string): Promise<Principal> {
    const key = `${tenantId}:${hash('sha256', token)}`;
    const lookUp = () =>
      this.known.resolve(key, async () => {
        const asking = { ...systemPrincipal(tenantId), tenantName };
        const identity = await this.bus.ask('authenticateDeploymentToken', asking, { token });
        if (identity.principal) lastingPrincipal(identity.principal);
        return identity.principal || identity.refusal ? identity : null;
      });
    const identity = await this.failures.find('credential', key, clientIp, lookUp);
    if (identity?.refusal) throw new AppError(identity.refusal, refusals[identity.refusal]);
    if (identity?.principal) return identity.principal;
    throw new AppError('auth.credential_invalid', 'The token is not one of this account, has expired or was revoked');
  }
}
