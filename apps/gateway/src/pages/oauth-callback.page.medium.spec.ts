import { createHash } from 'node:crypto';
import { AppError } from '@plinth/errors';
import type { Call } from '@plinth/messaging';
import request from 'supertest';
import { RateLimiter } from '../limits/rate-limiter';
import { startEdge, type RunningEdge } from '../http/edge-fixture';
import { oauthCallbackPage, oauthCallbackPath } from './oauth-callback.page';
import { PageHandler } from './page-handler';

const state = 's'.repeat(43);
const stateHash = createHash('sha256').update(state).digest('hex');
const code = 'code-of-the-provider';

describe('the page to which OAuth providers return', () => {
  let edge: RunningEdge;
  let completed: Call<'completeOAuthFlow'>['body'][];
  let answer: () => Promise<unknown>;

  beforeEach(async () => {
    completed = [];
    answer = async () => ({ integrationName: 'Warehouse', email: 'ada@acme.test' });
    edge = await startEdge({ describeOAuthFlow, completeOAuthFlow }, (application, { bus, edge: entered }) => {
      const pages = new PageHandler(entered, new RateLimiter(20));
      application.use(oauthCallbackPath, oauthCallbackPage(pages, bus));
    });
  });
  afterEach(() => edge.stop());

  const describeOAuthFlow = async ({ body }: Call<'describeOAuthFlow'>) => {
    if (body.stateHash !== stateHash) throw new AppError('oauth_flow.not_found', 'The authorization has expired');
    const integrationName = '<b>Warehouse</b>';
    return { integrationId: 5, integrationName, providerHost: 'id.acme.test', email: 'ada@acme.test' };
  };
  const completeOAuthFlow = ({ body }: Call<'completeOAuthFlow'>) => {
    completed.push(body);
    return answer();
  };
  const open = (query: Record<string, string>) => request(edge.origin).get(oauthCallbackPath).query(query);
  const send = (fields: object, headers?: Record<string, string>) => edge.sendForm(oauthCallbackPath, fields, headers);

  it.each([
    ['no state', { code }, 404],
    ['a state that cannot be one', { code, state: 'short' }, 404],
    ['a state that nobody has', { code, state: 'x'.repeat(43) }, 404],
    ['no code', { state }, 400],
    ['a code that is too long', { state, code: 'x'.repeat(4_097) }, 400],
  ])('answers %s with a page that says so', async (_name, fields, status) => {
    const { headers, status: shown } = await open(fields);
    expect([shown, headers['content-type']]).toEqual([status, 'text/html; charset=utf-8']);
    expect((await send(fields)).status).toBe(status);
    expect(completed).toEqual([]);
  });

  it('completes nothing by being opened, nor by a form of another site', async () => {
    expect((await open({ state, code })).status).toBe(200);
    expect((await send({ state, code }, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await send({ state, code }, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect(completed).toEqual([]);
  });

  it('says that the person or the provider refused, in its own words', async () => {
    const { status, text } = await open({ state, error: 'access_denied', error_description: 'Call 555-0100 now' });
    expect(status).toBe(400);
    expect(text).toContain('id.acme.test did not grant the access');
    expect(text).not.toContain('555-0100');
  });

  it('shows whose account gets the access, as text, and allows no scripts', async () => {
    const { text, headers } = await open({ state, code: '"><script>' });
    expect(text).toContain('<strong>ada@acme.test</strong> at acme &lt;inc&gt;');
    expect(text).toContain('Connect &lt;b&gt;Warehouse&lt;/b&gt;?');
    expect(text).not.toContain('<script');
    expect(headers['content-security-policy']).toMatch(/default-src 'none'.*form-action 'self'/);
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'same-origin' });
  });

  it('says what the provider says when the code is not accepted', async () => {
    answer = () => Promise.reject(new AppError('oauth_provider.refused', 'The OAuth provider refused the request'));
    const { status, text } = await send({ state, code });
    expect(status).toBe(400);
    expect(text).toContain('The OAuth provider refused the request.');
  });

  it('hands the code and the hash of the state on, and leaves none of them in the log', async () => {
    await open({ state, code });
    const { status, text } = await send({ state, code });
    expect(status).toBe(200);
    expect(text).toContain('<h1>Warehouse is connected</h1>');
    expect(completed).toEqual([{ stateHash, integrationId: 5, code }]);
    expect(edge.log()).toContain('"page":"oauth-callback"');
    for (const secret of [state, stateHash, code]) expect(edge.log()).not.toContain(secret);
  });
});
