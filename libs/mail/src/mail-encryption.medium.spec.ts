import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createCertificate,
  runChild,
  startSmtpServer,
  type CertificateFiles,
  type SmtpServer,
  type StartSmtpServer,
} from '@plinth/testing';

const user = { name: 'plinth', password: 'secret' };
/** Another machine, as far as a mailer can tell. */
const OUTSIDE = '0.0.0.0';

describe('mail over TLS', () => {
  let folder: string;
  let files: CertificateFiles;
  let server: SmtpServer | undefined;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'plinth-mail-tls-'));
    files = createCertificate(folder, ['127.0.0.1', OUTSIDE]);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  afterEach(() => server?.stop());

  /** What a mailer says that believes in the authority, or in those of the system alone. */
  async function send(options: StartSmtpServer, host: string, authority?: string): Promise<string> {
    server = await startSmtpServer(options);
    const url = server.url.replace('127.0.0.1', host);
    const program = join(__dirname, 'testing/send-mail.child.ts');
    const { output } = await runChild(program, { url }, { NODE_EXTRA_CA_CERTS: authority ?? '' });
    return output.trim();
  }

  it.each(['smtps', 'smtp'] as const)('is handed over with the password (%s)', async (scheme) => {
    expect(await send({ user, tls: { ...files, scheme } }, OUTSIDE, files.certificate)).toBe('taken');
    expect(server?.taken).toMatchObject([{ isSecure: true }]);
  });

  it.each(['smtps', 'smtp'] as const)('is not handed over to whom no authority vouches for (%s)', async (scheme) => {
    expect(await send({ user, tls: { ...files, scheme } }, OUTSIDE)).toMatch(/self-signed certificate/);
    expect(server?.taken).toEqual([]);
  });

  it('is not handed over to a server of another name', async () => {
    const other = createCertificate(mkdtempSync(join(folder, 'other-')), ['mail.example.com']);
    const said = await send({ user, tls: { ...other, scheme: 'smtps' } }, OUTSIDE, other.certificate);
    expect(said).toMatch(/does not match certificate/);
    expect(server?.taken).toEqual([]);
  });
});
