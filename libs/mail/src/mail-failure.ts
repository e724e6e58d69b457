import { withoutCredentials } from '@plinth/redaction';

const LONGEST_REASON = 300;
const ANY_ADDRESS = /[^\s<>@"',;:()]+@[^\s<>@"',;:()]+/g;

/** What nodemailer says of a failure. */
interface SmtpError {
  code?: unknown;
  command?: unknown;
  responseCode?: unknown;
  message?: unknown;
}

/** Before a server was told of a mail: how it greets, and whom it lets in. */
const OF_THE_SESSION = ['CONN', 'EHLO', 'HELO', 'STARTTLS', 'TLS', 'AUTH'];
const UNREACHED = ['EAUTH', 'EDNS', 'ENOAUTH', 'EOAUTH2'];

/** The mail itself could not be written. */
const UNSENDABLE = ['EMESSAGE', 'EENVELOPE'];

/**
 * A mail that was not taken. The message names no address but by its domain and holds no secret: it is for logs, and for
 * administrators.
 */
export class MailFailure extends Error {
  override readonly name = 'MailFailure';

  /**
   * @param isFinal whether asking again would bring the same: the server has refused this mail for good (5xx). What fails
   *   before that, such as the connection or the password, says nothing about the mail.
   */
  constructor(
    reason: string,
    readonly isFinal: boolean,
    /** Whether the server could not be reached, or did not let us in: other mails fare no better now. */
    readonly isOfServer = false,
  ) {
    super(masked(reason));
  }

  static from(error: unknown): MailFailure {
    if (error instanceof MailFailure) return error;
    const { code, command, responseCode, message } = error as SmtpError;
    const status = typeof responseCode === 'number' ? responseCode : 0;
    const isOfServer = UNREACHED.includes(`${code}`) || OF_THE_SESSION.includes(`${command}`.split(' ')[0] ?? '');
    const isOurs = UNSENDABLE.includes(`${code}`) && status === 0;
    const text = typeof message === 'string' ? message : 'The mail could not be handed over';
    return new MailFailure(
      code === 'EAUTH' ? authFailure(status) : text,
      isOurs || (status >= 500 && !isOfServer),
      isOfServer,
    );
  }
}

/** The server's own words may hold what was sent to it. */
const authFailure = (status: number): string =>
  `The mail server did not accept user and password (${status || 'EAUTH'})`;

const masked = (text: string): string =>
  withoutCredentials(text, LONGEST_REASON)
    .replace(ANY_ADDRESS, (address) => `***${address.slice(address.lastIndexOf('@'))}`)
    .replace(/\s+/g, ' ')
    .trim();
