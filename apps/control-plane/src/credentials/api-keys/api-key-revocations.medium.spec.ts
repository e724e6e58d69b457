import 'reflect-metadata';
import { loadConfig } from '@plinth/config';
import { anonymousPrincipal } from '@plinth/auth';
import { newTenant, type TestTenant } from '../../testing/access-fixture';
import { recordedActions } from '../../testing/recorded-actions-fixture';
import { startFixture, type Fixture } from '../../testing/deployment-fixture';
import { accountSettings, operatorUsers, passwordLinkIssuer } from '../../index';
import { hashOf } from './api-key-secret';

const password = 'correct horse battery';

describe('the API keys of a user', () => {
  let platform: Fixture;
  let tenant: TestTenant;
  let id: number;
  let keys: string[];
  let bystander: string;

  beforeAll(async () => {
    platform = await startFixture();
  });
  afterAll(() => platform.stop());
  beforeEach(async () => {
    tenant = await newTenant(platform);
    await tenant.allowPersonalKeys(true);
    id = await tenant.newUser();
    keys = [await tenant.newKey(id), await tenant.newKey(id, [1])];
    bystander = await tenant.newKey(await tenant.newUser());
  });

  const works = async (secret: string) => (await tenant.authenticate(secret)).principal !== null;
  const working = () => Promise.all(keys.map(works));
  const update = (body: object) => platform.call(tenant.admin, 'updateUser', { path: { id }, body });
  const bulk = (action: string, userIds: number[], more: object = {}) =>
    platform.call(tenant.admin, 'bulkUserAction', { body: { action, userIds, ...more } });
  const reset = (body?: object) => platform.call(tenant.admin, 'resetUserPassword', { path: { id }, body });
  const followLink = async (url: string) => {
    const body = { tokenHash: hashOf(url.split('/').at(-1) ?? ''), password };
    await platform.call(anonymousPrincipal(tenant.id, ''), 'usePasswordLink', { body });
  };
  const revocations = () => recordedActions(platform.database, tenant.id, 'Revoked API keys of user');

  it.each([
    ['deactivation', (more: object) => update({ isDeactivated: true, ...more })],
    ['deactivation in bulk', (more: object) => bulk('DEACTIVATE', [id], more)],
  ])('rest during a %s, and come back unless they are revoked with it', async (_how, deactivate) => {
    await deactivate({});
    expect(await working()).toEqual([false, false]);
    await update({ isDeactivated: false });
    expect([await working(), await revocations()]).toEqual([[true, true], []]);
    const notices = platform.notices('control-plane.credential.changed');
    await deactivate({ revokeApiKeys: true });
    await update({ isDeactivated: false });
    expect([await working(), await works(bystander)]).toEqual([[false, false], true]);
    expect(await revocations()).toMatchObject([{ actorEmail: tenant.admin.email, attributes: { id, count: 2 } }]);
    expect(notices).toContainEqual({ tenantId: tenant.id });
  });

  it('are kept in bulk for whom the action was refused', async () => {
    const own = await tenant.newKey(tenant.admin.userId ?? 0);
    const { failed } = await bulk('DEACTIVATE', [tenant.admin.userId ?? 0, id], { revokeApiKeys: true });
    expect(failed).toHaveLength(1);
    expect([await works(own), await works(keys[0] ?? '')]).toEqual([true, false]);
  });

  it('outlive a password that an administrator sets, unless they are revoked with it', async () => {
    await update({ password });
    expect(await working()).toEqual([true, true]);
    await update({ password: `${password} staple`, revokeApiKeys: true });
    expect([await working(), await works(bystander)]).toEqual([[false, false], true]);
  });

  it('outlive a reset of the password', async () => {
    for (const body of [undefined, {}, { revokeApiKeys: false }]) await followLink((await reset(body)).url);
    expect([await working(), await revocations()]).toEqual([[true, true], []]);
  });

  it('are revoked with a reset of the password: at once, and those made until the link is used with it', async () => {
    const { url } = await reset({ revokeApiKeys: true });
    expect(await working()).toEqual([false, false]);
    const late = await tenant.newKey(id);
    expect(await works(late)).toBe(true);
    await followLink(url);
    expect([await works(late), await works(bystander)]).toEqual([false, true]);
    expect((await revocations()).map(({ attributes }) => attributes)).toEqual([
      { id, count: 2 },
      { id, count: 1 },
    ]);
    const after = await tenant.newKey(id);
    await followLink((await reset()).url);
    expect(await works(after)).toBe(true);
  });

  it('are revoked by the operator in the same way', async () => {
    const [{ name } = { name: '' }] = await platform.database.readAsSystem<{ name: string }>(
      { name: 'tenant-name', text: 'select name from tenant where id = $1' },
      [tenant.id],
    );
    const links = passwordLinkIssuer(platform.database, loadConfig(accountSettings, {}));
    const { email } = (await tenant.authenticate(keys[0] ?? '')).principal ?? {};
    await operatorUsers(platform.database).resetPassword(name, email ?? '', links);
    expect(await working()).toEqual([true, true]);
    const { url } = await operatorUsers(platform.database).resetPassword(name, email ?? '', links, true);
    expect(await working()).toEqual([false, false]);
    const late = await tenant.newKey(id);
    await followLink(url);
    expect([await works(late), await works(bystander)]).toEqual([false, true]);
    expect(await revocations()).toHaveLength(2);
  });
});
