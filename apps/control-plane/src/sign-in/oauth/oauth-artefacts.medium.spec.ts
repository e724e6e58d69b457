import { systemPrincipal, type Principal } from '@plinth/auth';
import type { BodyOf } from '@plinth/contract';
import { newTenant, type TestTenant } from '../../testing/access-fixture';
import { hashOf } from '../../credentials/api-keys/api-key-secret';
import { startFixture, type Fixture } from '../../testing/deployment-fixture';

type Artefact = BodyOf<'storeOAuthArtefact'>;

describe('what the authorization server keeps', () => {
  let platform: Fixture;
  let tenant: TestTenant;
  let edge: Principal;
  let userId: number;
  let secrets = 0;

  beforeAll(async () => {
    platform = await startFixture();
    tenant = await newTenant(platform);
    edge = systemPrincipal(tenant.id);
  });
  afterAll(() => platform.stop());
  beforeEach(async () => {
    userId = await tenant.newUser();
  });

  const newSecret = () => `secret ${(secrets += 1)}`;
  const store = async (kind: Artefact['kind'], more: Partial<Artefact> = {}) => {
    const secret = newSecret();
    const reference = { kind, idHash: hashOf(secret) };
    const body = { ...reference, content: { note: 'kept' }, expiresInSeconds: 60, userId, ...more };
    await platform.call(edge, 'storeOAuthArtefact', { body });
    return { ...reference, secret };
  };
  const find = async (body: BodyOf<'findOAuthArtefact'>, by = edge) =>
    (await platform.call(by, 'findOAuthArtefact', { body })).content;
  const lookUp = ({ kind, idHash }: { kind: Artefact['kind']; idHash: string }, by = edge) =>
    find({ kind, idHash }, by);
  const consume = async ({ kind, idHash }: { kind: Artefact['kind']; idHash: string }) =>
    (await platform.call(edge, 'consumeOAuthArtefact', { body: { kind, idHash } })).isFirst;
  const alter = (column: string, idHash: string) =>
    platform.database.readAsSystem(
      {
        name: `alter ${column}`,
        text: `update oauth_artefact set ${column} = now() - interval '31 seconds' where id_hash = $1`,
      },
      [idHash],
    );
  const approve = async () => (await store('Grant')).idHash;
  const token = async (more: Partial<Artefact> = {}) => {
    const grantHash = more.grantHash ?? (await approve());
    return store('AccessToken', { scope: 'api', ...more, grantHash });
  };

  it('is found neither by another tenant, nor under another kind, nor after its time', async () => {
    const session = await store('Session');
    expect(await lookUp(session, systemPrincipal((await newTenant(platform)).id))).toBeNull();
    expect(await lookUp({ ...session, kind: 'Grant' })).toBeNull();
    expect(await lookUp(session)).toEqual({ note: 'kept' });
    await alter('expires_at', session.idHash);
    expect(await lookUp(session)).toBeNull();
  });

  it('does not lie open in the database', async () => {
    const { idHash } = await store('Session', { content: { telling: 'words' } });
    const [row] = await platform.database.readAsSystem<{ text: string }>(
      { name: 'whole artefact', text: 'select a::text as text from oauth_artefact a where id_hash = $1' },
      [idHash],
    );
    expect(row?.text).not.toContain('words');
  });

  it('lets one of many use a code', async () => {
    const code = await store('AuthorizationCode');
    const uses = await Promise.all(Array.from({ length: 5 }, () => consume(code)));
    expect(uses.filter(Boolean)).toHaveLength(1);
    expect(await lookUp(code)).toEqual({ note: 'kept', consumed: true });
  });

  it('takes a used refresh token for half a minute longer, and for stolen after that', async () => {
    const refreshToken = await store('RefreshToken');
    await consume(refreshToken);
    expect(await lookUp(refreshToken)).toEqual({ note: 'kept' });
    await alter('consumed_at', refreshToken.idHash);
    expect(await lookUp(refreshToken)).toEqual({ note: 'kept', consumed: true });
  });

  it('finds a device by the code that a person types in, and notes how often it asks', async () => {
    const aliasHash = hashOf(newSecret());
    const { idHash } = await store('DeviceCode', { aliasHash });
    expect(await find({ kind: 'DeviceCode', aliasHash })).toEqual({ note: 'kept' });
    const poll = async () =>
      (await platform.call(edge, 'noteDevicePoll', { body: { idHash, intervalSeconds: 5 } })).isTooSoon;
    expect([await poll(), await poll()]).toEqual([false, true]);
    await alter('polled_at', idHash);
    expect(await poll()).toBe(false);
  });

  it('makes an access token a credential of its user, of this tenant and for the API alone', async () => {
    expect((await tenant.authenticate((await token({ scope: 'openid' })).secret)).principal).toBeNull();
    const { secret } = await token();
    expect((await (await newTenant(platform)).authenticate(secret)).principal).toBeNull();
    const { principal } = await tenant.authenticate(secret);
    expect(principal).toMatchObject({ kind: 'access-token', userId, isAdmin: false, deploymentIds: null });
  });

  it('makes a token for the MCP server another kind of credential, which ends with its user and its grant as well', async () => {
    const scope = 'openid mcp-agent-access';
    expect((await tenant.authenticate((await token({ scope: `${scope}-x` })).secret)).principal).toBeNull();
    const grantHash = await approve();
    const [ours, other] = [await token({ scope, grantHash }), await token({ scope })];
    expect((await tenant.authenticate(ours.secret)).principal).toMatchObject({ kind: 'mcp-token', userId });
    await platform.call(edge, 'revokeOAuthGrant', { body: { grantHash } });
    expect((await tenant.authenticate(ours.secret)).principal).toBeNull();
    await platform.call(tenant.admin, 'updateUser', { path: { id: userId }, body: { isDeactivated: true } });
    expect((await tenant.authenticate(other.secret)).principal).toBeNull();
  });

  it('stays the same credential when it is refreshed', async () => {
    const grantHash = await approve();
    const ids = [];
    for (const { secret } of [await token({ grantHash }), await token({ grantHash })]) {
      ids.push((await tenant.authenticate(secret)).principal?.credentialId);
    }
    expect(new Set(ids).size).toBe(1);
  });

  it('ends with the grant, and the gateways hear of it', async () => {
    const notices = platform.notices('control-plane.credential.changed');
    const grantHash = await approve();
    const [ours, refresh, other] = [
      await token({ grantHash }),
      await store('RefreshToken', { grantHash }),
      await token(),
    ];
    await platform.call(edge, 'revokeOAuthGrant', { body: { grantHash } });
    expect((await tenant.authenticate(ours.secret)).principal).toBeNull();
    expect(await lookUp(refresh)).toBeNull();
    expect((await tenant.authenticate(other.secret)).principal).not.toBeNull();
    expect(notices).toContainEqual({ tenantId: tenant.id });
  });

  it('does not come back by a request that began before the end', async () => {
    const session = await store('Session');
    const { idHash: grantHash } = await store('Grant');
    const body = { kind: session.kind, idHash: session.idHash };
    await platform.call(edge, 'destroyOAuthArtefact', { body });
    await platform.call(edge, 'revokeOAuthGrant', { body: { grantHash } });
    await platform.call(edge, 'storeOAuthArtefact', { body: { ...body, content: {}, expiresInSeconds: 60 } });
    expect(await lookUp(session)).toBeNull();
    expect((await tenant.authenticate((await token({ grantHash })).secret)).principal).toBeNull();
  });

  it.each([
    ['deactivated', { isDeactivated: true }],
    ['given another password', { password: 'another long password' }],
  ])('ends for good when the user is %s', async (_, body) => {
    const [{ secret }, session] = [await token(), await store('Session')];
    await platform.call(tenant.admin, 'updateUser', { path: { id: userId }, body });
    await platform.call(tenant.admin, 'updateUser', { path: { id: userId }, body: { isDeactivated: false } });
    expect((await tenant.authenticate(secret)).principal).toBeNull();
    expect(await lookUp(session)).toBeNull();
  });

  it('ends when the user is deleted', async () => {
    const { secret } = await token();
    await platform.call(tenant.admin, 'deleteUser', { path: { id: userId } });
    expect((await tenant.authenticate(secret)).principal).toBeNull();
  });
});
