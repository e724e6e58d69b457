import { createHash } from 'node:crypto';
import { AppError } from '@plinth/errors';
import type { Call } from '@plinth/messaging';
import { requestContext } from '@plinth/observability';
import request from 'supertest';
import { RateLimiter } from '../limits/rate-limiter';
import { startEdge, type RunningEdge } from '../http/edge-fixture';
import { PageHandler } from './page-handler';
import { passwordLinkPage, passwordLinkPaths } from './password-link.page';

const token = 'a'.repeat(43);
const tokenHash = createHash('sha256').update(token).digest('hex');
const path = `/auth/invitation/${token}`;
const password = 'correct horse battery';

describe('the page of a password link', () => {
  let edge: RunningEdge;
  let accepted: Call<'usePasswordLink'>['body'][];
  let answer: () => Promise<unknown>;
  let purpose: string;
  let traceparent: string | undefined;

  beforeEach(async () => {
    accepted = [];
    purpose = 'invitation';
    answer = async () => ({ email: 'ada@acme.test' });
    edge = await startEdge({ describePasswordLink, usePasswordLink }, (application, { bus, edge: entered }) => {
      const pages = new PageHandler(entered, new RateLimiter(6));
      application.use(passwordLinkPaths, passwordLinkPage(pages, bus));
    });
  });
  afterEach(() => edge.stop());

  const describePasswordLink = async ({ body }: Call<'describePasswordLink'>) => {
    traceparent = requestContext()?.traceparent;
    if (body.tokenHash !== tokenHash) throw new AppError('password_link.not_found', 'The link has expired');
    return { email: 'ada@acme.test', firstName: '<b>Ada</b>', purpose };
  };
  const usePasswordLink = ({ body }: Call<'usePasswordLink'>) => {
    accepted.push(body);
    return answer();
  };
  const open = (target = path) => request(edge.origin).get(target);
  const send = (fields: object, headers?: Record<string, string>) => edge.sendForm(path, fields, headers);

  it.each([
    ['a link that nobody has', `/auth/invitation/${'b'.repeat(43)}`],
    ['a link that cannot be one', '/auth/invitation/short'],
    ['a path below a link', `${path}/more`],
    ['no link at all', '/auth/invitation'],
  ])('answers %s with a page of 404', async (_, target) => {
    const { status, headers, text } = await open(target);
    expect([status, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(text).toContain('<h1>This link does not work</h1>');
  });

  it('refuses other methods, and a form that is no UTF-8', async () => {
    const { status, headers } = await request(edge.origin).put(path);
    expect([status, headers['allow'], headers['content-type']]).toEqual([
      405,
      'GET, HEAD, POST',
      'text/html; charset=utf-8',
    ]);
    const form = request(edge.origin).post(path).set({ origin: edge.origin }).type('form');
    expect((await form.send('password=caf%e9&repetition=caf%e9')).status).toBe(400);
    expect(accepted).toEqual([]);
  });

  it('answers HEAD with the headers of GET, the length among them', async () => {
    const [get, head] = [await open(), await request(edge.origin).head(path)];
    expect(head.status).toBe(200);
    expect(head.headers['content-length']).toBe(String(Buffer.byteLength(get.text)));
    expect(get.headers['content-length']).toBe(head.headers['content-length']);
  });

  it('knows nothing under the host of no tenant', async () => {
    expect((await open().set('Host', 'nobody.example')).status).toBe(404);
  });

  it('asks whoever tries many hosts to wait, and says for how long, and goes on serving known ones', async () => {
    const replies = [];
    await open();
    for (let time = 0; time < 22; time += 1) replies.push(await open().set('Host', 'nobody.example'));
    const last = replies.at(-1);
    expect([last?.status, last?.text.includes('<h1>Please wait a minute</h1>')]).toEqual([429, true]);
    expect(Number(last?.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect((await open()).status).toBe(200);
  });

  it('refuses a form of another site before it reads it', async () => {
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
    ]) {
      expect((await send({ password, repetition: password }, headers)).status).toBe(403);
    }
    expect(accepted).toEqual([]);
  });

  it('refuses other methods, large forms, and forms that are none', async () => {
    expect((await request(edge.origin).put(path)).status).toBe(405);
    expect((await send({ password: 'x'.repeat(10_000) })).status).toBe(400);
    const json = await request(edge.origin).post(path).send({ password, repetition: password });
    expect(json.status).toBe(400);
    expect(accepted).toEqual([]);
  });

  it('shows the form again with what is wrong, and never with the passwords', async () => {
    const different = await send({ password, repetition: 'something else' });
    expect(different.status).toBe(400);
    expect(different.text).toContain('role="alert"');
    expect(different.text).not.toContain(password);
    expect(accepted).toEqual([]);
    answer = () => Promise.reject(new AppError('password.unacceptable', 'A password is not the email address'));
    const refused = await send({ password, repetition: password });
    expect([refused.status, refused.text.includes('A password is not the email address')]).toEqual([400, true]);
  });

  it('takes a pause after too many requests from one address', async () => {
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 8; attempt += 1) statuses.push((await open()).status);
    expect(statuses.slice(6)).toEqual([429, 429]);
  });

  it('shows names as text, labels its fields, and allows neither scripts nor frames nor foreign forms', async () => {
    const { status, text, headers } = await open();
    expect(status).toBe(200);
    expect(text).toContain('Welcome, &lt;b&gt;Ada&lt;/b&gt;');
    expect(text).toContain('acme &lt;inc&gt;');
    for (const name of ['password', 'repetition']) {
      expect(text).toContain(`<label for="${name}">`);
      expect(text).toMatch(new RegExp(`id="${name}"[^>]*autocomplete="new-password"`, 's'));
    }
    expect(text).not.toContain('<script');
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-frame-options': 'DENY' });
    const policy = headers['content-security-policy'] ?? '';
    expect(policy).toMatch(/default-src 'none'.*form-action 'self'.*frame-ancestors 'none'/);
    const [, style = ''] = /<style>(.*)<\/style>/s.exec(text) ?? [];
    expect(policy).toContain(`'sha256-${createHash('sha256').update(style).digest('base64')}'`);
  });

  it('passes the trace context on', async () => {
    const sent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await open().set({ traceparent: sent });
    expect(traceparent).toBe(sent);
  });

  it('greets nobody who only comes back, wherever the link leads', async () => {
    purpose = 'password-reset';
    const { status, text } = await open(`/auth/password-reset/${token}`);
    expect(status).toBe(200);
    expect(text).toContain('<h1>Choose a new password</h1>');
    expect(text).not.toContain('Welcome');
  });

  it('hands the password and the hash of the token on, and leaves neither nor the token in the log', async () => {
    const { status, text } = await send({ password, repetition: password });
    expect(status).toBe(200);
    expect(text).toContain('<h1>Your password is set</h1>');
    expect(accepted).toEqual([{ tokenHash, password }]);
    await open(`${path}/more`);
    expect(edge.log()).toContain('"page":"password-link"');
    for (const secret of [token, tokenHash, password]) expect(edge.log()).not.toContain(secret);
  });
});
