import { clientNetwork, type Principal } from '@plinth/auth';
import { atMost } from '@plinth/caches';
import { AppError } from '@plinth/errors';
import { LRUCache } from 'lru-cache';

const PERIOD_MS = 60_000;
/** Bound of memory: of more callers within a minute, those who came longest ago begin anew. */
const MOST_CALLERS = 50_000;

interface Period {
  requests: number;
}

type Periods = LRUCache<string, Period>;

/** Requests per minute and credential on this gateway; anonymous callers are told apart by address. */
export class RateLimiter {
  private readonly periods: Periods | undefined;

  /**
   * @param perMinute off at zero.
   * @param clock of milliseconds that never goes back.
   */
  constructor(
    private readonly perMinute: number,
    clock: { now(): number } = performance,
  ) {
    if (perMinute > 0) this.periods = new LRUCache({ ...atMost(MOST_CALLERS), ttl: PERIOD_MS, perf: clock });
  }

  /** @throws AppError `request.rate_limited` (429) with the seconds to wait. */
  consume(principal: Principal, clientIp: string): void {
    const { periods } = this;
    if (!periods) return;
    const caller = callerOf(principal, clientIp);
    const period = periods.get(caller) ?? begin(periods, caller);
    period.requests += 1;
    if (period.requests <= this.perMinute) return;
    throw new AppError('request.rate_limited', 'Too many requests; wait before sending the next one', {
      retryAfterSeconds: Math.max(1, Math.ceil(periods.getRemainingTTL(caller) / 1_000)),
    });
  }
}

function begin(periods: Periods, caller: string): Period {
  const period = { requests: 0 };
  periods.set(caller, period);
  return period;
}

const callerOf = ({ kind, tenantId, credentialId }: Principal, clientIp: string): string =>
  kind === 'anonymous' ? `${tenantId}:address:${clientNetwork(clientIp)}` : `${tenantId}:credential:${credentialId}`;
