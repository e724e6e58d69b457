import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@plinth/database';
import { CONFIG, LOGGER } from '@plinth/host';
import { MailFailure, maskedAddress, type Mailer } from '@plinth/mail';
import { failpoint, type Logger } from '@plinth/observability';
import pLimit from 'p-limit';
import { DeliveriesRepository, type Delivery, type StoredPicture } from './deliveries.repository';
import { MailMetrics } from './mail-metrics';
import type { NotificationConfig } from './notifications.config';
import { notificationMail, type MailContents } from './notification-mail';
import type { ClaimedRun } from './runs.repository';
import { UnsubscribeTokens } from './unsubscribe-tokens';

/** What the mails of a run have in common. */
export type RunLetter = Pick<MailContents, 'when' | 'schedule' | 'dashboardUrl'> & { baseUrl: string };

/** Why no more of a run can be sent now. */
class Pause extends Error {
  constructor(readonly putOff: (run: ClaimedRun) => Promise<void>) {
    super('No more mails can be sent now');
  }
}

const BATCH = 50;
const AT_ONCE = 4;

/** Hands the mails of a run over, each once as far as SMTP can tell. */
@Injectable()
export class RunMails {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(CONFIG) private readonly config: NotificationConfig,
    private readonly deliveries: DeliveriesRepository,
    private readonly tokens: UnsubscribeTokens,
    private readonly metrics: MailMetrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Ends when nothing is due any more, or nothing can be sent now. */
  async send(mailer: Mailer, run: ClaimedRun, letter: RunLetter, signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        const due = await this.inTenant(run, (tx) => this.deliveries.due(tx, run.id, BATCH));
        if (due.length === 0) return;
        await this.sendAll(mailer, run, letter, due, signal);
      }
    } catch (error) {
      if (!(error instanceof Pause)) throw error;
      await error.putOff(run);
    }
  }

  private async sendAll(
    mailer: Mailer,
    run: ClaimedRun,
    letter: RunLetter,
    due: readonly Delivery[],
    signal: AbortSignal,
  ): Promise<void> {
    const limit = pLimit(AT_ONCE);
    const pictures = new Map<string, Promise<StoredPicture | undefined>>();
    const pictureOf = ({ subjectKey }: Delivery): Promise<StoredPicture | undefined> => {
      const picture =
        pictures.get(subjectKey) ?? this.inTenant(run, (tx) => this.deliveries.picture(tx, run.id, subjectKey));
      pictures.set(subjectKey, picture);
      // They come in the order of their pictures: those before are not needed any more.
      for (const key of [...pictures.keys()].slice(0, -AT_ONCE)) pictures.delete(key);
      return picture;
    };
    // After the first that fails nobody else begins; those under way come to their end.
    const broken = new AbortController();
    const ends = await Promise.allSettled(
      due.map((each) =>
        limit(async () => {
          signal.throwIfAborted();
          if (broken.signal.aborted) return;
          const picture = await pictureOf(each);
          if (picture) await this.sendOne(mailer, run, this.contentsOf(run, letter, each, picture), each);
          else await this.inTenant(run, (tx) => this.deliveries.failed(tx, each, 'There is no picture', true));
        }).catch((error: unknown) => {
          broken.abort();
          throw error;
        }),
      ),
    );
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  private async sendOne(mailer: Mailer, run: ClaimedRun, contents: MailContents, delivery: Delivery): Promise<void> {
    const { notificationMailsPerMinute } = this.config;
    const permit = await this.inTenant(run, (tx) =>
      this.deliveries.begin(tx, run, delivery, notificationMailsPerMinute),
    );
    if (permit === 'too many') {
      throw new Pause((of) => this.inTenant(of, (tx) => this.deliveries.waitForAllowance(tx, of.id)));
    }
    if (permit === 'refused') {
      const reason = 'The recipient was taken off, or mails were switched off';
      return this.inTenant(run, (tx) => this.deliveries.failed(tx, delivery, reason, true));
    }
    failpoint('notification.before-handover');
    try {
      await mailer.send(notificationMail(contents));
    } catch (error) {
      return this.failed(run, delivery, MailFailure.from(error));
    }
    failpoint('notification.after-handover');
    this.metrics.count('sent');
    await this.inTenant(run, (tx) => this.deliveries.sent(tx, delivery));
  }

  private async failed(run: ClaimedRun, delivery: Delivery, failure: MailFailure): Promise<void> {
    const { message: reason, isFinal, isOfServer } = failure;
    this.metrics.count(isFinal ? 'refused' : 'put off');
    const address = maskedAddress(delivery.address);
    this.logger.warn({ runId: run.id, address, isFinal, reason }, 'a mail of a notification was not taken');
    if (isOfServer) {
      throw new Pause((of) => this.inTenant(of, (tx) => this.deliveries.putOff(tx, of.id, reason)));
    }
    await this.inTenant(run, (tx) => this.deliveries.failed(tx, delivery, reason, isFinal));
  }

  private contentsOf(run: ClaimedRun, letter: RunLetter, delivery: Delivery, picture: StoredPicture): MailContents {
    const { address: to, messageId, recipientId } = delivery;
    const { baseUrl, ...common } = letter;
    const token =
      recipientId !== null &&
      this.tokens.make(run.tenantId, { notificationId: run.notificationId, recipientId, email: maskedAddress(to) });
    const unsubscribeUrl = token === false ? undefined : `${baseUrl}/auth/unsubscribe?token=${token}`;
    return { ...common, to, messageId, picture, unsubscribeUrl };
  }

  private inTenant<T>({ tenantId }: ClaimedRun, work: Parameters<typeof this.database.transaction<T>>[1]): Promise<T> {
    return this.database.transaction(tenantId, work);
  }
}
