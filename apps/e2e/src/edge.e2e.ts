import { connect } from 'node:net';
import { until } from '@plinth/testing';
import { ApiClient } from './harness/api-client';
import type { ChildService } from './harness/child-service';
import { startSecondGateway } from './harness/separate-services';
import { joinTopology } from './harness/shared-topology';
import { createDeployment } from './harness/story';
import type { Topology } from './harness/topology';

/** The edge is the gateway alone: one with its limits is enough, beside a platform that runs. */
describe('the edge of the API', () => {
  let platform: Topology;
  let topology: { admin: ApiClient; gateway: ChildService };
  let deploymentId: number;

  beforeAll(async () => {
    platform = await joinTopology('separate services on NATS');
    const limits = { PLINTH_RATE_LIMIT_PER_MINUTE: '400', PLINTH_FAILURE_LIMIT_PER_MINUTE: '50' };
    const { gateway, url } = await startSecondGateway(platform, limits);
    topology = { admin: new ApiClient(url, platform.admin.credential), gateway };
    ({ id: deploymentId } = await createDeployment(topology.admin));
  });
  afterAll(() => topology?.gateway.stop());

  it('answers an unknown path with 404 in JSON, below every prefix', async () => {
    for (const path of ['/api/v1/nothing', '/build/api/v1/nothing', '/api', '/', '/api/v1/deployments/1/nothing']) {
      const { status, body } = await topology.admin.send('GET', path);
      expect({ status, body }).toMatchObject({ status: 404, body: { code: 'request.not_found' } });
    }
  });

  it('answers a known path with another method with 405 and the methods that it has', async () => {
    const { status, headers, body } = await topology.admin.send('PATCH', '/api/v1/regions');
    expect({ status, allow: headers['allow'] }).toEqual({ status: 405, allow: 'GET, HEAD' });
    expect(body).toMatchObject({ code: 'request.method_not_allowed' });
  });

  it('refuses another method on what is no operation, too', async () => {
    for (const path of ['/healthz/live', '/healthz/ready', '/docs', '/docs/openapi.json']) {
      const { status, headers } = await topology.admin.send('POST', path, { body: {} });
      expect([path, status, headers['allow']]).toEqual([path, 405, 'GET, HEAD']);
    }
  });

  it('answers HEAD with the status and the headers of GET, and no body', async () => {
    const { baseUrl, credential: authorization } = topology.admin;
    const ask = async (method: string, path: string) => {
      const reply = await fetch(new URL(path, baseUrl), { method, headers: { authorization } });
      const { status, headers } = reply;
      return {
        status,
        length: headers.get('content-length'),
        type: headers.get('content-type'),
        body: await reply.text(),
      };
    };
    const paths = ['/api/v1/users/me', '/api/v1/regions', '/healthz/live', '/docs', '/docs/start.js'];
    for (const path of [...paths, '/api/scim/v2/ServiceProviderConfig', '/.well-known/jwks.json', '/auth/device']) {
      const { body, ...get } = await ask('GET', path);
      expect([path, await ask('HEAD', path)]).toEqual([path, { ...get, body: '' }]);
      expect([path, Buffer.byteLength(body)]).toEqual([path, Number(get.length)]);
    }
    const csv = await ask('HEAD', '/api/v1/audit-logs/export');
    expect([csv.status, csv.body]).toEqual([(await ask('GET', '/api/v1/audit-logs/export')).status, '']);
  });

  it('refuses a request that names two hosts, and an address that is no text', async () => {
    const { host, hostname, port } = new URL(topology.admin.baseUrl);
    const statusOf = (target: string, ...headers: string[]) =>
      new Promise<string | undefined>((resolve, reject) => {
        const socket = connect(Number(port), hostname, () =>
          socket.write([`GET ${target} HTTP/1.1`, ...headers, 'Connection: close', '', ''].join('\r\n')),
        );
        let reply = '';
        socket.on('data', (chunk: Buffer) => (reply += chunk.toString()));
        socket.on('end', () => resolve(/^HTTP\/1.1 (\d+)/.exec(reply)?.[1])).on('error', reject);
      });
    const own = `Host: ${host}`;
    const [known, key] = ['/api/v1/users/me', `Authorization: ${topology.admin.credential}`];
    expect(await statusOf(known, own, key)).toBe('200');
    expect(await statusOf(`http://${host}${known}`, own, key)).toBe('200');
    expect(await statusOf(known, own, own, key)).toBe('400');
    expect(await statusOf(known, own, 'Host: nobody.example', key)).toBe('400');
    expect(await statusOf(`http://nobody.example${known}`, own, key)).toBe('400');
    expect(await statusOf('http://[::1', own, key)).toBe('400');
    for (const bad of [
      `${known}?a=%ff`,
      '/api/v1/roles/%ff',
      '/auth/invitation/%ff',
      '/docs/%ff',
      '/auth/device?a=%ff',
    ]) {
      expect([bad, await statusOf(bad, own, key)]).toEqual([bad, '400']);
    }
  });

  it('serves a path with and without a slash at its end', async () => {
    for (const path of ['/api/v1/deployments', '/api/v1/deployments/', '/api/v1/regions/', '/api/v1/users/me/']) {
      expect((await topology.admin.send('GET', path)).status).toBe(200);
    }
  });

  it('names every problem of a request at once, with a pointer to each', async () => {
    const refusal = await topology.admin.refusal('createDeployment', {
      body: { name: 7, region: null, cloudProvider: 'moon' } as never,
    });
    expect(refusal).toMatchObject({ status: 400, code: 'request.invalid', error: refusal.message });
    expect(refusal.details?.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['/body/name', '/body/region', '/body/cloudProvider', '/body/isManaged']),
    );
  });

  it.each([
    ['a word for an id', '/api/v1/deployments/first'],
    ['an id out of the safe range', '/api/v1/deployments/9007199254740993'],
    ['a negative id', '/api/v1/deployments/-1'],
    ['a page of nothing', '/api/v1/deployments?first=0'],
    ['a negative page', '/api/v1/deployments?first=-1'],
    ['two styles of paging', '/api/v1/deployments?first=1&offset=0'],
    ['a foreign cursor', '/api/v1/deployments?after=bm90aGluZw'],
    ['a value outside an enum', '/api/v1/deployments?creationStep=moon'],
  ])('refuses %s with 400', async (_title, path) => {
    const { status, body } = await topology.admin.send('GET', path);
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: expect.any(String), message: expect.any(String), code: expect.any(String) });
  });

  it('refuses a null character in a text that is stored', async () => {
    const refusal = await topology.admin.refusal('createApiKey', { body: { name: 'a\u0000b' } });
    expect(refusal).toMatchObject({ status: 400, code: 'request.invalid' });
  });

  it('ignores query parameters and body fields that it does not know', async () => {
    expect((await topology.admin.send('GET', '/api/v1/deployments?colour=blue')).status).toBe(200);
    const body = { name: 'Renamed', colour: 'blue' } as never;
    expect(await topology.admin.call('updateDeployment', { path: { deploymentId }, body })).toMatchObject({
      name: 'Renamed',
    });
  });

  it('refuses JSON that is broken, other content, and bodies over the limit', async () => {
    const path = `/api/v1/deployments/${deploymentId}`;
    const put = (body: string, type: string) =>
      fetch(new URL(path, topology.admin.baseUrl), {
        method: 'PUT',
        body,
        headers: { 'content-type': type, authorization: topology.admin.credential },
      });
    expect(await (await put('{"name":', 'application/json')).json()).toMatchObject({ code: 'request.malformed_body' });
    expect((await put('name=x', 'text/plain')).status).toBe(415);
    const large = await put(JSON.stringify({ name: 'x'.repeat(1_100_000) }), 'application/json');
    expect(large.status).toBe(413);
    expect(await large.json()).toMatchObject({ code: 'request.too_large' });
  });

  it('refuses a body that it could not give back as it came, and stores nothing of it', async () => {
    const files = `/build/api/v1/deployments/${deploymentId}/data-model/files`;
    const { branchName } = await topology.admin.call('startDevMode', { path: { deploymentId } });
    const send = async (method: string, path: string, body: Buffer | string, type = 'application/json') => {
      const headers = { 'content-type': type, authorization: topology.admin.credential };
      const reply = await fetch(new URL(path, topology.admin.baseUrl), { method, body, headers });
      return [reply.status, ((await reply.json()) as { code?: string; scimType?: string }).code ?? 'scim'];
    };
    const file = (content: string) => `{"files":[{"path":"model/kept.yml","content":${content}}]}`;
    const deep = '['.repeat(5_000) + ']'.repeat(5_000);
    const bodies = [Buffer.from(file('"caf\u00e9"'), 'latin1'), file('"a\\ud800b"'), file(`"","x":${deep}`)];
    for (const body of bodies) {
      expect(await send('PUT', files, body)).toEqual([
        400,
        expect.stringMatching(/^request\.(malformed_body|invalid)$/),
      ]);
      expect(await send('POST', '/api/scim/v2/Users', body, 'application/scim+json')).toEqual([400, 'scim']);
    }
    expect(await send('PUT', files, file('""'), 'application/json; charset=latin1')).toEqual([
      400,
      'request.malformed_body',
    ]);
    const listed = { path: { deploymentId }, query: branchName ? { branchName } : {} };
    const hashes = await topology.admin.call('fileHashes', listed);
    expect(Object.keys(hashes)).not.toContain('model/kept.yml');
    await topology.admin.call('stopDevMode', { path: { deploymentId } });
  });

  it('takes a write without a body and without a content type', async () => {
    const { status } = await topology.admin.send('POST', `/api/v1/deployments/${deploymentId}/token`);
    expect(status).toBe(200);
  });

  it('takes the key under both schemes, whatever their case', async () => {
    const key = topology.admin.credential.replace('Bearer ', '');
    for (const scheme of ['Bearer', 'bearer', 'Api-Key', 'api-key']) {
      expect(await topology.admin.as(`${scheme} ${key}`).call('getCurrentUser')).toMatchObject({ isAdmin: true });
    }
  });

  it('does not take a credential from the query', async () => {
    const key = topology.admin.credential.replace('Bearer ', '');
    const path = `/api/v1/users/me?access_token=${key}`;
    expect((await topology.admin.as(undefined).send('GET', path)).status).toBe(401);
  });

  it('hands back the request id, or makes one when the given one is not plain text', async () => {
    const send = async (requestId: string) =>
      (await topology.admin.send('GET', '/api/v1/regions', { headers: { 'x-request-id': requestId } })).headers;
    expect((await send('trace-1.2'))['x-request-id']).toBe('trace-1.2');
    expect((await send('a b'))['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('sends the headers that keep a browser from framing, sniffing or caching a reply', async () => {
    const { headers } = await topology.admin.send('GET', '/api/v1/regions');
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'strict-transport-security': expect.stringContaining('max-age'),
    });
    expect(headers['x-powered-by']).toBeUndefined();
  });

  it('believes no forwarded scheme of a proxy that is not trusted', async () => {
    const headers = { 'x-forwarded-proto': 'https' };
    const { status, body } = await topology.admin.send('GET', '/api/v1/regions', { headers });
    expect({ status, body }).toMatchObject({ status: 403, body: { code: 'transport.https_required' } });
  });

  it('is live and ready, for whatever host', async () => {
    const { admin } = topology;
    expect((await admin.at('nobody.example').send('GET', '/healthz/live')).status).toBe(200);
    expect((await admin.at('nobody.example').send('GET', '/healthz/ready')).body).toMatchObject({ status: 'ok' });
  });

  it('writes no secret into its log', async () => {
    const { admin, gateway } = topology;
    const { token } = await admin.call('createApiKey', { body: { name: 'quiet' } });
    await admin.call('setEnvVariables', {
      path: { deploymentId },
      body: { env_variables: [{ name: 'DB_PASS', value: 'swordfish' }] },
    });
    const log = await until(
      'the line of the last request',
      () => [gateway, ...platform.processes.values()].flatMap(({ lines }) => lines).join('\n'),
      (text) => ['createApiKey', 'setEnvVariables'].every((id) => text.includes(`"operationId":"${id}"`)),
    );
    for (const secret of [token, 'swordfish', admin.credential.replace('Bearer ', '')]) {
      expect(log).not.toContain(secret);
    }
  });

  it('slows down a credential that asks too often, and says for how long', async () => {
    const { admin } = topology;
    const { token } = await admin.call('createApiKey', { body: { name: 'hasty' } });
    const hasty = admin.as(`Bearer ${token}`);
    const replies = await Promise.all(Array.from({ length: 420 }, () => hasty.attempt('listRegions')));
    const refused = replies.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(20);
    expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(0);
    expect((await admin.attempt('listRegions')).status).toBe(200);
  });

  it('looks into so many failures of one address, each kind for itself, and goes on serving who is known there', async () => {
    const { admin } = topology;
    const { token } = await admin.call('createApiKey', { body: { name: 'new' } });
    const { token: known } = await admin.call('createApiKey', { body: { name: 'known' } });
    const users = '/api/scim/v2/Users';
    expect((await admin.as(`Bearer ${known}`).attempt('listRegions')).status).toBe(200);
    const guesses = {
      route: (guess: number) => admin.send('GET', `/api/v1/guess-${guess}`),
      credential: (guess: number) =>
        admin.as(`Bearer sk-guess${guess}`).send('GET', guess % 2 ? users : '/api/v1/regions'),
      host: (guess: number) => admin.at(`guess-${guess}.example`).send('GET', '/'),
    };
    for (const [kind, guess] of Object.entries(guesses)) {
      const replies = await Promise.all(Array.from({ length: 60 }, (_, index) => guess(index)));
      const refused = replies.filter(({ status }) => status === 429);
      expect([kind, refused.length >= 10]).toEqual([kind, true]);
      expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(0);
    }
    const refusal = { status: 429, code: 'request.too_many_failures' };
    expect(await admin.as(`Bearer ${token}`).refusal('listRegions')).toMatchObject(refusal);
    const scim = await admin.as('Bearer sk-guess').send('GET', users);
    expect([scim.status, scim.headers['content-type'], (scim.body as { status: string }).status]).toEqual([
      429,
      expect.stringMatching('application/scim.json'),
      '429',
    ]);
    expect((await admin.as(`Bearer ${known}`).attempt('listRegions')).status).toBe(200);
    expect((await admin.as(undefined).send('GET', '/.well-known/jwks.json')).status).toBe(200);
  });
});
