import request, { type Test } from 'supertest';
import { FAILURES_PER_MINUTE } from '../http/edge-fixture';
import { hashOf } from './artefact-adapter';
import { startOAuthEdge, type OAuthEdge } from './oauth-fixture';

describe('the authorization server at the edge', () => {
  const warnings = jest.spyOn(console, 'warn');
  let edge: OAuthEdge;

  beforeEach(async () => {
    edge = await startOAuthEdge();
  });
  afterEach(() => edge.stop());

  /** How a program is answered. */
  const said = async (sent: Test) => {
    const { status, body } = await sent;
    return [status, (body as { error: unknown }).error];
  };
  const verificationUri = async (headers: Record<string, string>) =>
    ((await edge.authorize().set(headers)).body as { verification_uri: string }).verification_uri;
  const newCode = async () => ((await edge.authorize()).body as { device_code: string }).device_code;

  it('answers programs in the dialect of OAuth, whatever goes wrong', async () => {
    const at = (method: 'get' | 'post', path: string) => request(edge.origin)[method](path);
    expect(await said(edge.authorize().set({ host: 'nobody.example' }))).toEqual([404, expect.any(String)]);
    expect(await said(at('post', '/auth/token').send({ client_id: 'cube-cli' }))).toEqual([415, 'invalid_request']);
    for (const [sent, status] of [
      [edge.send('/auth/token', { client_id: 'x'.repeat(20_000) }), 400],
      [at('get', '/auth/token'), 405],
      [at('post', '/auth/token').type('form').send('client_id=caf%e9'), 400],
      [at('get', '/.well-known/jwks.json?x=%ff'), 400],
    ] as const) {
      expect(await said(sent)).toEqual([status, 'invalid_request']);
    }
  });

  it('names the methods that an endpoint has with every other one', async () => {
    const allowed = async (method: 'get' | 'post' | 'delete', path: string) => {
      const { status, headers } = await request(edge.origin)[method](path).set({ origin: edge.origin });
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
      expect([path, (await request(edge.origin).options(path).set(preflight)).status]).toEqual([path, 204]);
    }
  });

  it('answers HEAD with the headers of GET, the length among them, and no body', async () => {
    for (const path of ['/.well-known/jwks.json', '/.well-known/oauth-authorization-server', '/auth/device']) {
      const [get, head] = [await request(edge.origin).get(path), await request(edge.origin).head(path)];
      expect([path, head.status, head.text ?? '']).toEqual([path, 200, '']);
      for (const name of ['content-length', 'content-type', 'cache-control', 'content-security-policy']) {
        expect([path, name, head.headers[name]]).toEqual([path, name, get.headers[name]]);
      }
      expect(Number(head.headers['content-length'])).toBeGreaterThan(0);
    }
  });

  it('tells people in plain words, on a page, what the program did wrong that sent them', async () => {
    const page = async (query: string) => {
      const { status, type, text } = await request(edge.origin)
        .get(`/auth/authorize${query}`)
        .set('accept', 'text/html');
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
      const { status, text } = await edge.send('/auth/device', form, { cookie, origin: edge.origin });
      expect([status, text]).toEqual([400, expect.stringContaining('has expired or was begun in another browser')]);
    }
    expect(edge.log()).not.toContain('the authorization server failed');
  });

  it('refuses forms of other sites, and leads nobody back into a flow of another browser', async () => {
    const foreign = await edge.send('/auth/device', { user_code: 'x' }, { origin: 'https://evil.example' });
    expect([foreign.status, foreign.headers['content-type']]).toEqual([403, 'text/html; charset=utf-8']);
    for (const path of ['/auth/sign-in/abc', '/auth/consent/abc']) {
      expect((await request(edge.origin).get(path)).status).toBe(404);
    }
    expect((await request(edge.origin).get('/auth/device/abc')).status).toBe(400);
  });

  it('keeps a device waiting while the control plane is away', async () => {
    const code = await newCode();
    expect(await said(edge.poll(code))).toEqual([400, 'authorization_pending']);
    edge.isDown = true;
    expect(await said(edge.poll(code))).toEqual([503, 'slow_down']);
  });

  it('tells a device that its code has expired, for some time after', async () => {
    const code = await newCode();
    const kept = edge.stored.get(hashOf(code));
    expect(kept?.expiresInSeconds).toBeGreaterThan(900);
    Object.assign(kept?.content ?? {}, { exp: 1 });
    expect(await said(edge.poll(code))).toEqual([400, 'expired_token']);
  });

  it('believes no header about the address it is reached at, unless a proxy is trusted', async () => {
    expect(await verificationUri({ 'x-forwarded-host': 'evil.example' })).toBe(`${edge.origin}/auth/device`);
  });

  it('makes no authorization server for a port that only its caller names', async () => {
    edge.isProxyTrusted = true;
    for (const path of ['/.well-known/oauth-authorization-server', '/.well-known/jwks.json', '/auth/device']) {
      for (const host of ['acme.example:1', 'acme.example:4443', '127.0.0.1:1']) {
        const reply = await request(edge.origin).get(path).set({ host, 'x-forwarded-proto': 'https' });
        expect([path, host, reply.status]).toEqual([path, host, 404]);
      }
    }
    expect(edge.keyLists).toBe(0);
    const metadata = () => request(edge.origin).get('/.well-known/oauth-authorization-server');
    expect((await metadata()).body).toMatchObject({ issuer: edge.origin });
    const { body } = await metadata().set({ host: 'acme.example', 'x-forwarded-proto': 'https' });
    expect([body, edge.keyLists]).toEqual([expect.objectContaining({ issuer: 'https://acme.example' }), 2]);
  });

  it.each([
    ['a code of a device', () => edge.poll('guessed')],
    ['a refresh token', () => edge.refresh('x')],
    ['a client', () => edge.send('/auth/token', { client_id: 'nobody', grant_type: 'refresh_token' })],
    ['a token', () => request(edge.origin).get('/auth/userinfo').set({ authorization: 'Bearer guessed' })],
  ])('looks up no more of whoever keeps guessing %s, and says so in its dialect', async (_what, guess) => {
    for (let time = 0; time < FAILURES_PER_MINUTE; time += 1) expect([400, 401]).toContain((await guess()).status);
    const before = edge.lookUps;
    const { status, headers, body } = await guess();
    expect([status, (body as { error: string }).error, edge.lookUps - before]).toEqual([429, 'slow_down', 0]);
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect((await request(edge.origin).get('/.well-known/jwks.json')).status).toBe(200);
  });

  it('lets devices wait for people as often as they like', async () => {
    const code = await newCode();
    for (let time = 0; time < 2 * FAILURES_PER_MINUTE; time += 1) {
      expect(await said(edge.poll(code))).toEqual([400, 'authorization_pending']);
    }
  });

  it('stays secure behind a trusted proxy that ends TLS', async () => {
    edge.isProxyTrusted = true;
    const headers = { 'x-forwarded-proto': 'https', host: 'acme.example' };
    expect(await verificationUri(headers)).toBe('https://acme.example/auth/device');
    const page = await request(edge.origin).get('/auth/device').set(headers);
    const [cookie = ''] = page.headers['set-cookie'] as unknown as string[];
    expect([page.status, cookie]).toEqual([200, expect.stringMatching(/^__Host-plinth-session=.*; secure;/i)]);
  });

  it('takes a refresh token that comes back late for stolen, and ends all that follows from the login', async () => {
    edge.keep('Grant', 'grant', { openid: { scope: 'api offline_access' } });
    const token = { grantId: 'grant', scope: 'api offline_access', gty: 'device_code' };
    edge.keep('RefreshToken', 'old', token);
    const first = await edge.refresh('old');
    const parts = ['accessToken', 'expiresIn', 'refreshToken', 'scope', 'tenantUrl', 'tokenType'];
    expect([first.status, Object.keys(first.body as object).sort(), edge.revoked]).toEqual([200, parts, []]);
    edge.keep('RefreshToken', 'old', { ...token, consumed: true });
    expect(await said(edge.refresh('old'))).toEqual([400, 'invalid_grant']);
    expect(edge.revoked).toEqual([hashOf('grant')]);
  });

  it('gives for a refresh token no scope and no resource that the person did not approve', async () => {
    const clientId = 'cube-mcp-client';
    const resource = `${edge.origin}/api/mcp`;
    edge.keep('Grant', 'grant', { clientId, resources: { [resource]: 'mcp-agent-access' } });
    const refresh = async (more: object) => {
      const approved = { scope: 'mcp-agent-access', resource, gty: 'authorization_code' };
      edge.keep('RefreshToken', 'ours', { clientId, grantId: 'grant', ...approved });
      const fields = { client_id: 'cube-mcp-client', grant_type: 'refresh_token', refresh_token: 'ours', ...more };
      const { body } = await edge.send('/auth/token', fields);
      return body as { error?: string; scope?: string };
    };
    expect(await refresh({ scope: 'mcp-agent-access api' })).toMatchObject({ error: 'invalid_scope' });
    expect(await refresh({ scope: 'mcp-agent-access openid' })).toMatchObject({ error: 'invalid_scope' });
    expect(await refresh({ resource: 'https://elsewhere.example/api/mcp' })).toMatchObject({ error: 'invalid_target' });
    expect(await refresh({ client_id: 'cube-cli' })).toMatchObject({ error: 'invalid_grant' });
    expect(await refresh({})).toMatchObject({ scope: 'mcp-agent-access' });
    const tokens = [...edge.stored.values()].filter(({ kind }) => kind === 'AccessToken');
    expect(tokens.map(({ scope }) => scope)).toEqual(['mcp-agent-access']);
  });

  it('says so when too many codes were tried, and is no failure of its own', async () => {
    const page = await request(edge.origin).get('/auth/device');
    const cookie = (page.headers['set-cookie'] as unknown as string[]).map((each) => each.split(';')[0]).join('; ');
    const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(page.text) ?? [];
    const form = { xsrf, user_code: 'gues-sed', confirm: 'yes' };
    const reply = await edge.send('/auth/device', form, { cookie, origin: edge.origin });
    expect([reply.status, reply.text.includes('Too many failed attempts')]).toEqual([429, true]);
    expect(edge.log()).not.toContain('the authorization server failed');
  });

  it('fills a code of a link in as text, without sending it and without a script', async () => {
    const { text, headers } = await request(edge.origin).get('/auth/device').query({ user_code: '"><script>' });
    expect(text).toContain('value="&quot;&gt;&lt;script&gt;"');
    expect(text).not.toContain('<script');
    expect(headers['content-security-policy']).toContain(`default-src 'none'`);
    const [cookie = ''] = headers['set-cookie'] as unknown as string[];
    expect(cookie).toMatch(/^plinth-session=.*; path=\/;.*samesite=lax; httponly/i);
  });

  it('hands no secret on in the clear but that of a device code, and logs none', async () => {
    const { body } = await edge.authorize();
    const codes = body as { device_code: string; user_code: string };
    await edge.poll(codes.device_code);
    for (const secret of [codes.device_code, codes.user_code]) expect(edge.log()).not.toContain(secret);
    await request(edge.origin).get('/auth/device');
    const session = [...edge.stored.values()].find(({ kind }) => kind === 'Session');
    expect(Object.keys(session?.content ?? {})).not.toContain('jti');
  });

  it('lets nothing be kept but public keys and metadata, for a minute', async () => {
    const cacheControl = async (path: string) => (await request(edge.origin).get(path)).headers['cache-control'];
    for (const path of ['/.well-known/jwks.json', '/.well-known/oauth-authorization-server']) {
      expect([path, await cacheControl(path)]).toEqual([path, 'public, max-age=60']);
    }
    expect((await edge.authorize()).headers['cache-control']).toBe('no-store');
    expect(await cacheControl('/auth/device')).toBe('no-store');
  });

  describe('with clients that have registered themselves', () => {
    const register = (uris: unknown, name = 'Assistant') =>
      request(edge.origin).post('/auth/register').send({ client_name: name, redirect_uris: uris });
    const forged = (...said: unknown[]) => `dyn.${Buffer.from(JSON.stringify(said)).toString('base64url')}`;
    const ask = (query: object) => request(edge.origin).get('/auth/authorize').query(query).redirects(0);
    const sound = { response_type: 'code', code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' };

    it.each([
      'javascript:alert(1)',
      'data:text/html,x',
      'http://evil.example/callback',
      'http://127.0.0.1.evil.example/callback',
      'https://localhost/callback',
      'https://app.example/callback#part',
      'https://bank.example@evil.example/callback',
      'callback',
    ])('answers nobody at %s, whether somebody registers it or writes the id themselves', async (uri) => {
      expect(await said(register([uri]))).toEqual([400, expect.stringMatching(/^invalid_/)]);
      const reply = await ask({ ...sound, client_id: forged('Assistant', uri), redirect_uri: uri });
      expect([reply.status, reply.headers['location']]).toEqual([400, undefined]);
    });

    it('answers at no address but those of the client, to the letter', async () => {
      const { body } = await register(['https://app.example/callback', 'http://127.0.0.1/callback']);
      const { client_id } = body as { client_id: string };
      for (const redirect_uri of [
        'https://app.example/callback/',
        'https://app.example/callback?x=1',
        'https://app.example:8443/callback',
        'https://APP.example/callback',
        'http://127.0.0.1:4000/other',
        'http://localhost:4000/callback',
      ]) {
        const reply = await ask({ ...sound, client_id, redirect_uri });
        expect([redirect_uri, reply.status, reply.headers['location']]).toEqual([redirect_uri, 400, undefined]);
      }
      const { status, headers } = await ask({ ...sound, client_id, redirect_uri: 'http://127.0.0.1:4000/callback' });
      expect([status, headers['location']]).toEqual([303, expect.stringMatching(/^\/auth\/sign-in\//)]);
    });

    it('leads nobody to another site by a request that is wrong; programs on the own machine are told', async () => {
      const uris = ['https://evil.example/callback', 'http://127.0.0.1/callback'];
      const { client_id } = (await register(uris)).body as { client_id: string };
      for (const wrong of [{ response_type: 'code' }, { ...sound, prompt: 'none' }, { ...sound, scope: 'api' }]) {
        for (const response_mode of ['query', 'fragment', 'form_post']) {
          const asked = { ...wrong, client_id, response_mode };
          const away = await ask({ ...asked, redirect_uri: uris[0] });
          expect([asked, away.status, away.headers['location']]).toEqual([asked, 400, undefined]);
          expect(away.text).not.toContain('evil.example');
        }
        const told = await ask({ ...wrong, client_id, redirect_uri: 'http://127.0.0.1:4000/callback' });
        expect(told.headers['location']).toMatch(/^http:\/\/127\.0\.0\.1:4000\/callback\?error=/);
      }
    });

    it('keeps nothing of them, however many there are', async () => {
      for (let time = 0; time < 20; time += 1) {
        expect((await register([`https://app-${time}.example/callback`])).status).toBe(201);
      }
      expect(edge.stored.size).toBe(0);
    });
  });

  it('gives the library nothing to warn of', () => {
    expect(warnings).not.toHaveBeenCalled();
  });
});
