import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database } from '@plinth/database';
import { requestContext, runInContext } from '@plinth/observability';
import { Passwords } from '../passwords/passwords.service';
import { UsersRepository } from '../../people';
import { GuessingThrottle } from '../guessing/guessing-throttle';

/** Who a person at a browser is. */
@Injectable()
export class SignInService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly passwords: Passwords,
    private readonly users: UsersRepository,
    private readonly throttle: GuessingThrottle,
  ) {}

  /** Says no in the same way, after the same time, to a wrong password and to an account that is not there. */
  async signIn(principal: Principal, { email, password }: BodyOf<'signIn'>): Promise<ReplyOf<'signIn'>> {
    const { tenantId } = principal;
    const address = requestContext()?.clientIp ?? '';
    await this.throttle.enterPassword(tenantId, email, address);
    const userId = await this.passwords.verify(tenantId, email.trim(), password);
    if (userId === null) {
      await this.recordFailure(principal, email);
      return { userId };
    }
    await this.throttle.acceptPassword(tenantId, email, address);
    return this.database.mutate(actingAs(principal, userId, email), async () => ({ userId }));
  }

  async signOut(principal: Principal, { userId }: BodyOf<'signOut'>): Promise<ReplyOf<'signOut'>> {
    const { user } = await this.describe(principal, { userId });
    return this.database.mutate(actingAs(principal, userId, user?.email ?? null), async () => ({}));
  }

  async describe(
    { tenantId }: Principal,
    { userId }: BodyOf<'describeSignedInUser'>,
  ): Promise<ReplyOf<'describeSignedInUser'>> {
    const user = await this.database.transaction(tenantId, (tx) => this.users.findById(tx, userId));
    if (!user || user.deactivatedAt) return { user: null };
    const { email, username, firstName, lastName } = user;
    return { user: { userId, email, username, firstName, lastName } };
  }

  private async recordFailure(principal: Principal, email: string): Promise<void> {
    const audit = { event: 'Failed to log in', attributes: { email }, deploymentId: null };
    await runInContext({ requestId: '', ...requestContext(), audit }, () =>
      this.database.mutate(principal, async () => undefined),
    );
  }
}

const actingAs = (principal: Principal, userId: number, email: string | null): Principal => ({
  ...principal,
  userId,
  email,
  credentialId: `user:${userId}`,
});
