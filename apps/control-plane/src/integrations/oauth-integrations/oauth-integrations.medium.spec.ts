import 'reflect-metadata';
import type { Principal } from '@plinth/auth';
import { startFixture, transports, type Fixture } from '../../testing/deployment-fixture';
import { newTenantAdmin, viewerBeside } from '../../testing/account-fixture';

const secret = 'correct-horse-battery-staple';
const fields = {
  name: 'Warehouse',
  type: 'snowflake',
  authUrl: 'https://id.acme.test/authorize',
  tokenUrl: 'https://id.acme.test/token',
  clientId: 'plinth',
  redirectUri: 'https://acme.example.com/auth/oauth-integrations/callback',
};
const operations = [
  'listOAuthIntegrations',
  'createOAuthIntegration',
  'getOAuthIntegration',
  'updateOAuthIntegration',
  'deleteOAuthIntegration',
] as const;

describe.each(transports)('OAuth integrations over %s', (transport) => {
  let platform: Fixture;
  let admin: Principal;

  beforeAll(async () => {
    platform = await startFixture(transport);
  });
  afterAll(() => platform.stop());
  beforeEach(async () => {
    admin = await newTenantAdmin(platform);
  });

  const create = (more: object = {}, by = admin) =>
    platform.call(by, 'createOAuthIntegration', { body: { ...fields, clientSecret: secret, ...more } });
  const update = (id: number, more: object = {}) =>
    platform.call(admin, 'updateOAuthIntegration', { path: { id }, body: { ...fields, ...more } });
  const refusedUpdate = (id: number, more: object) =>
    platform.refusal(admin, 'updateOAuthIntegration', { path: { id }, body: { ...fields, ...more } });
  const storedText = async () => {
    const text = `select to_jsonb(i)::text as row from oauth_integration i where tenant_id = $1
                  union all select payload::text from outbox where tenant_id = $1
                  union all select attributes::text from audit_event where tenant_id = $1
                  union all select reply::text from idempotency_record where tenant_id = $1`;
    return JSON.stringify(await platform.database.readAsSystem({ name: 'stored-text', text }, [admin.tenantId]));
  };

  it.each(operations)('refuses %s without the permission', async (operationId) => {
    const request = { path: { id: 1 }, body: { ...fields, clientSecret: secret } };
    expect(await platform.refusal(viewerBeside(admin), operationId, request)).toBe('access.denied');
  });

  it('serves a custom role with the permission, but no credential that is limited to deployments', async () => {
    const grants = [{ action: 'OAuthIntegrationsManage', deploymentIds: null }];
    const manager = { ...viewerBeside(admin), grants };
    const { id } = await create({}, manager);
    const limited = { ...manager, deploymentIds: [1] };
    const request = { path: { id }, body: { ...fields, clientSecret: secret } };
    for (const operationId of operations.filter((each) => !/^(list|get)/.test(each))) {
      expect(await platform.refusal(limited, operationId, request)).toBe('access.deployment_out_of_scope');
    }
  });

  it("keeps another tenant's integrations out of reach", async () => {
    const { id } = await create();
    const stranger = await newTenantAdmin(platform);
    for (const operationId of ['getOAuthIntegration', 'updateOAuthIntegration', 'deleteOAuthIntegration'] as const) {
      const request = { path: { id }, body: fields };
      expect(await platform.refusal(stranger, operationId, request)).toBe('oauth_integration.not_found');
    }
    expect(await platform.call(stranger, 'listOAuthIntegrations')).toEqual([]);
    expect(await create({}, stranger)).toMatchObject({ name: 'Warehouse' });
  });

  it('refuses a name that is taken, whatever its case, from one of two at once', async () => {
    const outcomes = await Promise.allSettled([create(), create({ name: 'WAREHOUSE' })]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const { id } = await create({ name: 'Lake' });
    expect(await refusedUpdate(id, { name: 'warehouse' })).toBe('oauth_integration.name_taken');
  });

  it.each([
    ['plain HTTP', { authUrl: 'http://id.acme.test/authorize' }],
    ['the machine itself', { tokenUrl: 'https://127.0.0.1/token' }],
    ['a private network', { tokenUrl: 'https://192.168.1.1/token' }],
    ['a script', { redirectUri: 'javascript:alert(1)' }],
    ['another host for revocation', { config: { revocationUrl: 'https://other.test/revoke' } }],
  ])('refuses %s', async (_name, more) => {
    const body = { ...fields, clientSecret: secret, ...more };
    expect(await platform.refusal(admin, 'createOAuthIntegration', { body })).toBe('request.invalid');
    const { id } = await create();
    expect(await refusedUpdate(id, more)).toBe('request.invalid');
  });

  it('has at most a hundred in an account', async () => {
    await platform.database.readAsSystem(
      {
        name: 'many-integrations',
        text: `insert into oauth_integration
                 (tenant_id, name, type, auth_url, token_url, client_id, sealed_secret, redirect_uri)
               select $1, 'n' || n, 't', 'a', 't', 'c', 's', 'r' from generate_series(1, 100) n`,
      },
      [admin.tenantId],
    );
    const body = { ...fields, clientSecret: secret };
    expect(await platform.refusal(admin, 'createOAuthIntegration', { body })).toBe('oauth_integration.limit_reached');
  });

  it('shows the client secret to nobody and keeps it encrypted, also in stored replies and the audit log', async () => {
    const request = { body: { ...fields, clientSecret: secret }, idempotencyKey: 'once' };
    const created = await platform.call(admin, 'createOAuthIntegration', request);
    expect(await platform.call(admin, 'createOAuthIntegration', request)).toEqual(created);
    const replies = [
      created,
      await update(created.id, { clientSecret: secret }),
      await platform.call(admin, 'getOAuthIntegration', { path: { id: created.id } }),
      await platform.call(admin, 'listOAuthIntegrations'),
    ];
    expect(JSON.stringify(replies)).not.toMatch(/secret/i);
    expect(await storedText()).not.toContain(secret);
  });

  it('keeps the secret for its client and host: another one needs its own', async () => {
    const { id } = await create();
    for (const more of [{ clientId: 'other' }, { tokenUrl: 'https://evil.test/token' }]) {
      expect(await refusedUpdate(id, more)).toBe('request.invalid');
      expect(await refusedUpdate(id, { ...more, clientSecret: null })).toBe('request.invalid');
    }
    expect(await update(id, { tokenUrl: 'https://id.acme.test/v2/token' })).toMatchObject({ clientId: 'plinth' });
    expect(await update(id, { clientId: 'other', clientSecret: 'another' })).toMatchObject({ clientId: 'other' });
  });

  it('takes nothing from a body but the fields of an integration', async () => {
    const victim = await create({ name: 'Victim' });
    const { id } = await create({ id: victim.id, tenantId: 1, sealedSecret: 'smuggled' });
    expect(id).not.toBe(victim.id);
    expect(await update(id, { id: victim.id, tenantId: 1, sealedSecret: 'smuggled' })).toMatchObject({ id });
    expect(await platform.call(admin, 'getOAuthIntegration', { path: { id: victim.id } })).toEqual(victim);
    expect(await storedText()).not.toContain('smuggled');
  });

  it('creates, changes and deletes', async () => {
    const config = { revocationUrl: 'https://id.acme.test/revoke', accountRegion: 'eu' };
    const created = await create({ scopes: ['refresh_token'], config });
    expect(created).toMatchObject({ ...fields, scopes: ['refresh_token'], config });
    expect(await create({ name: 'Lake' })).toMatchObject({ scopes: null, config: null });
    const changed = await update(created.id, { name: 'Warehouse 2' });
    expect(changed).toMatchObject({ name: 'Warehouse 2', scopes: ['refresh_token'], config });
    expect(await platform.call(admin, 'listOAuthIntegrations')).toMatchObject([changed, { name: 'Lake' }]);
    const path = { id: created.id };
    expect(await platform.call(admin, 'deleteOAuthIntegration', { path })).toEqual({ success: true });
    expect(await platform.refusal(admin, 'deleteOAuthIntegration', { path })).toBe('oauth_integration.not_found');
  });
});
