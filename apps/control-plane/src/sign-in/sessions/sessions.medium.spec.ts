import { systemPrincipal, type Principal } from '@plinth/auth';
import type { BodyOf } from '@plinth/contract';
import { newTenant, type TestTenant } from '../../testing/access-fixture';
import { hashOf } from '../../credentials/api-keys/api-key-secret';
import { startFixture, transports, walk, type Fixture } from '../../testing/deployment-fixture';

type Artefact = BodyOf<'storeOAuthArtefact'>;

describe.each(transports)('sessions over %s', (transport) => {
  let platform: Fixture;
  let tenant: TestTenant;
  let userId: number;
  let ada: Principal;
  let secrets = 0;

  beforeAll(async () => {
    platform = await startFixture(transport);
    tenant = await newTenant(platform);
    await tenant.allowPersonalKeys(true);
  });
  afterAll(() => platform.stop());
  beforeEach(async () => {
    userId = await tenant.newUser();
    ada = await tenant.principalOf(userId);
  });

  const store = async (kind: Artefact['kind'], more: Partial<Artefact> = {}) => {
    const secret = `session ${(secrets += 1)}`;
    const reference = { kind, idHash: hashOf(secret) };
    const body = { ...reference, content: {}, expiresInSeconds: 60, userId, ...more };
    await platform.call(systemPrincipal(tenant.id), 'storeOAuthArtefact', { body });
    return { ...reference, secret };
  };
  const signIn = () => store('Session');
  /** Approves a client, which gets its tokens. */
  const connect = async (clientName = 'Terminal') => {
    const { idHash: grantHash } = await store('Grant', { clientId: 'cube-cli', clientName });
    const access = await store('AccessToken', { grantHash, scope: 'api offline_access' });
    return { access, refresh: await store('RefreshToken', { grantHash, scope: 'api offline_access' }) };
  };
  const sessions = async (by = ada) => (await platform.call(by, 'listMySessions')).items;
  const end = (sessionId: number, by = ada) => platform.call(by, 'endMySession', { path: { sessionId } });
  const find = async ({ kind, idHash }: { kind: Artefact['kind']; idHash: string }) =>
    (await platform.call(systemPrincipal(tenant.id), 'findOAuthArtefact', { body: { kind, idHash } })).content;
  const holderOf = async (secret: string) => (await tenant.authenticate(secret)).principal;
  const only = async () => (await sessions())[0]?.id ?? 0;

  it('of others cannot be seen or ended, nor those of another tenant, nor what has no user', async () => {
    const { access } = await connect();
    const id = await only();
    const other = await tenant.principalOf(await tenant.newUser());
    const stranger = (await newTenant(platform)).admin;
    for (const by of [other, stranger, tenant.admin]) {
      expect(await sessions(by)).toEqual([]);
      expect(await platform.refusal(by, 'endMySession', { path: { sessionId: id } })).toBe('session.not_found');
    }
    const nobody = { ...ada, userId: null };
    expect(await platform.refusal(nobody, 'listMySessions')).toBe('access.denied');
    expect(await holderOf(access.secret)).not.toBeNull();
  });

  it('cannot be ended by a credential that is limited to deployments', async () => {
    await connect();
    const path = { sessionId: await only() };
    const limited = { ...ada, deploymentIds: [1] };
    expect(await platform.refusal(limited, 'endMySession', { path })).toBe('access.deployment_out_of_scope');
    const limitedAdmin = { ...tenant.admin, deploymentIds: [1] };
    const request = { path: { id: userId } };
    expect(await platform.refusal(limitedAdmin, 'endUserSessions', request)).toBe('access.deployment_out_of_scope');
  });

  it('of a user are ended as a whole by administrators alone, and of nobody else', async () => {
    const request = { path: { id: userId } };
    expect(await platform.refusal(ada, 'endUserSessions', request)).toMatch(/^access\./);
    const foreign = (await newTenant(platform)).admin;
    expect(await platform.refusal(foreign, 'endUserSessions', request)).toBe('user.not_found');
    const [browser, { access, refresh }] = [await signIn(), await connect()];
    const [bystander] = [ada, (userId = await tenant.newUser())];
    const theirs = await connect();
    for (let time = 0; time < 2; time += 1) {
      expect(await platform.call(tenant.admin, 'endUserSessions', request)).toEqual({ success: true });
    }
    expect([await find(browser), await find(refresh), await holderOf(access.secret)]).toEqual([null, null, null]);
    expect(await sessions(bystander)).toEqual([]);
    expect(await holderOf(theirs.access.secret)).not.toBeNull();
  });

  it('are browsers and clients with a token that works, newest first, and the current one is known', async () => {
    await store('Grant', { clientId: 'never-used' });
    const { idHash: grantHash } = await store('Grant', { clientId: 'done' });
    const late = await store('AccessToken', { grantHash });
    await expire(late.idHash);
    await signIn();
    const { access } = await connect('Laptop');
    const current = (await holderOf(access.secret)) as Principal;
    expect(await sessions(current)).toEqual([
      expect.objectContaining({
        ...{ kind: 'client', clientId: 'cube-cli', clientName: 'Laptop', isCurrent: true },
        scopes: ['api', 'offline_access'],
      }),
      expect.objectContaining({ kind: 'browser', clientId: null, clientName: null, scopes: [], isCurrent: false }),
    ]);
  });

  const expire = (idHash: string) =>
    platform.database.readAsSystem(
      { name: 'expire', text: 'update oauth_artefact set expires_at = now() where id_hash = $1' },
      [idHash],
    );

  it('come page by page', async () => {
    for (let count = 0; count < 5; count += 1) await signIn();
    const ids = (await sessions()).map(({ id }) => id);
    const read = (after: string | undefined) =>
      platform.call(ada, 'listMySessions', { query: { first: 2, ...(after && { after }) } });
    expect((await walk(read)).map(({ id }) => id)).toEqual(ids);
    expect(ids).toEqual([...ids].sort((left, right) => right - left));
    const { pageInfo } = await read(undefined);
    const request = { query: { after: pageInfo.endCursor } };
    expect(await platform.refusal(tenant.admin, 'listMySessions', request)).toBe('request.cursor_invalid');
  });

  it('end one at a time, with all tokens, and the gateways hear of it', async () => {
    const notices = platform.notices('control-plane.credential.changed');
    const [kept, { access, refresh }] = [await connect(), await connect()];
    await end(await only());
    expect([await find(refresh), await holderOf(access.secret)]).toEqual([null, null]);
    expect(await holderOf(kept.access.secret)).not.toBeNull();
    expect(notices).toContainEqual({ tenantId: tenant.id });
    expect(await sessions()).toHaveLength(1);
    const browser = await signIn();
    const id = await only();
    await end(id);
    expect(await find(browser)).toBeNull();
    expect(await platform.refusal(ada, 'endMySession', { path: { sessionId: id } })).toBe('session.not_found');
  });

  it('tell when they were last used', async () => {
    const { access } = await connect();
    const age = { name: 'age session', text: `update oauth_artefact set last_used_at = now() - interval '1 hour'` };
    await platform.database.readAsSystem(age);
    const before = (await sessions())[0]?.lastUsedAt ?? '';
    await holderOf(access.secret);
    const after = (await sessions())[0]?.lastUsedAt ?? '';
    expect(Date.parse(after) - Date.parse(before)).toBeGreaterThan(3_000_000);
  });
});
