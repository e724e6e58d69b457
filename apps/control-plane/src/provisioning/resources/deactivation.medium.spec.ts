import 'reflect-metadata';
import { systemPrincipal } from '@plinth/auth';
import { USER } from '@plinth/scim-protocol';
import { newTenant, type TestTenant } from '../../testing/access-fixture';
import { hashOf } from '../../credentials/api-keys/api-key-secret';
import { startFixture, transports, type Fixture } from '../../testing/deployment-fixture';

describe.each(transports)('deactivation by an identity provider over %s', (transport) => {
  let platform: Fixture;
  let tenant: TestTenant;
  let id: number;

  beforeAll(async () => {
    platform = await startFixture(transport);
    tenant = await newTenant(platform);
    await tenant.allowPersonalKeys(true);
  });
  afterAll(() => platform.stop());
  let people = 0;
  beforeEach(async () => {
    const userName = `person-${(people += 1)}`;
    const body = { userName, resource: { [USER]: { userName } } };
    id = (await platform.call(tenant.admin, 'createProvisionedUser', { body })).id;
  });

  const patch = (active: boolean) => {
    const changes = [{ op: 'replace', path: { schema: USER, name: 'active' }, value: active }];
    return platform.call(tenant.admin, 'patchProvisionedUser', { body: { id, changes } });
  };
  const put = (active: boolean) => {
    const userName = `person-${people}`;
    const body = { id, userName, resource: { [USER]: { userName, active } } };
    return platform.call(tenant.admin, 'replaceProvisionedUser', { body });
  };
  const store = (kind: 'Grant' | 'AccessToken', userId: number, secret: string, more: object) => {
    const body = { kind, idHash: hashOf(secret), content: {}, expiresInSeconds: 600, userId, ...more };
    return platform.call(systemPrincipal(tenant.id), 'storeOAuthArtefact', { body });
  };
  /** A token that the user got by signing in. */
  const signIn = async (userId: number): Promise<string> => {
    const [grant, token] = [`grant of ${userId}`, `token of ${userId}`];
    await store('Grant', userId, grant, { clientId: 'cube-cli', clientName: 'Terminal' });
    await store('AccessToken', userId, token, { grantHash: hashOf(grant), scope: 'api offline_access' });
    return token;
  };
  const isLet = async (secret: string) => (await tenant.authenticate(secret)).principal !== null;

  it.each([
    ['PATCH', patch],
    ['PUT', put],
  ])('by %s ends keys until the user is active again, and what came of signing in for good', async (_method, set) => {
    const other = await tenant.newUser();
    const [key, token, othersToken] = [await tenant.newKey(id), await signIn(id), await signIn(other)];
    expect([await isLet(key), await isLet(token)]).toEqual([true, true]);
    await set(false);
    expect([await isLet(key), await isLet(token)]).toEqual([false, false]);
    await set(true);
    expect([await isLet(key), await isLet(token)]).toEqual([true, false]);
    expect(await isLet(othersToken)).toBe(true);
  });

  it('that is repeated leaves the user as they are', async () => {
    const { lastModified } = await put(false);
    expect((await put(false)).lastModified).toBe(lastModified);
  });
});
