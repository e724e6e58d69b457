import { clientNetwork, type Principal } from '@plinth/auth';
import { AppError } from '@plinth/errors';
import { LRUCache } from 'lru-cache';

const PERIOD_MS = 60_000;
/** Bound of memory: of more callers within a minute, those who came longest ago begin anew. */
const MOST_CALLERS = 100_000;

/** Requests per minute and credential on this gateway; anonymous callers are told apart by address. */
export class RateLimiter {
  private readonly periods: LRUCache<string, { requests: number }>;

  /** @param perMinute off at zero. */
  constructor(
    private readonly perMinute: number,
    periodMs = PERIOD_MS,
  ) {
    this.periods = new LRUCache({ max: MOST_CALLERS, ttl: periodMs });
  }

  /** @throws AppError `request.rate_limited` (429) with the seconds to wait. */
  consume(principal: Principal, clientIp: string): void {
    if (this.perMinute === 0) return;
    const caller = callerOf(principal, clientIp);
    const period = this.periods.get(caller) ?? this.begin(caller);
    period.requests += 1;
    if (period.requests <= this.perMinute) return;
    throw new AppError('request.rate_limited', 'Too many requests; wait before sending the next one', {
      retryAfterSeconds: Math.max(1, Math.ceil(this.periods.getRemainingTTL(caller) / 1_000)),
    });
  }

  private begin(caller: string): { requests: number } {
    const period = { requests: 0 };
    this.periods.set(caller, period);
    return period;
  }
}

const callerOf = ({ kind, tenantId, credentialId }: Principal, clientIp: string): string =>
  kind === 'anonymous' ? `${tenantId}:address:${clientNetwork(clientIp)}` : `${tenantId}:credential:${credentialId}`;
