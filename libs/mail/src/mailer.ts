import { createTransport, type Transporter } from 'nodemailer';
import type SMTPPool from 'nodemailer/lib/smtp-pool';
import { isMailAddress, parseSender, type Sender } from './addresses';
import type { MailConfig } from './mail.config';
import { MailFailure } from './mail-failure';

/** A file of a mail. */
export interface Attachment {
  filename: string;
  contentType: string;
  content: Buffer;
  /** Name by which the HTML of the mail shows it, as `cid:NAME`, instead of it being attached. */
  cid?: string;
}

/** A mail to one recipient. */
export interface Mail {
  to: string;
  /** Fixed by whoever may have to send the mail again. */
  messageId: string;
  subject: string;
  text: string;
  html: string;
  attachments?: readonly Attachment[];
  /** Address at which the recipient unsubscribes with one click (RFC 8058). */
  unsubscribeUrl?: string;
}

const CONNECTION_TIMEOUT_MS = 10_000;
const SILENCE_TIMEOUT_MS = 60_000;
const CONNECTIONS = 5;
const LONGEST_SUBJECT = 200;

/** Hands mails over to the server of the operator, over a few connections that are kept. */
export class Mailer {
  readonly sender: Sender;
  private readonly transport: Transporter<SMTPPool.SentMessageInfo>;

  /** @returns undefined where no server is set */
  static of({ smtpUrl, mailFrom }: MailConfig): Mailer | undefined {
    return smtpUrl === undefined ? undefined : new Mailer(smtpUrl, mailFrom);
  }

  /** @throws Error when the sender is no address. */
  constructor(url: string, from: string) {
    const sender = parseSender(from);
    if (!sender) throw new Error('The sender of mail is no address');
    this.sender = sender;
    this.transport = createTransport(poolOptions(new URL(url)));
    // A connection that breaks while it is idle concerns nobody.
    this.transport.on('error', () => undefined);
  }

  /**
   * Resolves when the server has taken the mail.
   *
   * @throws MailFailure
   */
  async send({ to, subject, unsubscribeUrl, attachments = [], ...mail }: Mail): Promise<void> {
    if (!isMailAddress(to)) throw new MailFailure('The recipient has no address that mail can be sent to', true);
    try {
      await this.transport.sendMail({
        ...mail,
        from: this.sender,
        to: { name: '', address: to },
        envelope: { from: this.sender.address, to: [to] },
        subject: subject
          .replace(/[\p{Cc}\s]+/gu, ' ')
          .trim()
          .slice(0, LONGEST_SUBJECT),
        attachments: attachments.map((file) => ({
          ...file,
          contentDisposition: file.cid === undefined ? 'attachment' : 'inline',
        })),
        ...(unsubscribeUrl !== undefined && {
          list: { unsubscribe: { url: unsubscribeUrl, comment: '' } },
          headers: { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
        }),
        disableFileAccess: true,
        disableUrlAccess: true,
      });
    } catch (error) {
      throw MailFailure.from(error);
    }
  }

  /** Signs in at the server, and sends nothing. @throws MailFailure */
  async verify(): Promise<void> {
    await this.transport.verify().catch((error: unknown) => {
      throw MailFailure.from(error);
    });
  }

  /** Ends the connections that are idle, and the others as soon as they are. */
  close(): void {
    this.transport.close();
  }
}

function poolOptions(url: URL): SMTPPool.Options & { maxRequeues: number } {
  const secure = url.protocol === 'smtps:';
  const user = decodeURIComponent(url.username);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isHere = ['localhost', '127.0.0.1', '::1'].includes(host);
  return {
    pool: true,
    host,
    port: Number(url.port) || (secure ? 465 : 587),
    secure,
    requireTLS: !secure && user !== '' && !isHere,
    // What does not leave the machine needs no certificate.
    ignoreTLS: !secure && isHere,
    ...(user !== '' && { auth: { user, pass: decodeURIComponent(url.password) } }),
    maxConnections: CONNECTIONS,
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    greetingTimeout: CONNECTION_TIMEOUT_MS,
    dnsTimeout: CONNECTION_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    // Whether a mail is sent again is not for the pool to decide: who sends it keeps count.
    maxRequeues: 0,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
