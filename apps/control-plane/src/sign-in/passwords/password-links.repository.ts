import { BaseRepository, type Transaction } from '@plinth/database';
import { PasswordLink, type PasswordLinkPurpose } from './password-link.entity';

/** Whom a link is for, and why. */
export interface LinkHolder {
  userId: number;
  email: string;
  firstName: string | null;
  purpose: PasswordLinkPurpose;
}

export class PasswordLinksRepository extends BaseRepository {
  /** Replaces the user's earlier link. */
  async put(tx: Transaction, link: PasswordLink): Promise<void> {
    await this.managerFor(tx).upsert(PasswordLink, link, ['userId']);
  }

  /** The person behind a link that still works. */
  async findHolder(tx: Transaction, tokenHash: string): Promise<LinkHolder | undefined> {
    const [holder] = (await this.managerFor(tx).query(
      `select u.id as "userId", u.email, u.first_name as "firstName", l.purpose
       from user_invitation l join user_account u on u.id = l.user_id
       where l.token_hash = $1 and l.expires_at > now() and u.deactivated_at is null`,
      [tokenHash],
    )) as LinkHolder[];
    return holder;
  }

  /** Uses the link up; undefined when it no longer worked: of two people who come at once, one is told so. */
  async takeOut(tx: Transaction, tokenHash: string): Promise<Pick<PasswordLink, 'revokesApiKeys'> | undefined> {
    const [[link]] = (await this.managerFor(tx).query(
      `delete from user_invitation where token_hash = $1 and expires_at > now()
       returning revokes_api_keys as "revokesApiKeys"`,
      [tokenHash],
    )) as [Pick<PasswordLink, 'revokesApiKeys'>[], number];
    return link;
  }

  async withdraw(tx: Transaction, userId: number): Promise<void> {
    await this.managerFor(tx).delete(PasswordLink, { userId });
  }
}
