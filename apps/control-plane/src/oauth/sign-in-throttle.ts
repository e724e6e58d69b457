import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@plinth/errors';
import { CONFIG } from '@plinth/host';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { AccountConfig } from '../accounts.config';

const PERIOD_SECONDS = 900;

/** Slows down who guesses passwords: of one account from anywhere, and of many accounts from one address. */
@Injectable()
export class SignInThrottle {
  private readonly accounts: RateLimiterMemory;
  private readonly addresses: RateLimiterMemory;

  constructor(@Inject(CONFIG) config: Pick<AccountConfig, 'signInAttemptsPerAccount' | 'signInAttemptsPerAddress'>) {
    this.accounts = new RateLimiterMemory({ points: config.signInAttemptsPerAccount, duration: PERIOD_SECONDS });
    this.addresses = new RateLimiterMemory({ points: config.signInAttemptsPerAddress, duration: PERIOD_SECONDS });
  }

  /**
   * Counts an attempt before it is made, so that attempts at the same time count too. Addresses of nobody count like
   * those of users: the refusal tells nothing.
   *
   * @throws AppError `request.rate_limited` (429).
   */
  async enter(tenantId: number, email: string, address: string): Promise<void> {
    await take(this.addresses, address);
    await take(this.accounts, accountKey(tenantId, email));
  }

  /** Takes a successful attempt off the count. */
  async succeed(tenantId: number, email: string, address: string): Promise<void> {
    await this.accounts.delete(accountKey(tenantId, email));
    await this.addresses.reward(address);
  }
}

const accountKey = (tenantId: number, email: string): string => `${tenantId}:${email.trim().toLowerCase()}`;

async function take(limiter: RateLimiterMemory, key: string): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    throw new AppError('request.rate_limited', 'Too many attempts to sign in; try again in some minutes', {
      retryAfterSeconds: Math.max(1, Math.ceil(refusal.msBeforeNext / 1_000)),
    });
  }
}
