import { Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, Schemas } from '@plinth/contract';
import { AccessChanges } from '../../kernel';
import { ApiKeyRevocations } from '../../credentials';
import { PasswordLinkIssuer } from './password-link-issuer';
import type { PasswordLinkPurpose } from './password-link.entity';
import { requirePasswordAccount, userNotFound, UsersRepository } from '../../people';

/** Links that administrators ask for and hand on, so that the person, and nobody else, chooses the password. */
@Injectable()
export class UserPasswordLinks {
  constructor(
    private readonly changes: AccessChanges,
    private readonly users: UsersRepository,
    private readonly links: PasswordLinkIssuer,
    private readonly keys: ApiKeyRevocations,
  ) {}

  invite(principal: Principal, id: number): Promise<Schemas['PasswordLink']> {
    return this.issue(principal, id, 'invitation');
  }

  /**
   * The password of before works until the link is used: a link in wrong hands locks nobody out. API keys that are to be
   * revoked are so at once, and again when the link is used: whoever knows the password can make keys until then.
   */
  resetPassword(principal: Principal, id: number, body: BodyOf<'resetUserPassword'>): Promise<Schemas['PasswordLink']> {
    return this.issue(principal, id, 'password-reset', body?.revokeApiKeys === true);
  }

  private async issue(
    principal: Principal,
    id: number,
    purpose: PasswordLinkPurpose,
    revokesApiKeys = false,
  ): Promise<Schemas['PasswordLink']> {
    return this.changes.mutate(principal, async (tx) => {
      const user = await this.users.findForUpdate(tx, id);
      if (!user) throw userNotFound();
      requirePasswordAccount(user);
      if (revokesApiKeys) await this.keys.ofUser(tx, principal, id);
      return this.links.issue(tx, user, purpose, { revokesApiKeys });
    });
  }
}
