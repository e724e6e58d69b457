import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { requestContext } from '@plinth/observability';
import { AccessChanges } from '../../kernel';
import { GuessingThrottle } from '../guessing/guessing-throttle';
import { Passwords, type ProvenPassword } from './passwords.service';
import { ownUser, requirePasswordAccount, type User, UsersRepository } from '../../people';

/** How people change their own passwords. */
@Injectable()
export class OwnPassword {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly users: UsersRepository,
    private readonly passwords: Passwords,
    private readonly throttle: GuessingThrottle,
    private readonly changes: AccessChanges,
  ) {}

  /**
   * Takes the password of before, so that a session in wrong hands is not an account in wrong hands. Of two changes at
   * the same time one is refused: the password that it names is the one of before no longer.
   */
  async change(principal: Principal, body: BodyOf<'changeMyPassword'>): Promise<ReplyOf<'changeMyPassword'>> {
    const user = await this.own(principal);
    requirePasswordAccount(user);
    const accepted = await this.passwords.accept(body.newPassword, user);
    const proven = await this.prove(user, body.currentPassword);
    // A wrong password is refused in the mutation, which first looks whether this is the repeat of a change that was made.
    return this.changes.mutate(principal, async (tx) => {
      if (!proven || !(await this.passwords.replace(tx, principal, proven, accepted))) throw wrongPassword();
      return { success: true };
    });
  }

  private async prove({ tenantId, id, email }: User, password: string): Promise<ProvenPassword | null> {
    const address = requestContext()?.clientIp ?? '';
    await this.throttle.enterPassword(tenantId, email, address);
    const proven = await this.passwords.prove(tenantId, id, password);
    if (proven) await this.throttle.acceptPassword(tenantId, email, address);
    return proven;
  }

  private own({ tenantId, userId }: Principal): Promise<User> {
    return this.database.transaction(tenantId, async (tx) =>
      ownUser(userId === null ? null : await this.users.findById(tx, userId)),
    );
  }
}

const wrongPassword = (): AppError => new AppError('password.wrong', 'The current password is wrong');
