import { backOffSeconds, BaseRepository, type Transaction } from '@plinth/database';
import type { MailSummary } from './run-summaries.service';
import type { ClaimedRun } from './runs.repository';

export interface NewDelivery {
  /** Null for a preview. */
  recipientId: number | null;
  subjectKey: string;
  address: string;
  messageId: string;
  /** Why nothing will be sent. */
  failure?: string;
}

export interface NewPicture {
  subjectKey: string;
  /** JSON, sealed. */
  securityContext: string;
}

export interface StoredPicture {
  title: string;
  contentType: string;
  content: Buffer;
  summary: MailSummary | null;
}

export interface Delivery {
  id: number;
  recipientId: number | null;
  subjectKey: string;
  address: string;
  messageId: string;
  attempts: number;
}

/** What became of asking whether a mail may be handed over. */
export type Permit = 'granted' | 'refused' | 'too many';

const MOST_ATTEMPTS = 8;
const FIRST_WAIT_SECONDS = 30;
const LONGEST_WAIT_SECONDS = 3_600;

/**
 * Mails of runs, one a recipient, and the pictures in them. Each mail has its message id from the plan on, is noted before it
 * is handed over and again after: who finds one between the two, hands it over again under the same id.
 */
export class DeliveriesRepository extends BaseRepository {
  async plan(
    tx: Transaction,
    { id, tenantId }: ClaimedRun,
    deliveries: readonly NewDelivery[],
    pictures: readonly NewPicture[],
  ): Promise<void> {
    const manager = this.managerFor(tx);
    await manager.query(
      `insert into notification_picture (tenant_id, run_id, subject_key, security_context)
       select $1, $2, p->>'subjectKey', p->>'securityContext' from json_array_elements($3::json) p`,
      [tenantId, id, JSON.stringify(pictures)],
    );
    await manager.query(
      `insert into notification_delivery (tenant_id, run_id, recipient_id, subject_key, address, message_id, state, reason,
         ended_at)
       select $1, $2, (d->>'recipientId')::bigint, d->>'subjectKey', d->>'address', d->>'messageId',
         case when d->>'failure' is null then 'planned' else 'failed' end, d->>'failure',
         case when d->>'failure' is null then null else now() end
       from json_array_elements($3::json) with ordinality listed (d, place) order by place`,
      [tenantId, id, JSON.stringify(deliveries)],
    );
  }

  /** Contexts of the run for which there is no picture yet. */
  undrawn(tx: Transaction, runId: number): Promise<NewPicture[]> {
    return this.managerFor(tx).query<NewPicture[]>(
      `select subject_key as "subjectKey", security_context as "securityContext" from notification_picture
       where run_id = $1 and content is null and error is null order by subject_key`,
      [runId],
    );
  }

  async keepPicture(tx: Transaction, runId: number, subjectKey: string, picture: StoredPicture): Promise<void> {
    const { title, contentType, content, summary } = picture;
    await this.managerFor(tx).query(
      `update notification_picture set title = $3, content_type = $4, content = $5, summary = $6
       where run_id = $1 and subject_key = $2`,
      [runId, subjectKey, title, contentType, content, summary && JSON.stringify(summary)],
    );
  }

  /** Nobody who would have got the picture gets a mail. */
  async failPicture(tx: Transaction, runId: number, subjectKey: string, reason: string): Promise<void> {
    const manager = this.managerFor(tx);
    await manager.query('update notification_picture set error = $3 where run_id = $1 and subject_key = $2', [
      runId,
      subjectKey,
      reason,
    ]);
    await this.failOpen(tx, runId, reason, subjectKey);
  }

  async picture(tx: Transaction, runId: number, subjectKey: string): Promise<StoredPicture | undefined> {
    const [row] = await this.managerFor(tx).query<StoredPicture[]>(
      `select title, content_type as "contentType", content, summary from notification_picture
       where run_id = $1 and subject_key = $2 and content is not null`,
      [runId, subjectKey],
    );
    return row;
  }

