import { once } from 'node:events';
import { appendFileSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { CertificateFiles } from '../certificate';

/** A mail as the server took it. */
export interface TakenMail {
  to: string;
  messageId: string;
  /** Headers and body, as they came. */
  source: string;
  /** Whether it came over TLS. */
  isSecure: boolean;
}

/** What the server answers instead of taking a mail: a status of SMTP, and words. */
export interface Refusal {
  responseCode: number;
  message: string;
}

export interface StartSmtpServer {
  /** The port of a server that was there before; a free one without it. */
  port?: number;
  user?: { name: string; password: string };
  /** Speaks TLS from the start (`smtps:`) or once it is asked to (`smtp:`); not at all without it. */
  tls?: CertificateFiles & { scheme: 'smtps' | 'smtp' };
  /** Asked for each recipient, before the mail comes. */
  refuse?: (address: string) => Refusal | undefined;
  /** Waited for when a mail is there, before the answer. */
  beforeAnswer?: (mail: TakenMail) => Promise<void> | void;
  /** File to which each mail's recipient and id are added as a line before the answer. */
  journal?: string;
}

/** A mail server that keeps what it takes. */
export interface SmtpServer {
  url: string;
  port: number;
  taken: TakenMail[];
  stop(): Promise<void>;
}

const refused = ({ responseCode, message }: Refusal): Error => Object.assign(new Error(message), { responseCode });

/** Starts a real SMTP server on loopback. */
export async function startSmtpServer(options: StartSmtpServer = {}): Promise<SmtpServer> {
  const taken: TakenMail[] = [];
  const server = new SMTPServer({
    ...authentication(options),
    ...encryption(options),
    disableReverseLookup: true,
    logger: false,
    onRcptTo: ({ address }, _session, done) => {
      const refusal = options.refuse?.(address);
      done(refusal && refused(refusal));
    },
    onData: (stream, session, done) => {
      const take = async (): Promise<void> => {
        const source = await text(stream);
        const [to = ''] = session.envelope.rcptTo.map(({ address }) => address);
        const mail = {
          to,
          source,
          isSecure: session.secure,
          messageId: /^message-id: *(\S+)/im.exec(source)?.[1] ?? '',
        };
        taken.push(mail);
        if (options.journal !== undefined) appendFileSync(options.journal, `${to} ${mail.messageId}\n`);
        await options.beforeAnswer?.(mail);
      };
      take().then(
        () => done(),
        (error: unknown) => done(error as Error),
      );
    },
  });
  // Clients that are killed break their connections.
  server.on('error', () => undefined);
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  const credentials = options.user ? `${options.user.name}:${encodeURIComponent(options.user.password)}@` : '';
  return {
    url: `${options.tls?.scheme ?? 'smtp'}://${credentials}127.0.0.1:${port}`,
    port,
    taken,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function encryption({ tls }: StartSmtpServer): SMTPServerOptions {
  if (!tls) return { disabledCommands: ['STARTTLS'] };
  return { secure: tls.scheme === 'smtps', key: readFileSync(tls.key), cert: readFileSync(tls.certificate) };
}

function authentication({ user }: StartSmtpServer): SMTPServerOptions {
  if (!user) return { authOptional: true };
  return {
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) => {
      if (username === user.name && password === user.password) done(null, { user: username });
      else done(refused({ responseCode: 535, message: `5.7.8 no such password: ${password}` }));
    },
  };
}
