import { hash } from 'node:crypto';
import { anonymousPrincipal } from '@plinth/auth';
import type { Call } from '@plinth/messaging';
import { requestContext } from '@plinth/observability';
import request from 'supertest';
import { Authenticator } from '../auth/authenticator';
import { DeploymentTokens } from '../auth/deployment-tokens';
import { Denials } from '../auth/denials';
import { EmbedAccounts } from '../tenants/embed-accounts';
import { ScimRequestLog } from '../scim-requests/scim-request-log';
import { FAILURES_PER_MINUTE, startEdge, type RunningEdge } from './edge-fixture';
import { OperationHandler } from './operation.handler';
import { OperationRouter } from './operation.router';
import { RateLimiter } from '../limits/rate-limiter';

const principal = { ...anonymousPrincipal(1, 'acme'), credentialId: 'x', userId: 7, isAdmin: true };
const reading = { action: 'DeploymentRead', deploymentIds: null };
const credentials: Readonly<Record<string, object>> = {
  admin: { ...principal, kind: 'api-key', credentialId: 'api-key:1' },
  nobody: { ...principal, kind: 'api-key', credentialId: 'api-key:2', isAdmin: false, grants: [reading] },
  limited: { ...principal, kind: 'api-key', credentialId: 'api-key:3', deploymentIds: [12] },
  scim: { ...principal, kind: 'scim-token', credentialId: 'scim-token:4' },
};
const byHash = new Map(Object.entries(credentials).map(([token, each]) => [hash('sha256', token), each]));
const user = { id: '7', userName: 'ada', meta: { version: 'W/"3"', location: 'https://acme.example/Users/7' } };