  /** Those that are due, those with one picture together. */
  due(tx: Transaction, runId: number, limit: number): Promise<Delivery[]> {
    return this.managerFor(tx).query<Delivery[]>(
      `select id, recipient_id as "recipientId", subject_key as "subjectKey", address, message_id as "messageId", attempts
       from notification_delivery
       where run_id = $1 and state in ('planned', 'sending') and next_attempt_at <= now() order by subject_key, id limit $2`,
      [runId, limit],
    );
  }

  /**
   * Notes that a mail is about to be handed over, when the run is still the process's, the recipient still one, and the
   * tenant has not had its mails of this minute.
   */
  async begin(tx: Transaction, run: ClaimedRun, { id }: Delivery, perMinute: number): Promise<Permit> {
    const manager = this.managerFor(tx);
    const taken = (await manager.query(
      `insert into mail_allowance as a (tenant_id, minute, used) values ($1, date_trunc('minute', now()), 1)
       on conflict (tenant_id) do update
         set minute = excluded.minute, used = case when a.minute = excluded.minute then a.used + 1 else 1 end
         where a.minute <> excluded.minute or a.used < $2
       returning used`,
      [run.tenantId, perMinute],
    )) as unknown[];
    if (taken.length === 0) return 'too many';
    const [, count] = (await manager.query(
      `update notification_delivery d set state = 'sending', attempts = d.attempts + 1, handed_over_at = now()
       from notification_run r join notification n on n.id = r.notification_id
       where d.id = $1 and d.run_id = r.id and d.state in ('planned', 'sending') and r.id = $2 and r.claim_id = $3
         and (r.cause = 'PREVIEW' or (n.sends_mail and exists (
           select from notification_recipient who where who.id = d.recipient_id)))`,
      [id, run.id, run.claimId],
    )) as [unknown, number];
    return count === 1 ? 'granted' : 'refused';
  }

  async sent(tx: Transaction, { id }: Delivery): Promise<void> {
    await this.managerFor(tx).query(
      `update notification_delivery set state = 'sent', ended_at = now(), reason = null where id = $1`,
      [id],
    );
  }

  /** Puts a mail off, longer each time, or ends it. */
  async failed(tx: Transaction, { id, attempts }: Delivery, reason: string, isFinal: boolean): Promise<void> {
    const isOver = isFinal || attempts + 1 >= MOST_ATTEMPTS;
    await this.managerFor(tx).query(
      `update notification_delivery set reason = $2, state = case when $3 then 'failed' else 'planned' end,
         ended_at = case when $3 then now() end, next_attempt_at = now() + make_interval(secs => $4)
       where id = $1 and state <> 'sent'`,
      [id, reason, isOver, backOffSeconds(attempts + 1, FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS)],
    );
  }

  /** Puts all off that are due: nothing is to be had of the server now. */
  async putOff(tx: Transaction, runId: number, reason: string): Promise<void> {
    await this.managerFor(tx).query(
      `update notification_delivery set reason = $2, attempts = attempts + 1,
         state = case when attempts + 1 >= $3 then 'failed' else state end,
         ended_at = case when attempts + 1 >= $3 then now() end,
         next_attempt_at = now() + make_interval(secs => least($4 * 2 ^ attempts, $5))
       where run_id = $1 and state in ('planned', 'sending') and next_attempt_at <= now()`,
      [runId, reason, MOST_ATTEMPTS, FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS],
    );
  }

  /** Has the rest wait for the next minute. */
  async waitForAllowance(tx: Transaction, runId: number): Promise<void> {
    await this.managerFor(tx).query(
      `update notification_delivery set next_attempt_at = date_trunc('minute', now()) + interval '1 minute'
       where run_id = $1 and state in ('planned', 'sending') and next_attempt_at <= now()`,
      [runId],
    );
  }

  async failOpen(tx: Transaction, runId: number, reason: string, subjectKey: string | null = null): Promise<void> {
    await this.managerFor(tx).query(
      `update notification_delivery set state = 'failed', ended_at = now(), reason = $2
       where run_id = $1 and state in ('planned', 'sending') and ($3::text is null or subject_key = $3)`,
      [runId, reason, subjectKey],
    );
  }
}
