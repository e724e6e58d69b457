import 'reflect-metadata';
import type { Principal } from '@plinth/auth';
import { startFixture, transports, type Fixture } from '../../testing/deployment-fixture';
import { newTenantAdmin, viewerBeside } from '../../testing/account-fixture';

const gcp = '//iam.googleapis.com/projects/123/locations/global/workloadIdentityPools/plinth/providers/main';
const custom = { audienceType: 'Custom', customAudience: 'https://acme.test' };

describe.each(transports)('OIDC token configs over %s', (transport) => {
  let platform: Fixture;
  let admin: Principal;

  beforeAll(async () => {
    platform = await startFixture(transport);
  });
  afterAll(() => platform.stop());
  beforeEach(async () => {
    admin = await newTenantAdmin(platform);
  });

  const create = (body: object, by = admin) => platform.call(by, 'createOidcTokenConfig', { body });
  const refusedCreation = (body: object, by = admin) => platform.refusal(by, 'createOidcTokenConfig', { body });
  const update = (id: number, body?: object) => platform.call(admin, 'updateOidcTokenConfig', { path: { id }, body });
  const refusedUpdate = (id: number, body: object) =>
    platform.refusal(admin, 'updateOidcTokenConfig', { path: { id }, body });

  it.each([
    'listOidcTokenConfigs',
    'createOidcTokenConfig',
    'getOidcTokenConfig',
    'updateOidcTokenConfig',
    'deleteOidcTokenConfig',
  ] as const)('refuses %s to everybody but administrators', async (operationId) => {
    const request = { path: { id: 1 }, body: { audienceType: 'AWS' } };
    expect(await platform.refusal(viewerBeside(admin), operationId, request)).toBe('access.denied');
  });

  it("keeps another tenant's configs out of reach", async () => {
    const { id } = await create({ audienceType: 'AWS' });
    const stranger = await newTenantAdmin(platform);
    for (const operationId of ['getOidcTokenConfig', 'updateOidcTokenConfig', 'deleteOidcTokenConfig'] as const) {
      const request = { path: { id }, body: {} };
      expect(await platform.refusal(stranger, operationId, request)).toBe('oidc_token_config.not_found');
    }
    expect(await platform.call(stranger, 'listOidcTokenConfigs')).toEqual([]);
    expect(await create({ audienceType: 'AWS' }, stranger)).toMatchObject({ name: 'aws' });
  });

  it.each([
    ['AWS', {}],
    ['Azure', {}],
    ['GCP', { customAudience: gcp }],
  ])('has one config for %s at most, also of two at once, and under another name', async (audienceType, more) => {
    const named = (name: string) => create({ audienceType, name, ...more });
    const outcomes = await Promise.allSettled([named('one'), named('two')]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await refusedCreation({ audienceType, name: 'three', ...more })).toBe('oidc_token_config.audience_taken');
  });

  it.each([
    { audienceType: 'GCP' },
    { audienceType: 'GCP', customAudience: 'projects/123' },
    { audienceType: 'Custom' },
    { audienceType: 'AWS', customAudience: 'https://acme.test' },
    { audienceType: 'AWS', targetEnvVar: 'TOKEN_FILE' },
    { ...custom, customClaims: { sub: 'x' } },
    { ...custom, customClaims: { 'cube:user_id': 'x' } },
  ])('refuses %j', async (body) => {
    expect(await refusedCreation(body)).toBe('request.invalid');
  });

  it('refuses a name that is taken, new and changed', async () => {
    await create({ audienceType: 'AWS' });
    const { id } = await create(custom);
    expect(await refusedCreation({ ...custom, name: 'aws' })).toBe('oidc_token_config.name_taken');
    expect(await refusedUpdate(id, { name: 'aws' })).toBe('oidc_token_config.name_taken');
  });

  it('holds a change against the rules of the type, which stays', async () => {
    const { id } = await create({ audienceType: 'AWS' });
    for (const body of [{ customAudience: 'x' }, { targetEnvVar: 'X' }, { customClaims: { iss: 'x' } }]) {
      expect(await refusedUpdate(id, body)).toBe('request.invalid');
    }
    expect(await update(id, { audienceType: 'Custom' })).toMatchObject({ audienceType: 'AWS' });
  });

  it('takes any number of custom ones, up to a hundred in all', async () => {
    for (const name of ['a', 'b', 'c']) await create({ ...custom, name });
    await platform.database.readAsSystem(
      {
        name: 'many-configs',
        text: `insert into oidc_token_config (tenant_id, audience_type, audience, name, is_enabled)
               select $1, 'Custom', 'a', 'n' || n, true from generate_series(1, 97) n`,
      },
      [admin.tenantId],
    );
    expect(await refusedCreation({ ...custom, name: 'd' })).toBe('oidc_token_config.limit_reached');
  });

  it('creates with what is usual, changes what is given, and clears with null', async () => {
    expect(await create({ audienceType: 'AWS', isEnabled: null })).toMatchObject({
      ...{ name: 'aws', audience: 'sts.amazonaws.com', isEnabled: true },
      ...{ subFormat: null, customClaims: null, targetEnvVar: null },
    });
    const more = { subFormat: 'x:{region}', customClaims: { scp: 'a,' }, targetEnvVar: 'TOKEN_FILE' };
    const created = await create({ ...custom, name: 'snowflake', ...more });
    expect(created).toMatchObject({ ...more, audience: 'https://acme.test', name: 'snowflake' });
    expect(await update(created.id)).toMatchObject(more);
    const off = { isEnabled: false, customAudience: 'other' };
    expect(await update(created.id, off)).toMatchObject({ ...more, isEnabled: false, audience: 'other' });
    const nothing = { name: null, isEnabled: null, customAudience: null };
    const cleared = { subFormat: null, customClaims: null, targetEnvVar: null };
    expect(await update(created.id, { ...nothing, ...cleared })).toMatchObject({
      ...{ name: 'snowflake', isEnabled: false, audience: 'other' },
      ...cleared,
    });
    const path = { id: created.id };
    expect(await platform.call(admin, 'deleteOidcTokenConfig', { path })).toEqual({ success: true });
    expect(await platform.refusal(admin, 'getOidcTokenConfig', { path })).toBe('oidc_token_config.not_found');
  });
});
