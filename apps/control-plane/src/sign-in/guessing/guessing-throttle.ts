import { Inject, Injectable } from '@nestjs/common';
import { clientNetwork } from '@plinth/auth';
import { Database } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { CONFIG } from '@plinth/host';
import type { GuessingConfig } from './guessing.config';
import { FailedAttemptsRepository } from './failed-attempts.repository';

type Limits = GuessingConfig;

/**
 * Slows down who guesses: passwords of one account from anywhere, passwords of many accounts and codes of devices from
 * one address. The count is one for all processes, and outlives them.
 */
@Injectable()
export class GuessingThrottle {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly attempts: FailedAttemptsRepository,
    @Inject(CONFIG) private readonly limits: Limits,
  ) {}

  /**
   * Counts an attempt to sign in before it is made, so that attempts at the same time count too. Addresses of nobody
   * count like those of users: the refusal tells nothing. Who is refused by address cannot lock accounts.
   *
   * @throws AppError `request.rate_limited` (429).
   */
  async enterPassword(tenantId: number, email: string, address: string): Promise<void> {
    await this.count(addressOf('password', address), this.limits.signInAttemptsPerAddress);
    await this.count(accountOf(tenantId, email), this.limits.signInAttemptsPerAccount);
  }

  /** Takes a successful attempt off the count. */
  async acceptPassword(tenantId: number, email: string, address: string): Promise<void> {
    await this.attempts.forget(this.database, accountOf(tenantId, email));
    await this.attempts.takeBack(this.database, addressOf('password', address));
  }

  /**
   * Counts a code of a device that a person typed in (RFC 8628, 5.1).
   *
   * @throws AppError `request.rate_limited` (429).
   */
  enterCode(address: string): Promise<void> {
    return this.count(addressOf('code', address), this.limits.signInAttemptsPerAddress);
  }

  acceptCode(address: string): Promise<void> {
    return this.attempts.takeBack(this.database, addressOf('code', address));
  }

  private async count(subject: string, limit: number): Promise<void> {
    const { attempts, secondsLeft } = await this.attempts.add(this.database, subject);
    if (attempts <= limit) return;
    throw new AppError('request.rate_limited', 'Too many failed attempts; try again in some minutes', {
      retryAfterSeconds: Math.max(1, Math.ceil(secondsLeft)),
    });
  }
}

const accountOf = (tenantId: number, email: string): string => `account:${tenantId}:${email.trim()}`;
const addressOf = (what: 'password' | 'code', address: string): string => `${what}-from:${clientNetwork(address)}`;
