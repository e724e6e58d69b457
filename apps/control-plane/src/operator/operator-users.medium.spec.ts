import 'reflect-metadata';
import { systemPrincipal } from '@plinth/auth';
import { loadConfig } from '@plinth/config';
import { createTestDatabase } from '@plinth/testing';
import { newTenant } from '../testing/access-fixture';
import { hashOf } from '../credentials/api-keys/api-key-secret';
import { startFixture, type Fixture } from '../testing/deployment-fixture';
import { recordedActions } from '../testing/recorded-actions-fixture';
import { accountSettings, controlPlaneSchema, operatorUsers, passwordLinkIssuer, tenantsService } from '../index';

describe("the operator's way into a tenant", () => {
  let platform: Fixture;
  let names = 0;

  beforeAll(async () => {
    platform = await startFixture();
  });
  afterAll(() => platform.stop());

  async function freshTenant() {
    names += 1;
    const name = `locked-${names}`;
    const tenant = await tenantsService(platform.database).create({
      name,
      hosts: [`${name}.example`],
      adminEmail: 'boss@example.test',
    });
    const caller = { ...(await newTenant(platform)).admin, tenantId: tenant.id };
    const identify = async (secret: string) =>
      platform.call(systemPrincipal(tenant.id), 'authenticate', {
        body: { tenantId: tenant.id, tokenHash: hashOf(secret) },
      });
    return { name, id: tenant.id, admin: tenant.admin, caller, identify };
  }
  const users = () => operatorUsers(platform.database);
  const issue = (tenant: string, email: string, role: string, deploymentIds?: number[], expires?: string) =>
    tenantsService(platform.database).issueKey({ tenant, email, role, deploymentIds, expires });

  it('refuses unknown tenants, users and roles, and leaves nothing behind', async () => {
    const { name } = await freshTenant();
    await expect(issue('nowhere', 'v@example.test', 'Viewer')).rejects.toMatchObject({ code: 'tenant.unknown_host' });
    await expect(issue(name, 'v@example.test', 'Nobody')).rejects.toMatchObject({ code: 'request.invalid' });
    await expect(users().setRole(name, 'v@example.test', 'Viewer')).rejects.toMatchObject({ code: 'request.invalid' });
    await expect(users().activate(name, 'v@example.test')).rejects.toMatchObject({ code: 'request.invalid' });
    expect(await users().list(name)).toMatchObject([{ email: 'boss@example.test', roles: ['Admin'] }]);
  });

  it('changes the hosts of a tenant all or none, and never leaves it without one', async () => {
    const [{ name, id }, other] = [await freshTenant(), await freshTenant()];
    const tenants = tenantsService(platform.database);
    const own = `${name}.example`;
    const refused: [object, string][] = [
      [{ addHosts: ['new.test', `${other.name}.example`] }, 'tenant.exists'],
      [{ addHosts: ['new.test'], removeHosts: ['strange.test'] }, 'request.invalid'],
      [{ removeHosts: [own] }, 'request.invalid'],
    ];
    for (const [changes, code] of refused) await expect(tenants.update(name, changes)).rejects.toMatchObject({ code });
    await expect(tenants.update('nowhere', {})).rejects.toMatchObject({ code: 'tenant.unknown_host' });
    expect(await tenants.show(name)).toMatchObject({
      id,
      hosts: [own],
      users: 1,
      deployments: 0,
      personalApiKeys: false,
    });
    const changed = await tenants.update(name, {
      addHosts: ['new.test', own],
      removeHosts: [own],
      allowPersonalApiKeys: true,
    });
    expect(changed).toMatchObject({ hosts: ['new.test'], personalApiKeys: true });
    expect(await tenants.show(name)).toEqual(changed);
    expect(await tenants.show(other.name)).toMatchObject({ hosts: [`${other.name}.example`] });
  });

  it('makes no second tenant where nothing keeps one from the other, and says why', async () => {
    const { database, drop } = await createTestDatabase(controlPlaneSchema);
    const create = (name: string) =>
      tenantsService(database).create({ name, hosts: [name], adminEmail: 'a@example.test', missingWall: 'EPERM' });
    await create('first');
    await expect(create('second')).rejects.toMatchObject({
      code: 'tenant.needs_sandbox',
      message: expect.stringMatching(/EPERM.*PLINTH_SANDBOX=none/),
    });
    expect(await tenantsService(database).list()).toMatchObject([{ name: 'first' }]);
    await drop();
  });

  it('makes a user with a key that works although the account allows no personal keys', async () => {
    const { name, identify } = await freshTenant();
    const key = await issue(name, 'viewer@example.test', 'viewer', [7]);
    const { principal } = await identify(key.apiKey);
    expect(principal).toMatchObject({ email: 'viewer@example.test', isAdmin: false, deploymentIds: [7] });
    expect(principal?.grants.map(({ action }) => action)).toContain('AIBIView');
    await issue(name, 'VIEWER@example.test', 'Explorer');
    expect(await users().list(name)).toMatchObject([
      {},
      { email: 'viewer@example.test', roles: ['Explorer', 'Viewer'] },
    ]);
  });

  it('makes a key that expires when it is told to, and none that has expired', async () => {
    const { name, identify } = await freshTenant();
    for (const expires of ['2020-01-01T00:00:00Z', 'tomorrow']) {
      const refused = issue(name, 'viewer@example.test', 'Viewer', undefined, expires);
      await expect(refused).rejects.toMatchObject({ code: 'request.invalid' });
    }
    const soon = new Date(Date.now() + 60_000).toISOString();
    const { id, apiKey } = await issue(name, 'viewer@example.test', 'Viewer', undefined, soon);
    expect((await identify(apiKey)).principal).not.toBeNull();
    const text = 'update api_key set expires_at = now() where id = $1 and expires_at = $2';
    await platform.database.readAsSystem({ name: 'let-expire', text }, [id, soon]);
    expect((await identify(apiKey)).principal).toBeNull();
  });

  it('makes administrators and unmakes them, at once for the keys that are in use', async () => {
    const { name, identify } = await freshTenant();
    const { apiKey } = await issue(name, 'dev@example.test', 'Developer');
    expect(await users().setRole(name, 'dev@example.test', 'Admin')).toMatchObject({ isAdmin: true, roles: ['Admin'] });
    expect((await identify(apiKey)).principal).toMatchObject({ isAdmin: true });
    expect(await users().setRole(name, 'dev@example.test', 'Viewer')).toMatchObject({
      isAdmin: false,
      roles: ['Viewer'],
    });
    expect((await identify(apiKey)).principal).toMatchObject({ isAdmin: false });
  });

  it('lets a deactivated administrator in again', async () => {
    const { name, id, admin, identify } = await freshTenant();
    const lockOut = 'update user_account set deactivated_at = now() where tenant_id = $1';
    await platform.database.readAsSystem({ name: 'lock-out', text: lockOut }, [id]);
    expect((await identify(admin.apiKey)).principal).toBeNull();
    expect(await users().activate(name, 'boss@example.test')).toMatchObject({ isDeactivated: false });
    expect((await identify(admin.apiKey)).principal).toMatchObject({ isAdmin: true });
  });

  it('makes a link by which a locked-out administrator sets a new password, for people who may sign in alone', async () => {
    const { name, id, caller } = await freshTenant();
    const reset = (email: string) =>
      users().resetPassword(name, email, passwordLinkIssuer(platform.database, loadConfig(accountSettings, {})));
    await expect(reset('nobody@example.test')).rejects.toMatchObject({ code: 'request.invalid' });
    const { url } = await reset('BOSS@example.test');
    expect(url).toContain(`https://${name}.example/auth/password-reset/`);
    const body = { tokenHash: hashOf(url.split('/').at(-1) ?? ''), password: 'correct horse battery' };
    expect(await platform.call(caller, 'usePasswordLink', { body })).toEqual({ email: 'boss@example.test' });
    expect(await platform.refusal(caller, 'usePasswordLink', { body })).toBe('password_link.not_found');
    expect(await recordedActions(platform.database, id, 'Requested password reset')).toHaveLength(1);
    const lockOut = 'update user_account set deactivated_at = now() where tenant_id = $1';
    await platform.database.readAsSystem({ name: 'lock-out', text: lockOut }, [id]);
    await expect(reset('boss@example.test')).rejects.toMatchObject({ code: 'user.has_no_password' });
  });

  it('lists the roles of the tenant and of no other', async () => {
    const { name } = await freshTenant();
    const roles = await users().listRoles(name);
    expect(roles.map((role) => [role.name, role.isBuiltIn])).toEqual([
      ['Admin', true],
      ['Developer', true],
      ['Explorer', true],
      ['Viewer', true],
    ]);
  });

  it("is written into the tenant's outbox for its audit log", async () => {
    const { name, id } = await freshTenant();
    await issue(name, 'viewer@example.test', 'Viewer');
    const events = await platform.database.readAsSystem<{ event: string }>(
      {
        name: 'operator-events',
        text: `select event from audit_event where tenant_id = $1
               union all select payload ->> 'event' from outbox where tenant_id = $1 and type = 'audit.recorded'`,
      },
      [id],
    );
    const wanted = ['Created user', 'Assigned role to user', 'Created API key'];
    expect(events.map(({ event }) => event)).toEqual(expect.arrayContaining(wanted));
  });
});
