import { createSecretKey } from 'node:crypto';
import type { Principal } from '@plinth/auth';
import { jwtVerify } from 'jose';
import { newAdmin, startFixture, type Fixture } from '../../testing/deployment-fixture';
import { AppConfigService } from './app-config.service';
import { TenantSettingsRepository } from './tenant-settings.repository';
import { UsageAnalyticsService } from '../../deployments/usage-analytics/usage-analytics.service';

describe('the settings of an account', () => {
  let fixture: Fixture;
  let admin: Principal;

  beforeAll(async () => {
    fixture = await startFixture();
  });
  beforeEach(() => {
    admin = newAdmin();
  });
  afterAll(() => fixture?.stop());

  const put = (body: object) => fixture.call(admin, 'updateTenantSettings', { body });

  it('are refused to everybody but administrators, and no change to limited credentials', async () => {
    const other: Principal = { ...admin, isAdmin: false, grants: [{ action: 'All', deploymentIds: null }] };
    for (const operation of ['getTenantSettings', 'updateTenantSettings', 'createToken'] as const) {
      expect(await fixture.refusal(other, operation)).toBe('access.denied');
    }
    const limited: Principal = { ...admin, deploymentIds: [1] };
    expect(await fixture.refusal(limited, 'updateTenantSettings', { body: {} })).toBe('access.deployment_out_of_scope');
    expect(await fixture.refusal(limited, 'createToken')).toBe('access.deployment_out_of_scope');
  });

  it('begin with a closed audit log and with SCIM, usage analytics and embedding', async () => {
    expect(await fixture.call(admin, 'getTenantSettings')).toEqual({
      auditLogEnabled: false,
      auditLogEnabledCurrent: false,
      auditLogEnabledTimestamp: 0,
      hasSupportAccess: false,
      useAIBIUserInterface: true,
      maintenanceWindowEnabled: false,
      maintenanceWindowDay: 'Sunday',
      maintenanceWindowTime: '02:00',
      oidcEnabled: false,
      usageAnalyticsEnabled: true,
      scimEnabled: true,
      allowPersonalApiKeys: false,
      embeddingEnabled: true,
      pythonEnabled: true,
      embedOrigins: [],
      creatorModeEnabled: true,
    });
  });

  it('keep what a change does not name, and what it names with null', async () => {
    await put({ maintenanceWindowDay: 'Friday', oidcEnabled: true, hasSupportAccess: true });
    const changed = await put({ maintenanceWindowTime: '23:30', oidcEnabled: null, hasSupportAccess: false });
    expect(changed).toMatchObject({
      maintenanceWindowDay: 'Friday',
      maintenanceWindowTime: '23:30',
      oidcEnabled: true,
      hasSupportAccess: false,
    });
    expect(await fixture.call(admin, 'getTenantSettings')).toEqual(changed);
    expect(await fixture.call(newAdmin(), 'getTenantSettings')).toMatchObject({ maintenanceWindowDay: 'Sunday' });
  });

  it('lose nothing when they are changed at the same time', async () => {
    await Promise.all([
      put({ oidcEnabled: true }),
      put({ hasSupportAccess: true }),
      put({ maintenanceWindowEnabled: true }),
      put({ scimEnabled: false }),
    ]);
    expect(await fixture.call(admin, 'getTenantSettings')).toMatchObject({
      oidcEnabled: true,
      hasSupportAccess: true,
      maintenanceWindowEnabled: true,
      scimEnabled: false,
    });
  });

  it('keep origins that may frame pages, and an empty list takes them all back', async () => {
    const embedOrigins = ['https://app.example.com', 'https://*.example.org:8443'];
    expect(await put({ embedOrigins })).toMatchObject({ embedOrigins });
    expect(await put({ oidcEnabled: true, embedOrigins: null })).toMatchObject({ embedOrigins });
    expect(await put({ embedOrigins: [] })).toMatchObject({ embedOrigins: [] });
  });

  it('tell when the audit log was switched, not when anything else was', async () => {
    const before = Date.now();
    const { auditLogEnabledTimestamp: switchedAt } = await put({ auditLogEnabled: true });
    expect(switchedAt).toBeGreaterThanOrEqual(before);
    expect(await put({ auditLogEnabled: true, oidcEnabled: true })).toMatchObject({
      auditLogEnabledCurrent: true,
      auditLogEnabledTimestamp: switchedAt,
    });
  });

  describe('usage analytics', () => {
    it('answer 404 while they are switched off', async () => {
      await put({ usageAnalyticsEnabled: false });
      expect(await fixture.refusal(admin, 'createToken')).toBe('usage_analytics.off');
    });

    it('are open for an hour to a token that shows its own tenant alone', async () => {
      const usageAnalyticsSecret = 'a secret of the usage analytics deployment';
      const service = new UsageAnalyticsService(fixture.database, new TenantSettingsRepository(), {
        usageAnalyticsSecret,
        usageAnalyticsUrl: 'https://usage.example.test/',
        usageAnalyticsDeploymentId: 9_000,
        encryptionKeys: [],
      });
      const { token, ...where } = await service.createToken(admin);
      expect(where).toEqual({
        apiUrl: 'https://usage.example.test/cubejs-api/v1',
        deploymentId: 9_000,
        expiresAt: expect.any(String),
      });
      const { payload } = await jwtVerify(token, createSecretKey(Buffer.from(usageAnalyticsSecret)));
      expect(payload).toMatchObject({ tenantId: admin.tenantId, exp: (payload.iat ?? 0) + 3_600 });
      expect(new Date(where.expiresAt ?? 0).getTime()).toBe((payload.exp ?? 0) * 1_000);
    });
  });

  describe('the configuration of the app', () => {
    const service = (): AppConfigService => new AppConfigService(fixture.database, new TenantSettingsRepository());

    it('is the standard one until the operator sets another, tenant by tenant', async () => {
      const standard = await fixture.call(admin, 'getAppConfig');
      expect(standard).toMatchObject({ restrictDataDownload: false, appTheme: null });
      const theme = await fixture.call(admin, 'getAppTheme');
      const appTheme = { ...theme, logoUrl: 'https://acme.test/logo.svg' };
      await service().replace(admin.tenantId, { restrictDataDownload: true, appTheme });
      expect(await fixture.call(admin, 'getAppConfig')).toEqual({ ...standard, restrictDataDownload: true, appTheme });
      expect(await fixture.call(admin, 'getAppTheme')).toEqual(appTheme);
      expect(await fixture.call(newAdmin(), 'getAppConfig')).toEqual(standard);
      await service().replace(admin.tenantId, {});
      expect(await fixture.call(admin, 'getAppConfig')).toEqual(standard);
    });

    it('is refused when it is not as the contract says', async () => {
      const wrong = { restrictDataDownload: 'yes' } as never;
      await expect(service().replace(admin.tenantId, wrong)).rejects.toMatchObject({ code: 'request.invalid' });
      expect(await fixture.call(admin, 'getAppConfig')).toMatchObject({ restrictDataDownload: false });
    });
  });
});
