import { hash } from 'node:crypto';
import { systemPrincipal, type Principal } from '@plinth/auth';
import { AppError, type ErrorCode } from '@plinth/errors';
import { ShortCache, type Bus } from '@plinth/messaging';
import type { FailureLimiter } from '../limits/failure-limiter';
import type { Environment, Place } from './data-places';
import { dataTokenIn } from './data-token';
import { verdictOn, type DataRefusal, type DataUse, type Verdict } from './data-verdicts';

/** What somebody may do at a place. */
export interface DataAccess {
  environment: Environment;
  /** The platform on behalf of the credential, which is what requests are counted by. */
  principal: Principal;
  securityContext: Record<string, unknown>;
}

const refusals: Readonly<Record<DataRefusal, readonly [ErrorCode, string]>> = {
  invalid: ['data_token.invalid', 'The token is not one of this deployment'],
  expired: ['data_token.expired', 'The token has expired'],
  revoked: ['data_token.revoked', 'The token has been revoked'],
  other_deployment: ['data_token.invalid', 'The token is not one of this deployment'],
  other_environment: ['data_token.other_environment', 'The token is for another environment of the deployment'],
  metadata_only: ['data_token.metadata_only', 'The token is for metadata alone'],
};

/** Who fails with these has shown a token of the deployment all the same. */
const proven: readonly DataRefusal[] = ['expired', 'revoked', 'other_environment', 'metadata_only'];

/** Tells what the credential of a request for data opens: the one place that knows kinds of them. */
export class DataCredentials {
  private readonly verdicts: ShortCache<Verdict>;

  /** @param cacheMs bounds what a lost notice of a revocation costs. */
  constructor(
    private readonly bus: Bus,
    private readonly failures: FailureLimiter,
    cacheMs: number,
  ) {
    this.verdicts = new ShortCache(cacheMs, { lifetimeMs: ({ access }) => access?.validForMs ?? cacheMs });
    for (const topic of ['control-plane.credential.changed', 'embed.session.changed']) {
      bus.subscribe(topic, () => this.verdicts.clear());
    }
  }

  /**
   * @throws AppError `data_token.*` (403), `environment.not_found` (404) where nothing serves the branch or it is another's,
   *   `request.too_many_failures` (429).
   */
  async open(place: Place, use: DataUse, authorization: string | undefined, clientIp: string): Promise<DataAccess> {
    const token = dataTokenIn(authorization);
    const { tenantId, deploymentId, environment } = place;
    const key = `${tenantId}:${deploymentId}:${environment?.environmentId ?? ''}:${use}:${hash('sha256', token)}`;
    const { access, refusal } =
      this.verdicts.peek(key) ?? (await this.verify(key, clientIp, () => verdictOn(this.bus, place, use, token)));
    if (!access || !environment) throw refusedAt(place, refusal ?? 'invalid');
    const { credentialId, userId, securityContext } = access;
    const principal = { ...systemPrincipal(tenantId), credentialId, userId };
    return { environment, principal, securityContext };
  }

  private async verify(key: string, clientIp: string, lookUp: () => Promise<Verdict>): Promise<Verdict> {
    let verdict: Verdict | null = null;
    await this.failures.find('credential', key, clientIp, async () => {
      verdict = await this.verdicts.resolve(key, lookUp);
      return isProven(verdict) ? verdict : null;
    });
    return verdict ?? { access: null };
  }
}

const isProven = (verdict: Verdict | null): verdict is Verdict =>
  verdict !== null && (verdict.access !== null || (verdict.refusal !== undefined && proven.includes(verdict.refusal)));

/** Who has a token of the deployment learns which branches are served, but not of dev branches that others have. */
function refusedAt({ environment, branch }: Place, refusal: DataRefusal): AppError {
  const isHidden = environment === undefined || environment.type === 'development';
  if (refusal === 'other_environment' && isHidden) {
    return new AppError('environment.not_found', `Nothing that this token opens serves the branch "${branch}"`);
  }
  return new AppError(...refusals[refusal]);
}
