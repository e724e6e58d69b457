import { AppError } from '@plinth/errors';
import type { Call } from '@plinth/messaging';
import request from 'supertest';
import { startEdge, type RunningEdge } from '../http/edge-fixture';
import { RateLimiter } from '../limits/rate-limiter';
import { PageHandler } from './page-handler';
import { unsubscribePage, unsubscribePath } from './unsubscribe.page';

const token = 'k1.secret-token';

describe('the page on which people unsubscribe', () => {
  let edge: RunningEdge;
  let isSubscribed: boolean;
  let ended: string[];

  beforeEach(async () => {
    isSubscribed = true;
    ended = [];
    edge = await startEdge({ describeUnsubscription: describe, unsubscribe }, (application, { bus, edge: entered }) => {
      application.use(unsubscribePath, unsubscribePage(new PageHandler(entered, new RateLimiter(20)), bus));
    });
  });
  afterEach(() => edge.stop());

  const answer = (sent: string) => {
    if (sent !== token) throw new AppError('unsubscription.not_found', 'The link is not valid');
    return { email: 'a***@acme.test', title: '<b>Sales</b>', isSubscribed };
  };
  const describe = async ({ body }: Call<'describeUnsubscription'>) => answer(body.token);
  const unsubscribe = async ({ body }: Call<'unsubscribe'>) => {
    const found = answer(body.token);
    ended.push(body.token);
    return { ...found, isSubscribed: false };
  };
  const url = (value = token) => `${unsubscribePath}?token=${value}`;

  it.each(['', 'other', 'x'.repeat(1_001)])('says that the token %j leads nowhere', async (value) => {
    for (const method of ['get', 'post'] as const) {
      const { status, headers } = await request(edge.origin)[method](url(value));
      expect([status, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    }
    expect((await request(edge.origin).put(url())).status).toBe(405);
    expect(ended).toEqual([]);
  });

  it('ends nothing by being opened, and shows names as text', async () => {
    const { status, text } = await request(edge.origin).get(url());
    expect(status).toBe(200);
    expect(text).toContain('&lt;b&gt;Sales&lt;/b&gt;');
    expect(text).toContain('<form method="post">');
    expect(ended).toEqual([]);
    isSubscribed = false;
    expect((await request(edge.origin).get(url())).text).toContain('<h1>You are unsubscribed</h1>');
  });

  it.each([
    ['application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
    [
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n',
    ],
  ])('ends the mails by one click in a mail program, which sends %s', async (type, body) => {
    const { status, text } = await request(edge.origin).post(url()).set('content-type', type).send(body);
    expect([status, ended]).toEqual([200, [token]]);
    expect(text).toContain('<h1>You are unsubscribed</h1>');
  });

  it('keeps the token out of the log', async () => {
    await request(edge.origin).post(url());
    expect(edge.log()).toContain('"page":"unsubscribe"');
    expect(edge.log()).not.toContain('secret-token');
  });
});
