import type { BodyOf } from '@plinth/contract';
import { boundMs, until, type TestDatabase } from '@plinth/testing';
import type { ApiClient, ApiReply } from './harness/api-client';
import { otherTenant } from './harness/other-tenant';
import { createShopDatabase, neighbours, Shop } from './harness/shop';
import { createDeployment, uniqueName } from './harness/story';
import { timeTo } from './harness/time-to';
import { isOnNats, topologies } from './harness/topologies';
import type { Topology } from './harness/topology';

const LIMIT_MS = 1_000;
/** What every session may ask for, so that the answer is about the credential alone. */
const ANYWHERE = '/api/scim/v2/ServiceProviderConfig';

/** A session that was opened. */
interface Opened {
  sessionId: string;
  frame: ApiClient;
}

describe.each(topologies)('sessions of a host application: %s', (name, start) => {
  let topology: Topology;
  let admin: ApiClient;
  let deploymentId: number;

  beforeAll(async () => {
    topology = await start();
    ({ admin } = topology);
    ({ id: deploymentId } = await createDeployment(admin));
  });
  afterAll(() => topology?.stop());

  const generate = async (body: Partial<BodyOf<'generateSession'>> = {}): Promise<string> =>
    (await admin.call('generateSession', { body: { deploymentId, externalId: 'ada', ...body } })).sessionId;
  const exchange = (sessionId: string, at = admin): Promise<ApiReply> =>
    at.as(undefined).send('POST', '/api/v1/embed/session/token', { body: { sessionId } });
  const open = async (body: Partial<BodyOf<'generateSession'>> = {}): Promise<Opened> => {
    const sessionId = await generate(body);
    const reply = await exchange(sessionId);
    return { sessionId, frame: admin.as(`Bearer ${(reply.body as { token: string }).token}`) };
  };
  const status = async ({ frame }: Opened): Promise<number> => (await frame.send('GET', ANYWHERE)).status;
  const ends = async (session: Opened, end: () => Promise<unknown>): Promise<void> => {
    expect(await status(session)).toBe(200);
    await end();
    expect(await timeTo(401, () => status(session), 2 * LIMIT_MS)).toBeLessThan(boundMs(LIMIT_MS));
  };
  const revoke = (sessionId: string) => admin.call('revokeSession', { body: { sessionId } });

  it('are exchanged once, and by nobody of another account', async () => {
    const sessionId = await generate();
    const { admin: stranger } = await otherTenant(topology);
    expect(await exchange(sessionId, stranger)).toMatchObject({ status: 401 });
    const replies = await Promise.all(Array.from({ length: 20 }, () => exchange(sessionId)));
    const refused = replies.filter((reply) => reply.status === 401);
    expect([refused.length, replies.length - refused.length]).toEqual([19, 1]);
    expect(refused[0]?.body).toMatchObject({ code: 'embed_session.unknown' });
  });

  it('end within a second when they are revoked, also before their exchange', async () => {
    const [session, waiting] = [await open(), await generate()];
    await ends(session, () => revoke(session.sessionId));
    await revoke(waiting);
    expect((await exchange(waiting)).status).toBe(401);
    await revoke(session.sessionId);
  });

  it('end within a second with their embed tenant', async () => {
    const session = await open({ embedTenantName: 'doomed' });
    await ends(session, () => admin.call('deleteEmbedTenant', { path: { embedTenantName: 'doomed' } }));
  });

  it('end within a second with their deployment', async () => {
    const { id } = await createDeployment(admin, uniqueName('Doomed'));
    await ends(await open({ deploymentId: id }), () => admin.call('deleteDeployment', { path: { deploymentId: id } }));
  });

  it('end within a second with the user of the account whom they are for', async () => {
    const name = uniqueName('member').replaceAll(' ', '-').toLowerCase();
    const email = `${name}@example.test`;
    const { id } = await admin.call('createUser', { body: { email, username: name } });
    await ends(await open({ externalId: null, internalId: name }), () =>
      admin.call('updateUser', { path: { id }, body: { isDeactivated: true } }),
    );
  });

  it('end within a second while the account has embedding switched off', async () => {
    await ends(await open(), () => admin.call('updateTenantSettings', { body: { embeddingEnabled: false } }));
    expect((await exchange('0'.repeat(32))).status).toBe(403);
    await admin.call('updateTenantSettings', { body: { embeddingEnabled: true } });
  });

  it('end within a second when the secret is rotated, and outlive it by a grace period', async () => {
    const session = await open();
    await admin.call('rotateEmbedSecret', { body: { graceSeconds: 60 } });
    expect(await status(session)).toBe(200);
    await ends(session, () => admin.call('rotateEmbedSecret'));
    expect(await status(await open())).toBe(200);
  });

  // The rest is what one service does.
  if (!isOnNats(name)) return;

  it('reach what names them, and nothing else', async () => {
    const session = await open({ creatorMode: true, embedTenantName: 'acme' });
    expect(await status(session)).toBe(200);
    for (const [method, path] of [
      ['GET', `/api/v1/deployments/${deploymentId}`],
      ['GET', '/api/v1/users'],
      ['GET', '/api/v1/embed-tenants'],
      ['POST', '/api/v1/embed/generate-session'],
    ] as const) {
      const reply = await session.frame.send(method, path, method === 'POST' ? { body: { deploymentId } } : {});
      expect(reply).toMatchObject({ status: 403, body: { code: 'access.credential_not_accepted' } });
    }
  });

  it('are refused to nobody in particular, and to keys that are limited to another deployment', async () => {
    const body = { deploymentId, externalId: 'ada' };
    const { id: other } = await createDeployment(admin, uniqueName('Other'));
    const { token } = await admin.call('createApiKey', { body: { name: 'other', deploymentIds: [other] } });
    const limited = await admin.as(`Bearer ${token}`).send('POST', '/api/v1/embed/generate-session', { body });
    expect(limited).toMatchObject({ status: 403, body: { code: 'access.deployment_out_of_scope' } });
    expect((await admin.as(undefined).send('POST', '/api/v1/embed/generate-session', { body })).status).toBe(401);
  });

  it.each<[string, object, number]>([
    ['a deployment that there is not', { deploymentId: 999_999_999 }, 404],
    ['a branch that there is not', { branchName: 'nowhere' }, 404],
    ['a branch that nothing serves', { branchName: 'idle' }, 400],
    ['nobody', { externalId: null }, 400],
    ['an unknown group', { groups: ['Nobody'] }, 400],
    ['an address that is none', { email: 'nobody' }, 400],
    ['a picture that is a program', { userProfile: { picture: 'javascript:alert(1)' } }, 400],
  ])('are not made for %s', async (_what, body, expected) => {
    const path = { deploymentId };
    if ('branchName' in body) await admin.attempt('createBranch', { path, body: { name: 'idle' } });
    const request = { body: { deploymentId, externalId: uniqueName('u'), embedTenantName: 'refused', ...body } };
    expect((await admin.send('POST', '/api/v1/embed/generate-session', request)).status).toBe(expected);
    const { items } = await admin.call('listEmbedTenants', { query: { search: 'refused' } });
    expect(items).toEqual([]);
  });

  describe('of users who see different rows', () => {
    let database: TestDatabase;
    let shop: Shop;

    beforeAll(async () => {
      database = await createShopDatabase();
      shop = await Shop.open(admin, database, [neighbours]);
      await admin.call('createUserAttribute', { body: { name: 'city', type: 'string' } });
    });
    afterAll(() => database?.drop());

    const customers = async ({ frame }: Opened): Promise<{ cities: string[]; status: number }> => {
      const query = { measures: ['neighbours.count'], dimensions: ['neighbours.city'] };
      const ask = () => frame.send('POST', `/deployments/${shop.deploymentId}/cubejs-api/v1/load`, { body: { query } });
      const isWaiting = ({ body }: ApiReply) => (body as { error?: string }).error === 'Continue wait';
      const reply = await until('an answer', ask, (answer) => !isWaiting(answer), 90_000);
      const { data = [] } = reply.body as { data?: Record<string, string>[] };
      return { cities: data.map((row) => row['neighbours.city'] ?? ''), status: reply.status };
    };
    const openFor = (externalId: string, city: string): Promise<Opened> =>
      open({ deploymentId: shop.deploymentId, externalId, userAttributes: [{ name: 'city', value: city }] });

    it('ask data under the context of their session, on its deployment alone, until it ends', async () => {
      const [ada, bob] = [await openFor('ada', 'Berlin'), await openFor('bob', 'Lyon')];
      expect(await customers(ada)).toEqual({ status: 200, cities: ['Berlin'] });
      expect(await customers(bob)).toEqual({ status: 200, cities: ['Lyon'] });
      expect((await customers(await open())).status).toBe(403);
      await revoke(ada.sessionId);
      expect(await timeTo(403, async () => (await customers(ada)).status, 2 * LIMIT_MS)).toBeLessThan(
        boundMs(LIMIT_MS),
      );
      expect((await customers(bob)).status).toBe(200);
    });
  });
});
