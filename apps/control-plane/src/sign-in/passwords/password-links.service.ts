import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { AccessChanges } from '../../kernel';
import { ApiKeyRevocations } from '../../credentials';
import { Passwords } from './passwords.service';
import { PasswordLinksRepository, type LinkHolder } from './password-links.repository';

/** What the page behind a link asks for. Who holds the link acts as the user. */
@Injectable()
export class PasswordLinksService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly links: PasswordLinksRepository,
    private readonly passwords: Passwords,
    private readonly keys: ApiKeyRevocations,
    private readonly changes: AccessChanges,
  ) {}

  async describe(
    { tenantId }: Principal,
    { tokenHash }: BodyOf<'describePasswordLink'>,
  ): Promise<ReplyOf<'describePasswordLink'>> {
    const { email, firstName, purpose } = await this.holder(tenantId, tokenHash);
    return { email, firstName, purpose };
  }

  /** Sets the password, ends what was begun with the one before, and uses the link up. */
  async use(
    principal: Principal,
    { tokenHash, password }: BodyOf<'usePasswordLink'>,
  ): Promise<ReplyOf<'usePasswordLink'>> {
    const { userId, email } = await this.holder(principal.tenantId, tokenHash);
    const accepted = await this.passwords.accept(password, { email });
    const holder = { ...principal, userId, email, credentialId: `user:${userId}` };
    await this.changes.mutate(holder, async (tx) => {
      const link = await this.links.takeOut(tx, tokenHash);
      if (!link) throw linkNotFound();
      await this.passwords.set(tx, userId, accepted);
      if (link.revokesApiKeys) await this.keys.ofUser(tx, holder, userId);
    });
    return { email };
  }

  private async holder(tenantId: number, tokenHash: string): Promise<LinkHolder> {
    const holder = await this.database.transaction(tenantId, (tx) => this.links.findHolder(tx, tokenHash));
    if (!holder) throw linkNotFound();
    return holder;
  }
}

const linkNotFound = (): AppError =>
  new AppError('password_link.not_found', 'The link has expired, was used, or was replaced by a newer one');
