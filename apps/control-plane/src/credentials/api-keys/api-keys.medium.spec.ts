import 'reflect-metadata';
import type { Principal } from '@plinth/auth';
import { newTenant, type TestTenant } from '../../testing/access-fixture';
import { startFixture, type Fixture } from '../../testing/deployment-fixture';
import { until } from '../../testing/account-fixture';
import { hashOf } from './api-key-secret';

describe('API keys', () => {
  let platform: Fixture;
  let tenant: TestTenant;
  let admin: Principal;

  beforeAll(async () => {
    platform = await startFixture();
  });
  afterAll(() => platform.stop());
  beforeEach(async () => {
    tenant = await newTenant(platform);
    ({ admin } = tenant);
  });

  const create = (body: object = {}) => platform.call(admin, 'createApiKey', { body });
  const read = (apiKeyId: number, by = admin) => platform.call(by, 'getApiKey', { path: { apiKeyId } });
  const holderOf = async (secret: string): Promise<Principal> => {
    const { principal } = await tenant.authenticate(secret);
    if (!principal) throw new Error('The key is not accepted');
    return principal;
  };
  const change = (text: string, id: number) => platform.database.readAsSystem({ name: '', text }, [id]);

  it('that are limited to deployments revoke themselves and no other, not even one that is limited as they are', async () => {
    const { id: full } = await create();
    const [own, twin] = [await create({ deploymentIds: [1] }), await create({ deploymentIds: [1] })];
    const holder = await holderOf(own.token);
    for (const apiKeyId of [full, twin.id, 999_999_999]) {
      const refusal = await platform.refusal(holder, 'deleteApiKey', { path: { apiKeyId } });
      expect(refusal).toBe('access.deployment_out_of_scope');
    }
    await platform.call(holder, 'deleteApiKey', { path: { apiKeyId: own.id } });
    expect((await tenant.authenticate(own.token)).principal).toBeNull();
    expect((await tenant.authenticate(twin.token)).principal).not.toBeNull();
  });

  it.each(['2020-01-01T00:00:00Z', new Date().toISOString(), '2016-12-31T23:59:60Z'])(
    'are not made to expire at %s, which has passed',
    async (expiresAt) => {
      expect(await platform.refusal(admin, 'createApiKey', { body: { expiresAt } })).toBe('request.invalid');
    },
  );

  it('are refused once they have expired, and shown all the same', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const { id, token, ...made } = await create({ expiresAt });
    expect(made.expiresAt).toBe(expiresAt);
    expect((await tenant.authenticate(token)).principal).not.toBeNull();
    await change('update api_key set expires_at = now() where id = $1', id);
    expect(await tenant.authenticate(token)).toEqual({ principal: null });
    expect(Date.parse((await read(id)).expiresAt ?? '')).toBeLessThan(Date.now());
    expect((await platform.call(admin, 'listApiKeys')).items.map((key) => key.id)).toContain(id);
  });

  it.each([{}, { expiresAt: null }])('never expire with %j', async (body) => {
    const { id, token } = await create(body);
    expect(await read(id)).toMatchObject({ expiresAt: null });
    expect((await tenant.authenticate(token)).principal).not.toBeNull();
  });

  it('show when they were last used, to the minute; a refusal is no use', async () => {
    const { id, token } = await create();
    const personal = await tenant.newKey(await tenant.newUser());
    const lastUse = async (secret: string) => {
      const text = 'select last_used_at as at from api_key where token_hash = $1';
      const [row] = await platform.database.readAsSystem<{ at: Date | null }>({ name: '', text }, [hashOf(secret)]);
      return row?.at ?? null;
    };
    /** Whatever was to be noted before is, once a first use is that comes after it. */
    const noted = async () => {
      const { token: marker } = await create();
      await holderOf(marker);
      await until(async () => (await lastUse(marker)) !== null);
    };
    const age = (seconds: number) =>
      change(`update api_key set last_used_at = now() - interval '${seconds} seconds' where id = $1`, id);
    expect((await read(id)).lastUsedAt).toBeNull();
    await holderOf(token);
    expect((await tenant.authenticate(personal)).refusal).toBe('access.personal_keys_off');
    await noted();
    expect(Date.parse((await read(id)).lastUsedAt ?? '')).toBeGreaterThan(Date.now() - 60_000);
    expect(await lastUse(personal)).toBeNull();
    await age(50);
    const before = await lastUse(token);
    await holderOf(token);
    await noted();
    expect(await lastUse(token)).toEqual(before);
    await age(61);
    await holderOf(token);
    await noted();
    expect((await lastUse(token))?.getTime()).toBeGreaterThan(before?.getTime() ?? Infinity);
  });
});
