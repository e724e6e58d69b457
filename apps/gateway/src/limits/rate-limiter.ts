import { clientNetwork, type Principal } from '@plinth/auth';
import { AppError } from '@plinth/errors';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

/** Requests per minute and credential on this gateway; anonymous callers are told apart by address. */
export class RateLimiter {
  private readonly limiter: RateLimiterMemory | undefined;

  constructor(requestsPerMinute: number) {
    this.limiter =
      requestsPerMinute > 0 ? new RateLimiterMemory({ points: requestsPerMinute, duration: 60 }) : undefined;
  }

  /** @throws AppError `request.rate_limited` (429) with the seconds to wait. */
  async consume(principal: Principal, clientIp: string): Promise<void> {
    if (!this.limiter) return;
    const subject =
      principal.kind === 'anonymous' ? `address:${clientNetwork(clientIp)}` : `credential:${principal.credentialId}`;
    try {
      await this.limiter.consume(`${principal.tenantId}:${subject}`);
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      throw new AppError('request.rate_limited', 'Too many requests; wait before sending the next one', {
        retryAfterSeconds: Math.max(1, Math.ceil(refusal.msBeforeNext / 1_000)),
      });
    }
  }
}
