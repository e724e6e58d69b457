import { anonymousPrincipal } from '@plinth/auth';
import type { AppError } from '@plinth/errors';
import type { Bus } from '@plinth/messaging';
import { runInContext, type Logger } from '@plinth/observability';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Exchange } from '../exchange/exchange';
import type { Tenant } from '../tenants/tenant.resolver';

const PER_MINUTE_AND_SOURCE = 5;
const PER_MINUTE_AND_TENANT = 60;

/** Credentials that are valid nowhere, wrong passwords of callers, and refusals of access. What was merely left out or mistyped tells nothing. */
const isTelling = ({ code }: AppError): boolean =>
  code === 'auth.credential_invalid' || code === 'password.wrong' || code.startsWith('access.');

/**
 * Has refused requests recorded in the audit log. Whoever is refused decides how often, so a source gets a few entries a
 * minute and so does an account: the first ones tell the story, and nobody fills the log.
 */
export class Denials {
  private readonly sources = new RateLimiterMemory({ points: PER_MINUTE_AND_SOURCE, duration: 60 });
  private readonly tenants = new RateLimiterMemory({ points: PER_MINUTE_AND_TENANT, duration: 60 });

  constructor(
    private readonly bus: Bus,
    private readonly logger: Logger,
  ) {}

  /** Never keeps the answer waiting, and never fails. */
  note(exchange: Exchange): void {
    const { tenant, error } = exchange;
    if (!tenant || !error || !isTelling(error)) return;
    runInContext(exchange.context, () => this.record(exchange, tenant, error)).catch((failure: unknown) =>
      this.logger.warn({ err: failure }, 'a refused request could not be recorded'),
    );
  }

  private async record({ context, clientIp, ...known }: Exchange, tenant: Tenant, { code }: AppError): Promise<void> {
    const principal = known.principal ?? anonymousPrincipal(tenant.tenantId, tenant.tenantName);
    const source = principal.kind === 'anonymous' ? `address:${clientIp}` : `credential:${principal.credentialId}`;
    if (!(await hasRoom(this.sources, `${tenant.tenantId}:${source}`))) return;
    if (!(await hasRoom(this.tenants, String(tenant.tenantId)))) return;
    await this.bus.ask('recordDenial', principal, { operation: context.operationId ?? 'unknown', reason: code });
  }
}

const hasRoom = (limiter: RateLimiterMemory, key: string): Promise<boolean> =>
  limiter.consume(key).then(
    () => true,
    () => false,
  );
