import type { Schemas } from '@plinth/contract';
import { until } from '@plinth/testing';
import type { ApiClient } from './harness/api-client';
import { otherTenant } from './harness/other-tenant';
import { onNats } from './harness/topologies';
import type { Topology } from './harness/topology';

type Entry = Schemas['ScimRequest'];

const users = '/api/scim/v2/Users';
const password = 't1meless-Secret';

describe.each(onNats)('the list of SCIM requests: %s', (_name, start) => {
  let topology: Topology;
  let admin: ApiClient;
  let token: Schemas['CreatedScimToken'];
  let okta: ApiClient;

  beforeAll(async () => {
    topology = await start();
    ({ admin } = topology);
    token = await admin.call('createScimToken', { body: { name: 'Okta' } });
    okta = admin.as(`Bearer ${token.token}`);
  });
  afterAll(() => topology?.stop());

  /** Sends a request under an id of its own, by which the list tells it. */
  const ask = (requestId: string, client: ApiClient, method: string, path: string, more: object = {}) =>
    client.send(method, path, { ...more, headers: { 'x-request-id': requestId } });

  /** The entries of these requests, once all of them are there. */
  async function entriesOf(...requestIds: string[]): Promise<Entry[]> {
    const { items } = await until(
      `entries of ${requestIds.join(', ')}`,
      () => admin.call('listScimRequests', { query: { first: 500 } }),
      (page) => requestIds.every((id) => page.items.some(({ requestId }) => requestId === id)),
    );
    return requestIds.flatMap((id) => items.filter(({ requestId }) => requestId === id));
  }

  it('has every request whatever became of it: done, refused, too large, unknown, without a valid token', async () => {
    const user = { userName: 'ada@acme.test', password };
    const doomed = await admin.call('createScimToken', { body: { name: 'Old' } });
    await admin.call('deleteScimToken', { path: { scimTokenId: doomed.id } });
    await ask('created', okta, 'POST', users, { body: user });
    await ask('taken', okta, 'POST', users, { body: user });
    await ask('filtered', okta, 'GET', users, { query: { filter: 'userName regex "x"', access_token: token.token } });
    await ask('nowhere', okta, 'GET', '/api/scim/v2/Nonsense');
    await ask('left-out', okta, 'GET', '/api/scim/v2/Me');
    await ask('large', okta, 'POST', users, { body: { userName: 'x'.repeat(11_000_000) } });
    await ask('revoked', admin.as(`Bearer ${doomed.token}`), 'GET', users);
    await ask('by-key', admin, 'GET', users, { query: { count: 1 } });

    const entries = await entriesOf(
      ...['created', 'taken', 'filtered', 'nowhere', 'left-out', 'large', 'revoked', 'by-key'],
    );

    const caller = { kind: 'scim-token', id: token.id, userId: null, name: 'Okta' };
    const fine = { scimType: null, code: null };
    expect(entries).toMatchObject([
      { caller, method: 'POST', path: users, query: {}, status: 201, ...fine },
      { caller, method: 'POST', path: users, status: 409, scimType: 'uniqueness', code: 'user.username_taken' },
      {
        caller,
        query: { filter: 'userName regex "x"', access_token: '[HIDDEN]' },
        status: 400,
        scimType: 'invalidFilter',
      },
      { caller: null, path: '/api/scim/v2/Nonsense', status: 404, scimType: null, code: 'request.not_found' },
      { caller: null, path: '/api/scim/v2/Me', status: 501, code: 'scim.not_supported' },
      { caller, method: 'POST', status: 413, code: 'request.too_large' },
      { caller: null, status: 401, code: 'auth.credential_invalid' },
      { caller: { kind: 'api-key', userId: expect.any(Number) }, query: { count: '1' }, status: 200, ...fine },
    ]);
    const text = JSON.stringify(entries);
    for (const secret of [password, token.token, doomed.token, 'ada@acme.test']) expect(text).not.toContain(secret);
  });

  it('finds what failed with one token, and is paged newest first', async () => {
    for (const id of ['first', 'second', 'third']) await ask(id, okta, 'GET', `${users}/${id}`);
    await ask('fine', okta, 'GET', users);
    await ask('stranger', admin.as('Bearer sk-stranger'), 'GET', users);
    await entriesOf('first', 'second', 'third', 'fine', 'stranger');
    const filters = { failed: true, tokenId: token.id };
    const newest = await admin.call('listScimRequests', { query: { ...filters, first: 2 } });
    const after = newest.pageInfo.endCursor ?? '';
    const next = await admin.call('listScimRequests', { query: { ...filters, first: 1, after } });
    const ids = [...newest.items, ...next.items].map(({ requestId }) => requestId);
    expect(ids).toEqual(['third', 'second', 'first']);
  });

  it('shows a tenant nothing of another, and is for administrators alone', async () => {
    const { admin: stranger } = await otherTenant(topology);
    await ask('ours', okta, 'GET', users);
    await entriesOf('ours');
    await ask('theirs', stranger, 'GET', users);
    const { items } = await until(
      'the request of the other tenant',
      () => stranger.call('listScimRequests'),
      (page) => page.items.length > 0,
    );
    expect(items.map(({ requestId }) => requestId)).toEqual(['theirs']);
    expect(await okta.refusal('listScimRequests')).toMatchObject({ code: 'access.credential_not_accepted' });
    await admin.call('updateTenantSettings', { body: { allowPersonalApiKeys: true } });
    const viewer = ['--tenant', topology.tenant, '--email', 'viewer@acme.test', '--role', 'Viewer'];
    const key = await topology.plinth('api-keys', 'create', ...viewer);
    const refused = await admin.as(`Bearer ${String(key['apiKey'])}`).refusal('listScimRequests');
    expect(refused).toMatchObject({ status: 403, code: 'access.denied' });
  });
});
