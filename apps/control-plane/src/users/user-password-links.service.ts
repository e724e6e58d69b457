import { Inject, Injectable } from '@nestjs/common';
import { type Principal, requireAdministration } from '@plinth/auth';
import type { Schemas } from '@plinth/contract';
import { Database } from '@plinth/database';
import { PasswordLinkIssuer } from '../password-links/password-link-issuer';
import type { PasswordLinkPurpose } from '../password-links/password-link.entity';
import { requirePasswordAccount, userNotFound } from './user-errors';
import { UsersRepository } from './users.repository';

/** Links that administrators ask for and hand on, so that the person, and nobody else, chooses the password. */
@Injectable()
export class UserPasswordLinks {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly users: UsersRepository,
    private readonly links: PasswordLinkIssuer,
  ) {}

  invite(principal: Principal, id: number): Promise<Schemas['PasswordLink']> {
    return this.issue(principal, id, 'invitation');
  }

  /** The password of before works until the link is used: a link in wrong hands locks nobody out. */
  resetPassword(principal: Principal, id: number): Promise<Schemas['PasswordLink']> {
    return this.issue(principal, id, 'password-reset');
  }

  private async issue(
    principal: Principal,
    id: number,
    purpose: PasswordLinkPurpose,
  ): Promise<Schemas['PasswordLink']> {
    requireAdministration(principal);
    return this.database.mutate(principal, async (tx) => {
      const user = await this.users.findForUpdate(tx, id);
      if (!user) throw userNotFound();
      requirePasswordAccount(user);
      return this.links.issue(tx, user, purpose);
    });
  }
}