describe(OperationHandler.name, () => {
  let edge: RunningEdge;
  let scimRequests: ScimRequestLog;
  let seen: { call: Call<never>; context: ReturnType<typeof requestContext> }[];
  let answer: () => Promise<unknown>;
  let denied: object[];

  const take = async (call: unknown) => {
    seen.push({ call: call as Call<never>, context: requestContext() });
    return answer();
  };

  beforeEach(async () => {
    seen = [];
    denied = [];
    answer = async () => user;
    edge = await startEdge(
      {
        authenticate: async ({ body }) => ({ principal: byHash.get(body.tokenHash) ?? null, refusal: null }),
        recordDenial: async ({ body }) => denied.push(body),
        recordScimRequests: async () => ({ recorded: true }),
        describeEmbedding: async () => ({ isEnabled: true, origins: ['https://app.example'] }),
        abortChat: take,
        getDeployment: take,
        updateDeployment: take,
        createUserGroup: take,
        createScimUser: take,
        getScimUser: take,
        deleteScimUser: take,
        listScimUsers: take,
      },
      (application, { bus, edge: entered, failures, logger, registry }) => {
        scimRequests = new ScimRequestLog(bus, logger, registry);
        const handler = new OperationHandler({
          edge: entered,
          bus,
          router: new OperationRouter(),
          authenticator: new Authenticator(bus, failures, 60_000),
          deploymentTokens: new DeploymentTokens(bus, failures, 60_000),
          rateLimiter: new RateLimiter(0),
          failures,
          denials: new Denials(bus, logger),
          scimRequests,
          accounts: new EmbedAccounts(bus, 60_000),
        });
        application.use((incoming, response) => void handler.handle(incoming, response));
      },
    );
  });
  afterEach(async () => {
    await scimRequests.close();
    await edge.stop();
  });

  const send = (method: 'get' | 'post' | 'put' | 'delete' | 'head', path: string, token: string | null = 'admin') => {
    const test = request(edge.origin)[method](path);
    return token === null ? test : test.set('authorization', `Bearer ${token}`);
  };
  const platformError = { error: expect.any(String), message: expect.any(String), requestId: expect.any(String) };
  const scimError = { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], detail: expect.any(String) };

  it.each<[string, () => request.Test, number, string]>([
    ['an address that is no text', () => send('get', '/api/v1/%ff'), 400, 'request.malformed_target'],
    ['the host of nobody', () => send('get', '/api/v1/x').set('host', 'nobody.example'), 404, 'tenant.unknown_host'],
    ['what is not there', () => send('get', '/api/v1/nothing', null), 404, 'request.not_found'],
    ['another method', () => send('delete', '/api/v1/users/me', null), 405, 'request.method_not_allowed'],
    ['no credential', () => send('get', '/api/v1/deployments/12', null), 401, 'auth.credential_missing'],
    ['a wrong credential', () => send('get', '/api/v1/deployments/x', 'guess'), 401, 'auth.credential_invalid'],
    [
      'a kind that is not meant',
      () => send('get', '/api/v1/deployments/12', 'scim'),
      403,
      'access.credential_not_accepted',
    ],
    ['a missing permission', () => send('post', '/api/v1/user-groups', 'nobody'), 403, 'access.denied'],
    [
      'a deployment out of scope',
      () => send('get', '/api/v1/deployments/13', 'limited'),
      403,
      'access.deployment_out_of_scope',
    ],
    [
      'a body of another type',
      () => send('post', '/api/v1/user-groups').type('text').send('x'),
      415,
      'request.unsupported_media_type',
    ],
    ['a broken body', () => send('post', '/api/v1/user-groups').type('json').send('{'), 400, 'request.malformed_body'],
    ['what breaks the contract', () => send('get', '/api/v1/deployments/x'), 400, 'request.invalid'],
  ])('refuses %s before any service sees it', async (_what, ask, status, code) => {
    const reply = await ask();
    expect([reply.status, reply.body]).toEqual([status, expect.objectContaining({ ...platformError, code })]);
    expect(reply.headers['x-request-id']).toBe(reply.body.requestId);
    expect(reply.headers['www-authenticate']).toBe(status === 401 ? 'Bearer realm="plinth"' : undefined);
    expect(reply.headers['allow']).toBe(status === 405 ? 'GET, HEAD' : undefined);
    expect(seen).toEqual([]);
  });

  it.each<[string, () => request.Test, number]>([
    ['the host of nobody', () => send('get', '/api/scim/v2/Users').set('host', 'nobody.example'), 404],
    ['what is not there', () => send('get', '/api/scim/v1', null), 404],
    ['what is left out', () => send('get', '/api/scim/v2/Me', null), 501],
    ['another method', () => send('put', '/api/scim/v2/Users', null), 405],
    ['a wrong credential', () => send('get', '/api/scim/v2/Users').set('authorization', 'guess'), 401],
    [
      'JSON of another kind',
      () => send('post', '/api/scim/v2/Users', 'scim').type('application/jsonx').send('{}'),
      415,
    ],
  ])('refuses %s in the words of SCIM', async (_what, ask, status) => {
    const reply = await ask();
    expect([reply.status, reply.headers['content-type'], reply.body]).toEqual([
      status,
      'application/scim+json; charset=utf-8',
      { ...scimError, status: String(status) },
    ]);
    expect(seen).toEqual([]);
  });

  it('tells nobody what a service crashed of, and writes it down', async () => {
    answer = () => Promise.reject(new Error('the disk of db-7 is full'));
    const reply = await send('get', '/api/v1/deployments/12');
    expect([reply.status, reply.body.code]).toEqual([500, 'service.internal']);
    expect(reply.text).not.toContain('db-7');
    expect(edge.log()).toContain('db-7');
  });

  it('asks whoever looks for many routes to wait', async () => {
    for (let time = 0; time < FAILURES_PER_MINUTE; time += 1) await send('get', '/api/v1/nothing');
    const { status, headers } = await send('get', '/api/v1/nothing');
    expect([status, Number(headers['retry-after']) > 0]).toEqual([429, true]);
    expect((await send('get', '/api/v1/deployments/12')).status).toBe(200);
  });

  it('has a refusal recorded, by the operation that was meant', async () => {
    await send('post', '/api/v1/user-groups', 'nobody');
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
    expect(denied).toEqual([{ operation: 'createUserGroup', reason: 'access.denied' }]);
  });

  it('asks the service for the caller, in the context of the request', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const headers = { 'x-request-id': 'request-1', traceparent };
    const reply = await send('get', '/api/v1/deployments/12').set(headers);
    expect([reply.status, reply.body, reply.headers['x-request-id']]).toEqual([200, user, 'request-1']);
    const [{ call, context } = {}] = seen;
    expect(call).toMatchObject({ principal: { credentialId: 'api-key:1' }, path: { deploymentId: 12 }, query: {} });
    expect(context).toMatchObject({ requestId: 'request-1', traceparent, clientIp: '127.0.0.1' });
  });

  it('answers a resource of SCIM with its headers, and what is known or gone without a body', async () => {
    const [get, known, head, gone, made] = [
      await send('get', '/api/scim/v2/Users/7').set('authorization', 'scim'),
      await send('get', '/api/scim/v2/Users/7', 'scim').set('if-none-match', '"2", "3"'),
      await send('head', '/api/scim/v2/Users/7', 'scim'),
      ((answer = async () => undefined), await send('delete', '/api/scim/v2/Users/7', 'scim')),
      ((answer = async () => user),
      await send('post', '/api/scim/v2/Users', 'scim').send({ ...schemas, userName: 'ada' })),
    ];
    expect([get.status, get.headers['etag'], get.headers['location'], get.body]).toEqual([
      200,
      'W/"3"',
      undefined,
      user,
    ]);
    expect([known.status, known.headers['etag'], known.text]).toEqual([304, 'W/"3"', '']);
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
    expect([gone.status, gone.text]).toEqual([204, '']);
    expect([made.status, made.headers['location']]).toEqual([201, user.meta.location]);
  });

  it('refuses a body of which nothing is known, and proposes what was meant', async () => {
    const { status, body } = await send('put', '/api/v1/deployments/12').send({ releaseChanel: 'edge' });
    expect([status, body.message, seen.length]).toEqual([
      400,
      '/body/releaseChanel is not known; did you mean releaseChannel?',
      0,
    ]);
    expect(body.details).toHaveLength(1);
  });

  it('warns of a property that looks misspelt, with what was meant and without its value', async () => {
    const put = (body: object) => send('put', '/api/v1/deployments/12').send(body);
    const { status, headers } = await put({ name: 'Sales', 'releaseChan\r\nl': 'é', 'custom"omain': 'é' });
    expect([status, headers['warnings']]).toEqual([
      200,
      '"/body/releaseChan??l";code=unknown_property;meant="releaseChannel", ' +
        '"/body/custom\\"omain";code=unknown_property;meant="customDomain"',
    ]);
    expect((await put({ name: 'Sales', colour: 'red' })).headers).not.toHaveProperty('warnings');
  });

  it('leaves what SCIM does not know to SCIM', async () => {
    answer = async () => user;
    const reply = await send('post', '/api/scim/v2/Users', 'scim').send({ ...schemas, userName: 'ada', disply: 'x' });
    expect([reply.status, reply.headers['warnings']]).toEqual([201, undefined]);
  });

  describe('for pages of host applications', () => {
    const chat = '/api/v1/public/acme/agents/7/chat/abort';
    const page = { origin: 'https://app.example' };
    const asks = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-cube-auth-token' };
    const preflight = (headers: Record<string, string>, path = chat) => request(edge.origin).options(path).set(headers);
    const allowed = 'access-control-allow-origin';

    it('says to browsers of the origins that the account names what they may ask agents with', async () => {
      const { status, headers } = await preflight({ ...page, ...asks });
      expect([status, headers[allowed], headers['access-control-allow-headers']]).toEqual([
        204,
        page.origin,
        'x-cube-auth-token',
      ]);
      expect([headers['access-control-allow-methods'], headers['vary']]).toEqual([
        'POST',
        'origin, access-control-request-headers',
      ]);
      const evil = await preflight({ ...asks, origin: 'https://evil.example' });
      expect([evil.status, evil.headers[allowed]]).toEqual([204, undefined]);
      expect(seen).toEqual([]);
    });

    it('lets them read replies, refusals among them, and others neither', async () => {
      answer = async () => undefined;
      const abort = (headers: Record<string, string>, token?: string) =>
        send('post', chat, token).set(headers).send({ chatId: '0b7bd1b6-1f3c-4f0e-9d2a-8f5b7c1f6a11' });
      expect((await abort(page)).headers[allowed]).toBe(page.origin);
      const refused = await abort(page, 'guess');
      expect([refused.status, refused.headers[allowed]]).toEqual([401, page.origin]);
      expect((await abort({ origin: 'https://evil.example' })).headers[allowed]).toBeUndefined();
      expect((await abort({})).headers[allowed]).toBeUndefined();
    });

    it('opens no other operation, and runs none for the question alone', async () => {
      const other = await preflight({ ...page, 'access-control-request-method': 'GET' }, '/api/v1/deployments/12');
      expect([other.status, other.headers[allowed]]).toEqual([405, undefined]);
      expect((await send('get', '/api/v1/deployments/12').set(page)).headers[allowed]).toBeUndefined();
      const authorization = 'Bearer admin';
      for (const headers of [{ ...asks }, { ...page }]) {
        expect((await preflight({ ...headers, authorization })).status).toBe(405);
      }
      expect(seen.filter(({ context }) => context?.operationId === 'abortChat')).toEqual([]);
    });
  });

  it('takes parameters of SCIM in any case', async () => {
    await send('get', '/api/scim/v2/Users?STARTINDEX=3&filter=', 'scim');
    expect(seen[0]?.call.query).toEqual({ startIndex: 3, filter: '' });
  });
});

const schemas = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'] };
