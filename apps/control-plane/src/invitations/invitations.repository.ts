import { BaseRepository, type Transaction } from '@plinth/database';
import { UserInvitation } from './user-invitation.entity';

/** Whom an invitation is for. */
export interface Invitee {
  userId: number;
  email: string;
  firstName: string | null;
}

export class InvitationsRepository extends BaseRepository {
  /** Replaces the user's earlier invitation. */
  async put(tx: Transaction, invitation: UserInvitation): Promise<void> {
    await this.managerFor(tx).upsert(UserInvitation, invitation, ['userId']);
  }

  /** The person behind a link that still works. */
  async findInvitee(tx: Transaction, tokenHash: string): Promise<Invitee | undefined> {
    const [invitee] = (await this.managerFor(tx).query(
      `select u.id as "userId", u.email, u.first_name as "firstName"
       from user_invitation i join user_account u on u.id = i.user_id
       where i.token_hash = $1 and i.expires_at > now() and u.deactivated_at is null`,
      [tokenHash],
    )) as Invitee[];
    return invitee;
  }

  /** Uses the link up. Whether it still worked: of two people who come at once, one is told so. */
  async takeOut(tx: Transaction, tokenHash: string): Promise<boolean> {
    const { affected } = await this.managerFor(tx)
      .createQueryBuilder()
      .delete()
      .from(UserInvitation)
      .where('token_hash = :tokenHash and expires_at > now()', { tokenHash })
      .execute();
    return affected === 1;
  }

  async withdraw(tx: Transaction, userId: number): Promise<void> {
    await this.managerFor(tx).delete(UserInvitation, { userId });
  }
}
