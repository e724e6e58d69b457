import { startSmtpServer, type Refusal, type SmtpServer, type StartSmtpServer } from '@plinth/testing';
import { loadConfig } from '@plinth/config';
import { mailSettings } from './mail.config';
import { MailFailure } from './mail-failure';
import { Mailer, type Attachment, type Mail } from './mailer';

const mail: Mail = {
  to: 'ada@acme.test',
  messageId: '<1@acme.test>',
  subject: 'Sales',
  text: 'plain',
  html: '<p>rich</p>',
};

describe(Mailer.name, () => {
  let server: SmtpServer;
  let mailer: Mailer;
  afterEach(async () => {
    mailer?.close();
    await server?.stop();
  });

  async function start(options: StartSmtpServer = {}, urlOf = (url: string) => url): Promise<void> {
    server = await startSmtpServer(options);
    mailer = new Mailer(urlOf(server.url), 'Plinth <plinth@acme.test>');
  }
  const failureOf = async (change: Partial<Mail> = {}): Promise<MailFailure> => {
    const error: unknown = await mailer.send({ ...mail, ...change }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof MailFailure)) throw new Error('The mail was taken', { cause: error });
    return error;
  };
  const refusing = (refusal: Refusal) => start({ refuse: () => refusal });

  it.each(['a@x\r\nBcc: evil@x', 'a@x, evil@x', ''])('sends nothing to %j', async (to) => {
    await start();
    expect((await failureOf({ to })).isFinal).toBe(true);
    expect(server.taken).toEqual([]);
  });

  it('ends with what the server refuses for good, without the address', async () => {
    await refusing({ responseCode: 550, message: 'no such user: ada@acme.test' });
    const failure = await failureOf();
    expect(failure.isFinal).toBe(true);
    expect(failure.message).toContain('550');
    expect(failure.message).not.toContain('ada@');
  });

  it('may ask again what the server refuses for now, and what no server answered', async () => {
    await refusing({ responseCode: 451, message: 'later' });
    expect((await failureOf()).isFinal).toBe(false);
    await server.stop();
    expect((await failureOf()).isFinal).toBe(false);
  });

  it('may ask again when the password is wrong, and never repeats it', async () => {
    const user = { name: 'plinth', password: 'hunter2/hunter2' };
    await start({ user }, (url) => url.replace('hunter2%2Fhunter2', 'swordfish'));
    const { isFinal, message } = await failureOf();
    expect([isFinal, message]).toEqual([false, 'The mail server did not accept user and password (535)']);
  });

  it('sends no password without TLS to another machine', async () => {
    await start({ user: { name: 'plinth', password: 'secret' } }, (url) => url.replace('127.0.0.1', '0.0.0.0'));
    expect((await failureOf()).isFinal).toBe(false);
    expect(server.taken).toEqual([]);
  });

  it('reads neither files nor addresses, whoever asks it to', async () => {
    await start();
    const attachment = { filename: 'x', contentType: 'text/plain', path: '/etc/hostname' } as unknown as Attachment;
    await failureOf({ attachments: [attachment] });
    expect(server.taken).toEqual([]);
  });

  it('sends HTML and plain text, a picture in it and attached, and how to unsubscribe', async () => {
    await start({ user: { name: 'plinth', password: 'p@ss word' } });
    const content = Buffer.from('PNG');
    const attachments = [
      { filename: 'a.png', contentType: 'image/png', content, cid: 'picture' },
      { filename: 'a.png', contentType: 'image/png', content },
    ];
    const subject = `Sales\r\nBcc: evil@x ${'x'.repeat(300)}`;
    await mailer.send({ ...mail, subject, attachments, unsubscribeUrl: 'https://acme.test/unsubscribe?token=t' });
    const [{ source, messageId, to } = { source: '', messageId: '', to: '' }] = server.taken;
    expect([to, messageId]).toEqual(['ada@acme.test', '<1@acme.test>']);
    expect(source).toMatch(/^From: Plinth <plinth@acme\.test>\r?$/m);
    expect(source).toMatch(/^To: ada@acme\.test\r?$/m);
    expect(source).toMatch(/^Subject: Sales Bcc: evil@x\r?\n x/m);
    expect(source).not.toMatch(/^Bcc:/m);
    expect(source).toMatch(/^List-Unsubscribe: <https:\/\/acme\.test\/unsubscribe\?token=t>\r?$/m);
    expect(source).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r?$/m);
    expect(source).toMatch(/^Content-Id: <picture>\r?$/im);
    expect(source.match(/^Content-Disposition: (inline|attachment)/gim)).toHaveLength(2);
    for (const type of ['text/plain', 'text/html', 'multipart/alternative', 'multipart/related', 'multipart/mixed']) {
      expect(source).toContain(`Content-Type: ${type}`);
    }
  });
});

describe('the settings of mail', () => {
  const read = (url: string, from?: string) =>
    loadConfig(mailSettings, { PLINTH_SMTP_URL: url, ...(from !== undefined && { PLINTH_MAIL_FROM: from }) });

  it.each(['http://x', 'smtp://', 'x', 'smtp://x/?tls.rejectUnauthorized=false', 'smtp://x/path', 'smtp://x#y'])(
    'refuse %s, and do not repeat it',
    (url) => {
      expect(() => read(url)).toThrow('PLINTH_SMTP_URL: takes smtp://user:password@host:port');
    },
  );

  it('refuse a sender that is no address', () => {
    expect(() => read('smtp://x', 'Plinth')).toThrow('PLINTH_MAIL_FROM');
    expect(Mailer.of(read('smtps://u:p@x:465', 'a@b.test'))?.sender).toEqual({ name: '', address: 'a@b.test' });
  });
});
