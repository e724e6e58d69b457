import 'reflect-metadata';
import type { Principal } from '@plinth/auth';
import { startSmtpServer, until, type SmtpServer } from '@plinth/testing';
import { newTenantAdmin, newUser } from '../../testing/account-fixture';
import { startFixture, type Fixture } from '../../testing/deployment-fixture';

describe('links by which people choose their passwords', () => {
  let platform: Fixture;
  let smtp: SmtpServer;
  let admin: Principal;
  let isAway: boolean;

  beforeAll(async () => {
    smtp = await startSmtpServer({ refuse: () => (isAway ? { responseCode: 451, message: 'later' } : undefined) });
    platform = await startFixture('in-process', { PLINTH_SMTP_URL: smtp.url, PLINTH_MAIL_FROM: 'plinth@acme.test' });
  });
  afterAll(async () => {
    await platform?.stop();
    await smtp?.stop();
  });
  beforeEach(async () => {
    isAway = false;
    admin = await newTenantAdmin(platform);
  });

  const sql = <Row>(text: string) => platform.database.readAsSystem<Row>({ name: '', text });
  const invite = async (name: string) => platform.call(admin, 'createUser', { body: newUser(name) });
  const mailTo = (address: string | undefined) =>
    until(
      'the mail',
      () => smtp.taken.filter(({ to }) => to === address),
      (taken) => taken.length > 0,
    );
  /** Without the line breaks that a mail has. */
  const textOf = (source: string): string => source.replace(/=\r?\n/g, '').replaceAll('=3D', '=');

  it('do not wait for the mail server, and reach their people when it is back', async () => {
    isAway = true;
    const { id, email, invitation } = await invite('ada');
    expect(invitation?.url).toContain('/auth/invitation/');
    await until(
      'an attempt',
      () => sql<{ n: number }>(`select attempts as n from password_mail where claim_id is null`),
      (rows) => rows[0]?.n === 1,
    );
    const rows = JSON.stringify(
      await sql(`select to_jsonb(m)::text as row from password_mail m where user_id = ${id}`),
    );
    expect(rows).not.toContain(invitation?.url.split('/').at(-1));
    isAway = false;
    await sql(`update password_mail set next_attempt_at = now()`);
    const [mail] = await mailTo(email);
    expect(textOf(mail?.source ?? '')).toContain(invitation?.url);
    await until(
      'the end',
      () => sql('select from password_mail'),
      (left) => left.length === 0,
    );
  });

  it('go by mail and stay in the reply when an administrator asks for a new password', async () => {
    const { id, email } = await invite('grace');
    await mailTo(email);
    const { url } = await platform.call(admin, 'resetUserPassword', { path: { id }, body: {} });
    const taken = await until(
      'the second mail',
      () => smtp.taken.filter(({ to }) => to === email),
      (mails) => mails.length === 2,
    );
    expect(textOf(taken[1]?.source ?? '')).toContain(url);
    expect(taken[0]?.messageId).not.toBe(taken[1]?.messageId);
  });
});
