import { backOffSeconds, TaskRepository, type Transaction } from '@plinth/database';
import { MailFailure } from '@plinth/mail';
import type { Claim } from '@plinth/tasks';
import type { PasswordLinkPurpose } from './password-link.entity';

/** A link that goes to its person by mail. The address is the one that the person has when it is sent. */
export interface PasswordMail extends Claim {
  userId: number;
  purpose: PasswordLinkPurpose;
  sealedUrl: string;
  messageId: string;
  expiresAt: Date;
}

export type NewPasswordMail = Omit<PasswordMail, keyof Claim> & { tenantId: number };

/** With the waits in between, some eight hours. */
const MOST_ATTEMPTS = 12;
const FIRST_WAIT_SECONDS = 30;
const LONGEST_WAIT_SECONDS = 3_600;

/** Mails with links that are still to be handed over: one a person, since a new link ends the one before. */
export class PasswordMailsRepository extends TaskRepository<PasswordMail, void> {
  constructor() {
    super({
      table: 'password_mail',
      key: ['user_id'],
      columns: {
        user_id: 'userId',
        purpose: 'purpose',
        sealed_url: 'sealedUrl',
        message_id: 'messageId',
        expires_at: 'expiresAt',
      },
      leaseSeconds: 30,
      isScheduled: true,
      order: 'candidate.next_attempt_at',
    });
  }

  /** In the place of a mail of the person that has not been sent. */
  async put(tx: Transaction, mail: NewPasswordMail): Promise<void> {
    const { userId, tenantId, purpose, sealedUrl, messageId, expiresAt } = mail;
    await this.managerFor(tx).query(
      `insert into password_mail (user_id, tenant_id, purpose, sealed_url, message_id, expires_at)
       values ($1, $2, $3, $4, $5, $6)
       on conflict (user_id) do update set purpose = excluded.purpose, sealed_url = excluded.sealed_url,
         message_id = excluded.message_id, expires_at = excluded.expires_at, attempts = 0, next_attempt_at = now(),
         claim_id = null, lease_expires_at = null`,
      [userId, tenantId, purpose, sealedUrl, messageId, expiresAt],
    );
    this.added(tx);
  }

  /** The address of a person who is active and whose link works; undefined for anybody else. */
  async addressOf(tx: Transaction, { userId }: PasswordMail): Promise<string | undefined> {
    const [row] = await this.managerFor(tx).query<{ email: string | null }[]>(
      `select u.email from user_account u join user_invitation l on l.user_id = u.id
       where u.id = $1 and u.deactivated_at is null and l.expires_at > now()`,
      [userId],
    );
    return row?.email ?? undefined;
  }

  finish(tx: Transaction, mail: PasswordMail): Promise<boolean> {
    return this.removeClaimed(tx, mail);
  }

  /** Twice as long after every failure, from half a minute to an hour; given up when the server refuses it for good. */
  fail(tx: Transaction, mail: PasswordMail, error: unknown): Promise<boolean> {
    const isFinal = error instanceof MailFailure && error.isFinal;
    if (isFinal || mail.attempts >= MOST_ATTEMPTS) return this.finish(tx, mail);
    const seconds = backOffSeconds(mail.attempts, FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS);
    return this.giveUp(tx, mail, { set: 'next_attempt_at = now() + make_interval(secs => $1)', values: [seconds] });
  }
}
