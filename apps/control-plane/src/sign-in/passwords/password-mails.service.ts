import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Database, SecretBox, taskStoreOf, type Transaction } from '@plinth/database';
import { CONFIG, LOGGER, METRICS } from '@plinth/host';
import { html } from '@plinth/html';
import { isMailAddress, Mailer, mailPage, mailText, newMessageId, type MailConfig } from '@plinth/mail';
import type { Logger } from '@plinth/observability';
import { TaskRunner } from '@plinth/tasks';
import type { Registry } from 'prom-client';
import { PasswordMailsRepository, type PasswordMail } from './password-mails.repository';
import type { PasswordLinkPurpose } from './password-link.entity';

const FINISH_WITHIN_MS = 10_000;

const words: Readonly<Record<PasswordLinkPurpose, { subject: string; sentence: string; link: string }>> = {
  invitation: {
    subject: 'You are invited to Plinth',
    sentence: 'An administrator has made an account for you.',
    link: 'Choose a password',
  },
  'password-reset': {
    subject: 'Choose a new password',
    sentence: 'An administrator has asked for a new password of your account. The one you have works until then.',
    link: 'Choose a new password',
  },
};

/** Brings links to their people by mail, when a mail server is configured. The requests that make them do not wait. */
@Injectable()
export class PasswordMails implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly runner: TaskRunner<PasswordMail, void>;
  private readonly mailer: Mailer | undefined;
  private unsubscribe: () => void = () => undefined;

  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly mails: PasswordMailsRepository,
    @Inject(SecretBox) private readonly secrets: SecretBox,
    @Inject(CONFIG) config: MailConfig,
    @Inject(LOGGER) logger: Logger,
    @Inject(METRICS) metrics: Registry,
  ) {
    this.mailer = Mailer.of(config);
    this.runner = new TaskRunner({
      kind: 'password-mail',
      store: taskStoreOf(database, mails),
      work: (mail) => this.send(mail),
      concurrency: 2,
      drainMs: FINISH_WITHIN_MS,
      describe: ({ tenantId, userId, purpose }) => ({ tenantId, userId, purpose }),
      logger,
      metrics,
    });
  }

  onApplicationBootstrap(): void {
    if (!this.mailer) return;
    this.unsubscribe = this.mails.onAdded(() => this.runner.wake());
    this.runner.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.unsubscribe();
    await this.runner.stop();
    this.mailer?.close();
  }

  /** Has the link sent once the transaction has committed; nothing without a mail server. */
  async add(
    tx: Transaction,
    link: { userId: number; tenantId: number; purpose: PasswordLinkPurpose; url: string; expiresAt: Date },
  ): Promise<void> {
    if (!this.mailer) return;
    const { url, ...rest } = link;
    const messageId = newMessageId(this.mailer.sender.address);
    await this.mails.put(tx, { ...rest, messageId, sealedUrl: this.secrets.seal(url, contextOf(link)) });
  }

  private async send(mail: PasswordMail): Promise<void> {
    const to = await this.database.transaction(mail.tenantId, (tx) => this.mails.addressOf(tx, mail));
    if (!this.mailer || to === undefined || !isMailAddress(to)) return;
    const url = this.secrets.open(mail.sealedUrl, contextOf(mail));
    const { subject, sentence, link } = words[mail.purpose];
    const until = `The link works until ${mail.expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC.`;
    const footer = 'If you did not expect this mail, you can leave it alone.';
    await this.mailer.send({
      ...{ to, subject, messageId: mail.messageId },
      html: mailPage(
        subject,
        [html`${sentence}`, html`<a href="${url}">${link}</a>`, html`${until}`],
        [html`${footer}`],
      ),
      text: mailText(subject, [sentence, `${link}: ${url}`, until], [footer]),
    });
  }
}

const contextOf = ({ userId }: { userId: number }): string => `user:${userId}:password-mail`;
