import { Inject, Injectable } from '@nestjs/common';
import { requireAccess, type Principal } from '@plinth/auth';
import type { ReplyOf } from '@plinth/contract';
import { Database } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { toContractUser } from './user.entity';
import { UsersRepository } from './users.repository';

@Injectable()
export class UsersService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly users: UsersRepository,
  ) {}

  /** The user who owns the caller's credential. */
  async current(principal: Principal): Promise<ReplyOf<'getCurrentUser'>> {
    requireAccess(principal, 'signed-in');
    const { userId } = principal;
    const user =
      userId === null
        ? null
        : await this.database.transaction(principal.tenantId, (tx) => this.users.findById(tx, userId));
    if (!user) throw new AppError('auth.credential_invalid', 'The credential belongs to no user');
    return toContractUser(user);
  }
}
