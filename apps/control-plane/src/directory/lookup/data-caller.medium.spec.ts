import 'reflect-metadata';
import { systemPrincipal } from '@plinth/auth';
import { AppConfigService, TenantSettingsRepository } from '../../tenancy';
import { newTenant, type TestTenant } from '../../testing/access-fixture';
import { startFixture, type Fixture } from '../../testing/deployment-fixture';

describe('what the control plane tells of whoever reads data', () => {
  let platform: Fixture;
  let tenant: TestTenant;
  let userId: number;

  beforeAll(async () => {
    platform = await startFixture();
  });
  afterAll(() => platform.stop());
  beforeEach(async () => {
    tenant = await newTenant(platform);
    await tenant.allowPersonalKeys(true);
    userId = await tenant.newUser();
  });

  const describeCaller = (id: number | null) =>
    platform.call(systemPrincipal(tenant.id), 'describeDataCaller', { body: { userId: id } });

  it('is for the platform alone', async () => {
    expect(await platform.refusal(tenant.admin, 'describeDataCaller', { body: { userId } })).toBe('access.denied');
  });

  it("is nothing of a user who is not there, nor of another tenant's", async () => {
    const stranger = systemPrincipal((await newTenant(platform)).id);
    const body = { userId };
    expect(await platform.refusal(stranger, 'describeDataCaller', { body })).toBe('auth.credential_invalid');
  });

  it('is the security context that a token of theirs would have, and an empty one for the platform', async () => {
    await platform.call(tenant.admin, 'updateUser', { path: { id: userId }, body: { securityContext: { desk: 4 } } });
    const { email } = await tenant.principalOf(userId);
    const groups: string[] = [];
    const own = { userId, username: email, email, groups, roles: expect.any(Array), userAttributes: {} };
    const rest = { isDownloadRestricted: false, isPythonEnabled: true, timeZone: null };
    expect(await describeCaller(userId)).toEqual({ userId, securityContext: { desk: 4, cubeCloud: own }, ...rest });
    expect(await describeCaller(null)).toEqual({ userId: null, securityContext: {}, ...rest });
  });

  it('is that of the user with an address, in any case, while the user is active', async () => {
    const { email } = await tenant.principalOf(userId);
    const describeWith = (address: string) => ({ body: { userId: null, email: address } });
    const found = platform.call(
      systemPrincipal(tenant.id),
      'describeDataCaller',
      describeWith(email?.toUpperCase() ?? ''),
    );
    expect(await found).toEqual(await describeCaller(userId));
    const refusal = (address: string) =>
      platform.refusal(systemPrincipal(tenant.id), 'describeDataCaller', describeWith(address));
    expect(await refusal('nobody@acme.test')).toBe('auth.credential_invalid');
    await platform.call(tenant.admin, 'bulkUserAction', { body: { action: 'DEACTIVATE', userIds: [userId] } });
    expect(await refusal(email ?? '')).toBe('auth.credential_invalid');
  });

  it('says that Python is off as soon as the account has switched it off', async () => {
    await platform.call(tenant.admin, 'updateTenantSettings', { body: { pythonEnabled: false } });
    expect(await describeCaller(null)).toMatchObject({ isPythonEnabled: false });
  });

  it('has the time zone of the account while that is switched on', async () => {
    const configs = new AppConfigService(platform.database, new TenantSettingsRepository());
    const set = (timezoneSettings: object) => configs.replace(tenant.id, { timezoneSettings });
    await set({ enabled: false, timezone: 'Asia/Tokyo' });
    expect(await describeCaller(null)).toMatchObject({ timeZone: null });
    await set({ enabled: true, timezone: 'Asia/Tokyo' });
    expect(await describeCaller(null)).toMatchObject({ timeZone: 'Asia/Tokyo' });
  });
});
