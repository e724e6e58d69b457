import { generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AppError } from '@plinth/errors';
import { createBus, InProcessHub, type Bus, type Call, type Handler } from '@plinth/messaging';
import { createLogger, requestContext } from '@plinth/observability';
import express from 'express';
import { Registry } from 'prom-client';
import request from 'supertest';
import { Edge } from '../http/edge';
import { FailureLimiter } from '../limits/failure-limiter';
import { RateLimiter } from '../limits/rate-limiter';
import { RequestMetrics } from '../http/request-metrics';
import { securityHeaders } from '../http/security-headers';
import { PublicOrigins } from '../tenants/public-origins';
import { TenantResolver } from '../tenants/tenant.resolver';
import { hashOf } from './artefact-adapter';
import { Issuers } from './issuers';
import { OAuthHandler } from './oauth.handler';

const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'first', alg: 'RS256', use: 'sig' };
const FAILURES_PER_MINUTE = 10;
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

describe('the authorization server at the edge', () => {
  const warnings = jest.spyOn(console, 'warn');
  let buses: Bus[];
  let server: Server;
  let stored: Map<string, Call<'storeOAuthArtefact'>['body']>;
  let revoked: string[];
  let isDown: boolean;
  let isProxyTrusted: boolean;
  let lines: string;
  let keyLists: number;
  let lookUps: number;
  let traceparent: string | undefined;

  beforeEach(async () => {
    stored = new Map();
    revoked = [];
    isDown = false;
    isProxyTrusted = false;
    lines = '';
    keyLists = 0;
    lookUps = 0;
    const hub = new InProcessHub();
    const logger = createLogger('test', 'debug', { write: (line: string) => void (lines += line) });
    const connect = (name: 'control-plane' | 'gateway') => createBus({ name, hub, logger });
    const [controlPlane, bus] = [await connect('control-plane'), await connect('gateway')];
    buses = [bus, controlPlane];
    await controlPlane.serve(handlers());
    const failures = new FailureLimiter(FAILURES_PER_MINUTE, logger, new Registry());
    const tenants = new TenantResolver(bus, failures, 1_000);
    const handler = new OAuthHandler({
      edge: new Edge({ tenants, metrics: new RequestMetrics(new Registry()), logger }),
      bus,
      failures,
      origins: new PublicOrigins('https://{host}'),
      issuers: new Issuers(bus, logger, []),
      rateLimiter: new RateLimiter(0),
      pageRateLimiter: new RateLimiter(0),
    });
    const application = express().use(securityHeaders).use(handler.handle);
    application.set('trust proxy', (address: string) => isProxyTrusted && address.includes('127.0.0.1'));
    server = createServer(application);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    await new Promise((resolve) => server.close(resolve));
    for (const bus of buses) await bus.close();
  });

  const handlers = () =>
    new Map<never, Handler>(
      Object.entries({
        resolveTenant: async ({ body }: Call<'resolveTenant'>) => ({
          tenant: body.host === 'nobody.example' ? null : { tenantId: 1, tenantName: 'acme' },
        }),
        listSigningKeys: async () => {
          keyLists += 1;
          return { keys: [jwk], isIssuerEnabled: false };
        },
        noteDevicePoll: async () => {
          lookUps += 1;
          return { isTooSoon: false };
        },
        storeOAuthArtefact: async ({ body }: Call<'storeOAuthArtefact'>) => {
          traceparent = requestContext()?.traceparent;
          stored.set(body.idHash, body);
          return {};
        },
        describeSignedInUser: async () => ({
          user: { userId: 7, email: 'ada@acme.test', username: 'ada', firstName: null, lastName: null },
        }),
        consumeOAuthArtefact: async () => ({ isFirst: true }),
        destroyOAuthArtefact: async () => ({}),
        revokeOAuthGrant: async ({ body }: Call<'revokeOAuthGrant'>) => {
          revoked.push(body.grantHash);
          return {};
        },
        findOAuthArtefact: async ({ body }: Call<'findOAuthArtefact'>) => {
          lookUps += 1;
          if (isDown) throw new AppError('service.unavailable', 'The control plane is away');
          if (body.kind === 'DeviceCode' && body.aliasHash === hashOf('GUESSED')) {
            throw new AppError('request.rate_limited', 'Too many failed attempts');
          }
          return { content: stored.get(body.idHash ?? '')?.content ?? null };
        },
      }) as never,
    );
  const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const send = (path: string, fields: object, headers: Record<string, string> = {}) =>
    request(origin()).post(path).set(headers).type('form').send(fields);
  const authorize = () => send('/auth/device/code', { client_id: 'cube-cli' });
  const poll = (code: string) =>
    send('/auth/device/token', { client_id: 'cube-cli', grant_type: DEVICE_GRANT, device_code: code });

  it('answers programs in the dialect of OAuth, whatever goes wrong', async () => {
    const strange = await send('/auth/device/code', { client_id: 'cube-cli' }, { host: 'nobody.example' });
    expect([strange.status, typeof strange.body.error]).toEqual([404, 'string']);
    const json = await request(origin()).post('/auth/token').send({ client_id: 'cube-cli' });
    expect([json.status, json.body.error]).toEqual([415, 'invalid_request']);
    const large = await send('/auth/token', { client_id: 'x'.repeat(20_000) });
    expect([large.status, large.body.error]).toEqual([400, 'invalid_request']);
    const wrongMethod = await request(origin()).get('/auth/token');
    expect([wrongMethod.status, wrongMethod.body.error]).toEqual([405, 'invalid_request']);
    const noText = await request(origin()).post('/auth/token').type('form').send('client_id=caf%e9');
    expect([noText.status, noText.body.error]).toEqual([400, 'invalid_request']);
    const noAddress = await request(origin()).get('/.well-known/jwks.json?x=%ff');
    expect([noAddress.status, noAddress.body.error]).toEqual([400, 'invalid_request']);
  });

  it('names the methods that an endpoint has with every other one', async () => {
    const allowed = async (method: 'get' | 'post' | 'delete', path: string) => {
      const { status, headers } = await request(origin())[method](path).set({ origin: origin() });
      return [status, headers['allow']];
    };
    expect(await allowed('delete', '/auth/device')).toEqual([405, 'GET, HEAD, POST']);
    expect(await allowed('post', '/auth/authorize')).toEqual([405, 'GET, HEAD']);
    expect(await allowed('post', '/.well-known/jwks.json')).toEqual([405, 'GET, HEAD, OPTIONS']);
    expect(await allowed('delete', '/auth/userinfo')).toEqual([405, 'GET, HEAD, POST, OPTIONS']);
    expect(await allowed('get', '/auth/sign-out/confirm')).toEqual([405, 'POST']);
    expect(await allowed('get', '/auth/sign-in')).toEqual([404, undefined]);
    const preflight = { origin: 'https://app.example', 'access-control-request-method': 'POST' };
    for (const path of ['/auth/token', '/auth/oauth2/refresh', '/.well-known/jwks.json']) {
      expect([path, (await request(origin()).options(path).set(preflight)).status]).toEqual([path, 204]);
    }
  });

  it('answers HEAD with the headers of GET, the length among them, and no body', async () => {
    for (const path of ['/.well-known/jwks.json', '/.well-known/oauth-authorization-server', '/auth/device']) {
      const [get, head] = [await request(origin()).get(path), await request(origin()).head(path)];
      expect([path, head.status, head.text ?? '']).toEqual([path, 200, '']);
      for (const name of ['content-length', 'content-type', 'cache-control', 'content-security-policy']) {
        expect([path, name, head.headers[name]]).toEqual([path, name, get.headers[name]]);
      }
      expect(Number(head.headers['content-length'])).toBeGreaterThan(0);
    }
  });

  it('tells people in plain words, on a page, what the program did wrong that sent them', async () => {
    const page = async (query: string) => {
      const { status, type, text } = await request(origin()).get(`/auth/authorize${query}`).set('accept', 'text/html');
      return [status, type, text.replace(/<style>.*<\/style>/s, '')];
    };
    const unknown = expect.stringContaining('is not known to this platform. Its client id is wrong');
    const wrong = expect.stringContaining(
      'The program that sent you here asks in a wrong way: missing required parameter',
    );
    expect(await page('?client_id=nobody&response_type=code')).toEqual([400, 'text/html', unknown]);
    expect(await page('')).toEqual([400, 'text/html', wrong]);
    expect((await page(''))[2]).toContain('<p class="brand">Plinth</p>');
  });

  it('says so to a browser that sends a code without a live session', async () => {
    const form = { user_code: 'BCDF-GHJK', xsrf: 'x', confirm: 'yes' };
    for (const cookie of ['', 'plinth-session=gone']) {
      const { status, text } = await send('/auth/device', form, { cookie, origin: origin() });
      expect([status, text]).toEqual([400, expect.stringContaining('has expired or was begun in another browser')]);
    }
    expect(lines).not.toContain('the authorization server failed');
  });

  it('refuses forms of other sites, and leads nobody back into a flow of another browser', async () => {
    const foreign = await send('/auth/device', { user_code: 'x' }, { origin: 'https://evil.example' });
    expect([foreign.status, foreign.headers['content-type']]).toEqual([403, 'text/html; charset=utf-8']);
    for (const path of ['/auth/sign-in/abc', '/auth/consent/abc']) {
      expect((await request(origin()).get(path)).status).toBe(404);
    }
    expect((await request(origin()).get('/auth/device/abc')).status).toBe(400);
  });

  it('keeps a device waiting while the control plane is away', async () => {
    const { body } = await authorize();
    const code = (body as { device_code: string }).device_code;
    expect((await poll(code)).body).toMatchObject({ error: 'authorization_pending' });
    isDown = true;
    const reply = await poll(code);
    expect([reply.status, (reply.body as { error: string }).error]).toEqual([503, 'slow_down']);
  });

  it('tells a device that its code has expired, for some time after', async () => {
    const { device_code: code } = (await authorize()).body as { device_code: string };
    const kept = stored.get(hashOf(code));
    expect(kept?.expiresInSeconds).toBeGreaterThan(900);
    Object.assign(kept?.content ?? {}, { exp: 1 });
    const { status, body } = await poll(code);
    expect([status, (body as { error: string }).error]).toEqual([400, 'expired_token']);
  });

  it('passes the trace context on', async () => {
    const sent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await send('/auth/device/code', { client_id: 'cube-cli' }, { traceparent: sent });
    expect(traceparent).toBe(sent);
  });

  it('believes no header about the address it is reached at, unless a proxy is trusted', async () => {
    const { body } = await send('/auth/device/code', { client_id: 'cube-cli' }, { 'x-forwarded-host': 'evil.example' });
    expect((body as { verification_uri: string }).verification_uri).toBe(`${origin()}/auth/device`);
  });

  it('makes no authorization server for a port that only its caller names', async () => {
    isProxyTrusted = true;
    for (const path of ['/.well-known/oauth-authorization-server', '/.well-known/jwks.json', '/auth/device']) {
      for (const host of ['acme.example:1', 'acme.example:4443', '127.0.0.1:1']) {
        const reply = await request(origin()).get(path).set({ host, 'x-forwarded-proto': 'https' });
        expect([path, host, reply.status]).toEqual([path, host, 404]);
      }
    }
    expect(keyLists).toBe(0);
    const metadata = async (headers: Record<string, string>) =>
      (await request(origin()).get('/.well-known/oauth-authorization-server').set(headers)).body as { issuer?: string };
    expect((await metadata({})).issuer).toBe(origin());
    const proxied = await metadata({ host: 'acme.example', 'x-forwarded-proto': 'https' });
    expect([proxied.issuer, keyLists]).toEqual(['https://acme.example', 2]);
  });

  it.each([
    ['a code of a device', () => poll('guessed')],
    [
      'a refresh token',
      () => send('/auth/oauth2/refresh', { client_id: 'cube-cli', grant_type: 'refresh_token', refresh_token: 'x' }),
    ],
    ['a client', () => send('/auth/token', { client_id: 'nobody', grant_type: 'refresh_token', refresh_token: 'x' })],
    ['a token', () => request(origin()).get('/auth/userinfo').set({ authorization: 'Bearer guessed' })],
  ])('looks up no more of whoever keeps guessing %s, and says so in its dialect', async (_what, guess) => {
    for (let time = 0; time < FAILURES_PER_MINUTE; time += 1) expect([400, 401]).toContain((await guess()).status);
    const before = lookUps;
    const { status, headers, body } = await guess();
    expect([status, (body as { error: string }).error, lookUps - before]).toEqual([429, 'slow_down', 0]);
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect((await request(origin()).get('/.well-known/jwks.json')).status).toBe(200);
  });

  it('lets devices wait for people as often as they like', async () => {
    const { device_code: code } = (await authorize()).body as { device_code: string };
    for (let time = 0; time < 2 * FAILURES_PER_MINUTE; time += 1) {
      expect((await poll(code)).body).toMatchObject({ error: 'authorization_pending' });
    }
  });

  it('stays secure behind a trusted proxy that ends TLS', async () => {
    isProxyTrusted = true;
    const headers = { 'x-forwarded-proto': 'https', host: 'acme.example' };
    const { body } = await send('/auth/device/code', { client_id: 'cube-cli' }, headers);
    expect((body as { verification_uri: string }).verification_uri).toBe('https://acme.example/auth/device');
    const page = await request(origin()).get('/auth/device').set(headers);
    const [cookie = ''] = page.headers['set-cookie'] as unknown as string[];
    expect([page.status, cookie]).toEqual([200, expect.stringMatching(/^__Host-plinth-session=.*; secure;/i)]);
  });

  it('takes a refresh token that comes back late for stolen, and ends all that follows from the login', async () => {
    const now = Math.floor(Date.now() / 1_000);
    const common = { accountId: '7', clientId: 'cube-cli', iat: now, exp: now + 600 };
    const keep = (kind: 'Grant' | 'RefreshToken', secret: string, content: object) =>
      stored.set(hashOf(secret), {
        kind,
        idHash: hashOf(secret),
        content: { ...common, ...content, kind },
        expiresInSeconds: 600,
      });
    const refresh = () =>
      send('/auth/oauth2/refresh', { client_id: 'cube-cli', grant_type: 'refresh_token', refresh_token: 'old' });
    keep('Grant', 'grant', { openid: { scope: 'api offline_access' } });
    const token = { grantId: 'grant', scope: 'api offline_access', gty: 'device_code' };
    keep('RefreshToken', 'old', token);
    const first = await refresh();
    expect([first.status, Object.keys(first.body as object).sort(), revoked]).toEqual([
      200,
      ['accessToken', 'expiresIn', 'refreshToken', 'scope', 'tenantUrl', 'tokenType'],
      [],
    ]);
    keep('RefreshToken', 'old', { ...token, consumed: true });
    const late = await refresh();
    expect([late.status, (late.body as { error: string }).error]).toEqual([400, 'invalid_grant']);
    expect(revoked).toEqual([hashOf('grant')]);
  });

  it('says so when too many codes were tried, and is no failure of its own', async () => {
    const page = await request(origin()).get('/auth/device');
    const cookie = (page.headers['set-cookie'] as unknown as string[]).map((each) => each.split(';')[0]).join('; ');
    const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(page.text) ?? [];
    const form = { xsrf, user_code: 'gues-sed', confirm: 'yes' };
    const reply = await send('/auth/device', form, { cookie, origin: origin() });
    expect([reply.status, reply.text.includes('Too many failed attempts')]).toEqual([429, true]);
    expect(lines).not.toContain('the authorization server failed');
  });

  it('fills a code of a link in as text, without sending it and without a script', async () => {
    const { text, headers } = await request(origin()).get('/auth/device').query({ user_code: '"><script>' });
    expect(text).toContain('value="&quot;&gt;&lt;script&gt;"');
    expect(text).not.toContain('<script');
    expect(headers['content-security-policy']).toContain(`default-src 'none'`);
    const [cookie = ''] = headers['set-cookie'] as unknown as string[];
    expect(cookie).toMatch(/^plinth-session=.*; path=\/;.*samesite=lax; httponly/i);
  });

  it('hands no secret on in the clear but that of a device code, and logs none', async () => {
    const { body } = await authorize();
    const { device_code: code, user_code: userCode } = body as { device_code: string; user_code: string };
    await poll(code);
    for (const secret of [code, userCode]) expect(lines).not.toContain(secret);
    await request(origin()).get('/auth/device');
    const session = [...stored.values()].find(({ kind }) => kind === 'Session');
    expect(Object.keys(session?.content ?? {})).not.toContain('jti');
  });

  it('lets nothing be kept but public keys and metadata, for a minute', async () => {
    const cacheControl = async (path: string) => (await request(origin()).get(path)).headers['cache-control'];
    for (const path of ['/.well-known/jwks.json', '/.well-known/oauth-authorization-server']) {
      expect([path, await cacheControl(path)]).toEqual([path, 'public, max-age=60']);
    }
    expect((await authorize()).headers['cache-control']).toBe('no-store');
    expect(await cacheControl('/auth/device')).toBe('no-store');
  });

  it('gives the library nothing to warn of', () => {
    expect(warnings).not.toHaveBeenCalled();
  });
});
