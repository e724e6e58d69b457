import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { guardedFetch, type EgressLimits, type EgressRequest } from './guarded-fetch';

const open: EgressLimits = { allowPrivate: true, allowInsecure: true, timeoutMs: 20_000, limitBytes: 1_000 };

describe('guardedFetch', () => {
  let server: Server;
  let calls: number;
  let answer: RequestListener;

  beforeEach(async () => {
    calls = 0;
    server = createServer((request, response) => {
      calls += 1;
      answer(request, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const address = (host: string) => new URL(`http://${host}:${(server.address() as AddressInfo).port}/token?a=secret`);
  const get = (host = '127.0.0.1', limits: Partial<EgressLimits> = {}, request: Partial<EgressRequest> = {}) =>
    guardedFetch(address(host), { method: 'GET', ...request }, { ...open, ...limits });

  it.each(['127.0.0.1', 'localhost', '[::1]', '2130706433', '[::ffff:127.0.0.1]'])(
    'does not connect to the machine itself as %s',
    async (host) => {
      const url = new URL(address(host).href.replace('http:', 'https:'));
      const refused = guardedFetch(url, { method: 'GET' }, { ...open, allowInsecure: false });
      await expect(refused).rejects.toMatchObject({ failure: 'address-refused' });
      expect(calls).toBe(0);
    },
  );

  it.each(['10.0.0.1', '[fd00::1]', '169.254.169.254'])('does not connect to %s', async (host) => {
    const refused = guardedFetch(
      new URL(`https://${host}/`),
      { method: 'GET' },
      { ...open, allowPrivate: false, allowInsecure: false },
    );
    await expect(refused).rejects.toMatchObject({ failure: 'address-refused' });
  });

  it('refuses plain HTTP and other protocols', async () => {
    await expect(get('127.0.0.1', { allowInsecure: false })).rejects.toMatchObject({ failure: 'address-refused' });
    const file = guardedFetch(new URL('file:///etc/hostname'), { method: 'GET' }, open);
    await expect(file).rejects.toMatchObject({ failure: 'address-refused' });
  });

  it('gives up on an answer that stops half-way', async () => {
    answer = (_request, response) => void response.writeHead(200, { 'content-length': '10' }).write('half');
    await expect(get('127.0.0.1', { timeoutMs: 200 })).rejects.toMatchObject({ failure: 'timed-out' });
  });

  it('gives up on an answer that is too large', async () => {
    answer = (_request, response) => void response.end('x'.repeat(1_001));
    await expect(get()).rejects.toMatchObject({ failure: 'answer-too-large' });
  });

  it('names the host alone when nobody answers', async () => {
    const url = address('127.0.0.1');
    server.close();
    await once(server, 'close');
    const failure = (await guardedFetch(url, { method: 'GET' }, open).catch((error: unknown) => error)) as Error;
    expect(failure).toMatchObject({ failure: 'unreachable', message: `${url.host}: could not be reached` });
  });

  it('returns a redirection as it is', async () => {
    answer = (_request, response) => void response.writeHead(302, { location: 'http://169.254.169.254/' }).end();
    expect((await get()).status).toBe(302);
    expect(calls).toBe(1);
  });

  it('sends what it was given and returns the answer', async () => {
    answer = (request, response) => {
      response.writeHead(201, { 'x-answer': 'yes' }).write(`${request.method} ${request.headers['x-kind']} `);
      request.pipe(response);
    };
    const response = await get('localhost', {}, { method: 'POST', headers: { 'x-kind': 'form' }, body: 'a=b' });
    expect([response.status, response.headers.get('x-answer')]).toEqual([201, 'yes']);
    expect(await response.text()).toBe('POST form a=b');
  });
});
