import { once } from 'node:events';
import { get as httpGet, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { AppError, type ErrorCode } from '@plinth/errors';
import { until } from '@plinth/testing';
import request, { type Test } from 'supertest';
import {
  ACCESS,
  DEPLOYMENT_HOST,
  refusing,
  replyOf,
  REQUESTS_PER_MINUTE,
  startDataEdge,
  TOKEN,
  transports,
  type DataEdge,
} from './data-fixture';
import { FAILURES_PER_MINUTE } from '../http/edge-fixture';

const LOAD = '/deployments/7/cubejs-api/v1/load';
const SOCKET = { connection: 'Upgrade', upgrade: 'websocket' };
const JSON_TYPE = { 'content-type': 'application/json' };

describe.each(transports)('a request for data over %s', (transport) => {
  let edge: DataEdge;

  beforeEach(async () => {
    edge = await startDataEdge(transport);
  });
  afterEach(() => edge.stop());

  const expectRefusal = async (sent: Test, status: number, code: unknown, error: unknown = expect.any(String)) => {
    const reply = await sent;
    expect([reply.status, reply.body]).toEqual([status, { error, code, requestId: expect.any(String) }]);
    return reply;
  };

  describe('is refused as engines do it (403), and reaches none,', () => {
    it.each<[string, string | undefined, ErrorCode, RegExp]>([
      ['no credential', undefined, 'data_token.missing', /Authorization header/],
      ['an empty one', '', 'data_token.missing', /Authorization header/],
      ['an API key', `sk-${'0'.repeat(34)}`, 'data_token.invalid', /deployments\/\{deploymentId\}\/token/],
      ['an API key by its scheme', 'Api-Key sk-1', 'data_token.invalid', /API key/],
      ['a bearer of an API key', 'Bearer sk-1', 'data_token.invalid', /API key/],
      ['a password', 'Basic YTpi', 'data_token.invalid', /no token/],
      ['half a token', 'eyJhbGciOiJIUzI1NiJ9.e30', 'data_token.invalid', /no token/],
      ['two tokens', `${TOKEN} ${TOKEN}`, 'data_token.invalid', /no token/],
    ])('with %s', async (_name, authorization, code, error) => {
      const sent = request(edge.origin).get(LOAD);
      if (authorization !== undefined) void sent.set({ authorization });
      const { headers, body } = await expectRefusal(sent, 403, code, expect.stringMatching(error));
      expect(headers).toMatchObject({ 'access-control-allow-origin': '*', 'x-request-id': body.requestId });
      expect(edge.asked).not.toContain('verifyDataToken');
    });

    it('with a token in the address', async () => {
      await expectRefusal(request(edge.origin).get(`${LOAD}?token=${TOKEN}`), 403, 'data_token.missing');
      expect(edge.log()).not.toContain(TOKEN);
    });

    it.each([
      ['invalid', 'data_token.invalid'],
      ['expired', 'data_token.expired'],
      ['revoked', 'data_token.revoked'],
      ['other_deployment', 'data_token.invalid'],
      ['other_environment', 'data_token.other_environment'],
    ] as const)('with a token that is %s', async (why, code) => {
      edge.verdict = refusing(why);
      await expectRefusal(edge.get(LOAD), 403, code);
      expect(edge.queries).toEqual([]);
    });

    it('with a token for metadata, which reads metadata alone', async () => {
      edge.verdict = ({ use }) => (use === 'metadata' ? { access: ACCESS } : refusing('metadata_only')());
      expect((await edge.get('/deployments/7/cubejs-api/v1/meta')).status).toBe(200);
      for (const route of ['load', 'sql', 'dry-run', 'graphql']) {
        await expectRefusal(edge.get(`/deployments/7/cubejs-api/v1/${route}`), 403, 'data_token.metadata_only');
      }
      expect((await edge.post('/deployments/7/v1/cubesql')).status).toBe(403);
      expect(edge.queries.map(({ route }) => route)).toEqual(['meta']);
    });
  });

  describe('finds nothing (404)', () => {
    it.each([
      ['at an unknown host', LOAD, 'nobody.example', 'tenant.unknown_host'],
      ['below the deployment of another tenant', LOAD, 'other.example', 'deployment.not_found'],
      ['below a deployment that is not there', '/deployments/8/v1/load', undefined, 'deployment.not_found'],
      ['without a deployment', '/cubejs-api/v1/load', undefined, 'request.not_found'],
      ['in the health of no deployment', '/readyz', undefined, 'request.not_found'],
      ['at a path by the host of the deployment', LOAD, DEPLOYMENT_HOST, 'request.not_found'],
      ['at a path that leads nowhere', '/deployments/7/v1/sql', undefined, 'request.not_found'],
    ] as const)('%s', async (_name, path, host, code) => {
      // What is remembered of it is nobody else's.
      expect((await edge.get(LOAD)).status).toBe(200);
      edge.queries.length = 0;
      await expectRefusal(edge.get(path, host), 404, code);
      expect(edge.queries).toEqual([]);
    });

    it('of the platform at the host of a deployment', async () => {
      const { status, text } = await edge.get('/api/v1/users/me', DEPLOYMENT_HOST);
      expect({ status, text }).toEqual({ status: 404, text: 'request.not_found' });
      expect((await edge.get('/api/v1/users/me')).text).toBe('the platform');
    });

    it('of a branch that nothing serves, which is named to who has a token of the deployment and to nobody else', async () => {
      edge.verdict = ({ environmentId }) => refusing(environmentId === null ? 'other_environment' : 'invalid')();
      const asked = () => edge.get('/deployments/7/dev-mode/gone/cubejs-api/v1/load');
      await expectRefusal(asked(), 404, 'environment.not_found', expect.stringContaining('"gone"'));
      edge.verdict = refusing('invalid');
      edge.publish('control-plane.credential.changed');
      await until('the notice arrives', asked, ({ status }) => status === 403);
    });

    it("of somebody else's dev branch, as if it were not there", async () => {
      edge.verdict = refusing('other_environment');
      const theirs = await edge.get('/deployments/7/dev-mode/feature%2Fa%20b/cubejs-api/v1/load');
      const gone = await edge.get('/deployments/7/dev-mode/gone/cubejs-api/v1/load');
      expect([theirs.status, gone.status]).toEqual([404, 404]);
      expect(theirs.body.error.replace('feature/a b', 'gone')).toBe(gone.body.error);
      expect((await edge.get('/deployments/7/dev-mode/next/cubejs-api/v1/load')).status).toBe(403);
    });
  });

  describe('is turned away', () => {
    it('by another method than the engine has (405)', async () => {
      const code = 'request.method_not_allowed';
      const get = await expectRefusal(edge.get('/deployments/7/cubejs-api/v1/cubesql'), 405, code);
      const put = await expectRefusal(request(edge.origin).put(LOAD), 405, code);
      expect([get, put].map(({ headers }) => headers['allow'])).toEqual(['POST', 'GET, HEAD, POST']);
    });

    it.each([
      ['larger than 1 MiB (413)', 413, `{"query":"${'x'.repeat(1 << 20)}"}`, JSON_TYPE],
      ['that is no JSON by its type (415)', 415, 'query=1', { 'content-type': 'application/x-www-form-urlencoded' }],
      ['that is no JSON (400)', 400, '{"query":', JSON_TYPE],
      ['nested too deeply (400)', 400, '['.repeat(300), JSON_TYPE],
    ])('with a body %s', async (_name, expected, body, headers) => {
      await expectRefusal(edge.post(LOAD).set(headers).send(body), expected, expect.any(String));
      expect(edge.queries).toEqual([]);
    });

    it.each([
      ['that is too large', 431, `${LOAD}?query=${'x'.repeat(20_000)}`],
      ['of a branch that is no text', 400, '/deployments/7/dev-mode/%ff/cubejs-api/v1/load'],
    ])('with an address %s (%d)', async (_name, status, path) => {
      expect((await edge.get(path)).status).toBe(status);
    });

    it.each(['/?x=1', '/deployments/7/', LOAD])('as a socket at %s (501)', async (path) => {
      await expectRefusal(edge.get(path).set(SOCKET), 501, 'data.sockets_not_supported');
    });

    it('as the WebSocket of the public client, which is told why when it is closed', async () => {
      const { hostname, port } = new URL(edge.origin);
      const headers = { ...SOCKET, 'sec-websocket-version': '13', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' };
      const socket = httpGet({ hostname, port, path: '/deployments/7', headers });
      const [reply, stream, head] = (await once(socket, 'upgrade')) as [IncomingMessage, Socket, Buffer];
      expect(reply.headers['sec-websocket-accept']).toBe('s3pPLMBiTxaQ9kYGzzhZRbK+xOo=');
      const frame = Buffer.concat([head, ...(await stream.toArray())] as Buffer[]);
      expect([frame[0], frame.readUInt16BE(2)]).toEqual([0x88, 1009]);
      expect(frame.toString('utf8', 4)).toMatch(/use the HTTP transport/);
      expect(frame[1]).toBe(frame.length - 2);
    });

    it('by what the runtime refuses, with the time to wait', async () => {
      edge.engine = async () => {
        throw new AppError('service.unavailable', 'All engines are busy', { retryAfterSeconds: 3 });
      };
      const { headers } = await expectRefusal(edge.get(LOAD), 503, 'service.unavailable', 'All engines are busy');
      expect(headers['retry-after']).toBe('3');
    });

    it('when the runtime that was asked is lost (503), and may ask again at once', async () => {
      edge.engine = () => Promise.reject(new AppError('service.deadline_exceeded', 'No answer in time'));
      const { headers } = await expectRefusal(edge.get(LOAD), 503, 'service.unavailable');
      expect(headers['retry-after']).toBe('1');
    });

    it('after too many failures of its address (429), unless its token is known', async () => {
      expect((await edge.get(LOAD)).status).toBe(200);
      edge.verdict = ({ token }) => (token === TOKEN ? { access: ACCESS } : refusing('invalid')());
      const guess = (number: number) => request(edge.origin).get(LOAD).set('authorization', `${TOKEN}${number}`);
      for (let number = 0; number < FAILURES_PER_MINUTE; number += 1) expect((await guess(number)).status).toBe(403);
      await expectRefusal(guess(-1), 429, 'request.too_many_failures');
      expect((await edge.get(LOAD)).status).toBe(200);
    });

    it('when its token has asked too often (429), and no other', async () => {
      for (let number = 0; number < REQUESTS_PER_MINUTE; number += 1) expect((await edge.get(LOAD)).status).toBe(200);
      const { headers } = await expectRefusal(edge.get(LOAD), 429, 'request.rate_limited');
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      edge.verdict = () => ({ access: { ...ACCESS, tokenId: 'token-2' } });
      expect((await request(edge.origin).get(LOAD).set('authorization', `${TOKEN}2`)).status).toBe(200);
    });
  });

  describe('reaches the engine', () => {
    it('as it came, under the context of its token, and gets what the engine answers', async () => {
      edge.engine = async () => replyOf('{"error":"Unknown member"}', { status: '400', 'x-engine': 'yes' });
      const body = { query: { measures: ['orders.count'] }, securityContext: { cubeCloud: { userId: 6 } } };
      const reply = await edge.post(`${LOAD}?format=1&x=%20&securityContext={}&environmentId=2`).send(body);
      expect(reply).toMatchObject({ status: 400, body: { error: 'Unknown member' } });
      expect(reply.headers).toMatchObject({ 'x-engine': 'yes', 'content-type': 'application/json; charset=utf-8' });
      expect(reply.headers).not.toHaveProperty('status');
      expect(edge.queries).toEqual([
        {
          environmentId: 1,
          branchName: 'main',
          isProduction: true,
          route: 'load',
          method: 'POST',
          search: 'format=1&x=%20&securityContext={}&environmentId=2',
          body,
          securityContext: ACCESS.securityContext,
          caller: 'data-token:token-1',
        },
      ]);
    });

    it.each([
      ['GET', '/deployments/7/cubejs-api/v1/meta?extended', { route: 'meta', search: 'extended', body: null }],
      ['POST', '/deployments/7/cubejs-api/graphql', { route: 'graphql', search: '', body: null }],
      ['GET', '/deployments/7/dev-mode/main/cubejs-api/v1/load', { branchName: 'main', environmentId: 1 }],
      ['GET', '/deployments/7/dev-mode/next/cubejs-api/v1/load', { branchName: 'next', environmentId: 2 }],
      ['GET', '/deployments/7/dev-mode/feature/a%20b/v1/load', { branchName: 'feature/a b', environmentId: 3 }],
      ['GET', '/deployments/7/dev-mode/feature%2Fa%20b/v1/load', { branchName: 'feature/a b', environmentId: 3 }],
    ])('by %s %s', async (method, path, asked) => {
      expect((await (method === 'GET' ? edge.get(path) : edge.post(path))).status).toBe(200);
      const isProduction = !('environmentId' in asked) || asked.environmentId === 1;
      expect(edge.queries).toMatchObject([{ ...asked, method, isProduction }]);
    });

    it('by the host of the deployment, with a branch or without', async () => {
      for (const path of ['/v1/load', '/dev-mode/next/cubejs-api/v1/load']) {
        expect((await edge.get(path, `${DEPLOYMENT_HOST}:4000`)).status).toBe(200);
      }
      expect(edge.queries).toMatchObject([{ branchName: 'main' }, { branchName: 'next' }]);
    });

    it('with its token after Bearer', async () => {
      const { status } = await request(edge.origin).get(LOAD).set('authorization', `Bearer ${TOKEN}`);
      expect(status).toBe(200);
    });

    it('by HEAD, which gets no body', async () => {
      const { status, headers, text } = await request(edge.origin).head(LOAD).set('authorization', TOKEN);
      expect({ status, text }).toEqual({ status: 200, text: undefined });
      expect(headers['content-type']).toContain('json');
      expect(edge.queries).toMatchObject([{ method: 'GET' }]);
    });
  });

  describe('remembers', () => {
    it('where an address leads and what a token opens, so that a request is one call', async () => {
      for (let number = 0; number < 5; number += 1) await edge.get(LOAD);
      expect(edge.asked).toEqual(['locateEnvironment', 'verifyDataToken', ...Array<string>(5).fill('queryEngine')]);
    });

    it('no token for a second, though the notice of its end was lost', async () => {
      expect((await edge.get(LOAD)).status).toBe(200);
      edge.verdict = refusing('revoked');
      const ask = () => edge.get(LOAD);
      await until('the token is looked at again', ask, ({ status }) => status === 403, 1_000);
    });

    const topics = ['control-plane.deployment.changed', 'build-worker.branch.changed'];
    it.each(topics)('where an address leads no longer than until the notice %s', async (topic) => {
      const lookUps = async () => {
        await edge.get(LOAD);
        return edge.asked.filter((each) => each === 'locateEnvironment').length;
      };
      expect(await lookUps()).toBe(1);
      edge.publish(topic);
      await until('it is looked up again', lookUps, (times) => times > 1, 600);
    });
  });

  it('answers the question of a browser for any site, without a credential and without asking anybody', async () => {
    const wanted = 'authorization, content-type, x-request-id';
    const { status, headers } = await request(edge.origin)
      .options(LOAD)
      .set({ origin: 'https://app.example', 'access-control-request-headers': wanted });
    expect(status).toBe(204);
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'HEAD, GET, POST',
      'access-control-allow-headers': wanted,
    });
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
    expect(edge.asked).toEqual([]);
  });

  it.each(['readyz', 'livez'])('tells without a credential that a deployment is there: %s', async (path) => {
    const { status, body } = await request(edge.origin).get(`/deployments/7/${path}`);
    expect({ status, body }).toEqual({ status: 200, body: { health: 'HEALTH' } });
    expect(edge.queries).toEqual([]);
  });
});
