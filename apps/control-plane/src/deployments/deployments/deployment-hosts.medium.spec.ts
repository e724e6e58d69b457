import 'reflect-metadata';
import { systemPrincipal } from '@plinth/auth';
import { until } from '@plinth/testing';
import { newTenant, type TestTenant } from '../../testing/access-fixture';
import { newDeployment, startFixture, transports, type Fixture } from '../../testing/deployment-fixture';

describe.each(transports)('addresses of deployments over %s', (transport) => {
  let platform: Fixture;
  let tenant: TestTenant;
  let deploymentId: number;

  beforeAll(async () => {
    platform = await startFixture(transport);
    const branch = { parentBranch: null, ownerEmail: null, ownerUserId: null, lastHash: null };
    platform.branches.push(
      { ...branch, id: 1, name: 'main', kind: 'deploy', isStagingEnvironmentEnabled: false },
      { ...branch, id: 2, name: 'next', kind: 'shared', isStagingEnvironmentEnabled: true },
      { ...branch, id: 3, name: 'off', kind: 'shared', isStagingEnvironmentEnabled: false },
      { ...branch, id: 4, name: 'dev-x', kind: 'dev', ownerUserId: 77, isStagingEnvironmentEnabled: false },
    );
  });
  afterAll(() => platform.stop());
  beforeEach(async () => {
    tenant = await newTenant(platform);
    ({ id: deploymentId } = await platform.call(tenant.admin, 'createDeployment', { body: newDeployment('Sales') }));
  });

  const resolve = (host: string) => platform.call(systemPrincipal(0), 'resolveTenant', { body: { host } });
  const locate = (branchName: string | null, tenantId = tenant.id, id = deploymentId) =>
    platform.call(systemPrincipal(tenantId), 'locateEnvironment', { body: { deploymentId: id, branchName } });
  const change = (body: object, by = tenant.admin, id = deploymentId) =>
    platform.call(by, 'updateDeployment', { path: { deploymentId: id }, body });

  describe('a host', () => {
    it('of a deployment that is not there, or is somewhere else, belongs to nobody', async () => {
      expect(await resolve('deployment-999999.local.localhost')).toEqual({ tenant: null });
      expect(await resolve(`deployment-${deploymentId}.elsewhere.localhost`)).toEqual({ tenant: null });
      expect(await resolve('sales.nobody.example')).toEqual({ tenant: null });
    });

    it('of a deployment leads to it until it is deleted', async () => {
      const host = `deployment-${deploymentId}.local.localhost`;
      expect(await resolve(host)).toMatchObject({ tenant: { tenantId: tenant.id }, deploymentId });
      await platform.call(tenant.admin, 'deleteDeployment', { path: { deploymentId } });
      expect(await resolve(host)).toEqual({ tenant: null });
    });

    it('of its own leads to a deployment as long as it has it', async () => {
      const customDomain = `data-${deploymentId}.acme.example`;
      const { deploymentUrl } = await change({ customDomain });
      expect(deploymentUrl).toBe(`https://${customDomain}`);
      expect(await resolve(customDomain)).toMatchObject({ tenant: { tenantId: tenant.id }, deploymentId });
      await change({ customDomain: null });
      expect(await resolve(customDomain)).toEqual({ tenant: null });
    });

    it('is nobody else’s own domain, in no tenant', async () => {
      const customDomain = `data-${deploymentId}.acme.example`;
      await change({ customDomain });
      const stranger = await newTenant(platform);
      const { id } = await platform.call(stranger.admin, 'createDeployment', { body: newDeployment('Sales') });
      const request = { path: { deploymentId: id }, body: { customDomain } };
      expect(await platform.refusal(stranger.admin, 'updateDeployment', request)).toBe('deployment.domain_taken');
      await change({ customDomain: `deployment-${deploymentId}.local.localhost` }, stranger.admin, id);
      expect(await resolve(`deployment-${deploymentId}.local.localhost`)).toMatchObject({ deploymentId });
    });

    it('that changes is announced, and none that did not', async () => {
      const notices = platform.notices('control-plane.deployment.changed');
      await platform.refusal(tenant.admin, 'updateDeployment', {
        path: { deploymentId },
        body: { customDomain: 'x y' },
      });
      await change({ customDomain: `data-${deploymentId}.acme.example` });
      await until('the notice arrives', async () => notices.length, Boolean);
      expect(notices).toEqual([{ deploymentId }]);
    });
  });

  describe('an environment', () => {
    it('is none of another tenant, of no deployment, and of no branch that nothing serves', async () => {
      const stranger = await newTenant(platform);
      expect(await locate(null, stranger.id)).toEqual({ environment: null });
      expect(await locate(null, tenant.id, 999_999)).toEqual({ environment: null });
      expect(await locate('gone')).toEqual({ environment: null });
      expect(await locate('off')).toEqual({ environment: null });
    });

    it.each([
      [null, { environmentId: 1, branchName: 'main', type: 'production' }],
      ['main', { environmentId: 1, branchName: 'main', type: 'production' }],
      ['next', { environmentId: 2, branchName: 'next', type: 'staging' }],
      ['dev-x', { environmentId: 4, branchName: 'dev-x', type: 'development' }],
    ])('of the branch %s is found', async (branchName, environment) => {
      expect(await locate(branchName)).toEqual({ environment });
    });
  });
});
