import { operations, type OperationId } from '@plinth/contract';
import { exampleRequest, until } from '@plinth/testing';
import type { ApiClient, ApiReply } from './harness/api-client';
import { otherTenant } from './harness/other-tenant';
import { topologies } from './harness/topologies';
import type { Topology } from './harness/topology';

const scim = operations.filter(({ internal, service }) => !internal && service === 'scim');
const guarded = scim.filter(({ path, access }) => access.permission !== 'public' && path.startsWith('/api/scim/'));
const below = scim.filter(({ path }) => path.startsWith('/api/scim/'));
const idsOf = (list: readonly { operationId: OperationId }[]): [OperationId][] =>
  list.map(({ operationId }) => [operationId]);
const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';

describe.each(topologies)('who reaches SCIM: %s', (_name, start) => {
  let topology: Topology;
  let token: string;

  beforeAll(async () => {
    topology = await start();
    token = (await topology.admin.call('createScimToken', { body: { name: 'Okta' } })).token;
  });
  afterAll(() => topology?.stop());

  const attempt = (client: ApiClient, operationId: OperationId) =>
    client.attempt(operationId, exampleRequest(operationId, {}));

  const expectError = (reply: ApiReply, status: number, more: object = {}) => {
    expect(reply).toMatchObject({
      status,
      headers: { 'content-type': expect.stringMatching(/^application\/scim\+json/) },
      body: { schemas: [ERROR], status: String(status), detail: expect.stringMatching(/./), ...more },
    });
  };

  if (guarded.length > 0) {
    it.each(idsOf(guarded))('106 %s without a token: 401 in the form of SCIM', async (operationId) => {
      const reply = await attempt(topology.admin.as(undefined), operationId);
      expectError(reply, 401);
      expect(reply.headers['www-authenticate']).toContain('Bearer');
    });
  }

  it.each(idsOf(below))('70, 106 %s with garbage for a token: 401 in the form of SCIM', async (operationId) => {
    expectError(await attempt(topology.admin.as('non-token'), operationId), 401);
    expectError(await attempt(topology.admin.as(`Bearer sk-${'0'.repeat(40)}`), operationId), 401);
  });

  it('111 lets a SCIM token reach nothing but SCIM', async () => {
    const client = topology.admin.as(`Bearer ${token}`);
    for (const operationId of ['getCurrentUser', 'getDeployments', 'getUsers', 'listScimTokens', 'getSpec'] as const) {
      expect(await client.refusal(operationId)).toMatchObject({ status: 403, code: 'access.credential_not_accepted' });
    }
  });

  it('122 takes the token without a scheme before it, at SCIM alone', async () => {
    const bare = topology.admin.as(token);
    expect((await bare.attempt('listScimUsers')).status).toBe(200);
    expect(await bare.refusal('getCurrentUser')).toMatchObject({ status: 401, code: 'auth.credential_malformed' });
    const key = topology.admin.as(topology.admin.credential.replace(/^\S+ /, ''));
    expect(await key.refusal('getCurrentUser')).toMatchObject({ status: 401, code: 'auth.credential_malformed' });
  });

  it('106 has two live tokens for rotation, not three, and refuses a revoked one within a second', async () => {
    const { admin } = topology;
    const second = await admin.call('createScimToken', { body: {} });
    expect(await admin.refusal('createScimToken', { body: {} })).toMatchObject({ code: 'scim_token.limit_reached' });
    const { items } = await admin.call('listScimTokens');
    expect(items.map(({ id }) => id)).toContain(second.id);
    expect(JSON.stringify(items)).not.toContain(second.token);
    const doomed = admin.as(`Api-Key ${second.token}`);
    expect((await doomed.attempt('listScimSchemas')).status).toBe(200);
    await admin.call('deleteScimToken', { path: { scimTokenId: second.id } });
    const revoked = await until(
      'the token to be refused',
      () => doomed.attempt('listScimSchemas'),
      ({ status }) => status === 401,
      1_000,
    );
    expectError(revoked, 401);
  });

  it("106 does not know another tenant's token", async () => {
    const { name, host } = await otherTenant(topology);
    const { scimToken } = await topology.plinth('scim-tokens', 'create', '--tenant', name, '--name', 'Entra');
    const stranger = topology.admin.as(`Bearer ${String(scimToken)}`);
    expectError(await stranger.attempt('listScimSchemas'), 401);
    expect((await stranger.at(host).attempt('listScimSchemas')).status).toBe(200);
  });

  it('111 takes neither the access token nor the session of a person', () => {
    for (const { operationId, access } of guarded) {
      expect([operationId, access.credentials]).toEqual([operationId, ['scim-token', 'api-key']]);
    }
  });
});
