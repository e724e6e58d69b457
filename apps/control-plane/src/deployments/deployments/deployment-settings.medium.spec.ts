import 'reflect-metadata';
import type { Principal } from '@plinth/auth';
import { eventsOf, newAdmin, newDeployment, startFixture, walk, type Fixture } from '../../testing/deployment-fixture';

describe('settings of a deployment', () => {
  let platform: Fixture;
  let admin: Principal;

  beforeAll(async () => {
    platform = await startFixture();
  });
  afterAll(() => platform.stop());
  beforeEach(() => {
    admin = newAdmin();
  });

  const create = (name: string, more: object = {}) =>
    platform.call(admin, 'createDeployment', { body: newDeployment(name, more) });
  const at = (deploymentId: number, more: object = {}) => ({ path: { deploymentId }, ...more });
  const update = (id: number, body: object) => platform.call(admin, 'updateDeployment', at(id, { body }));
  const updateRefusal = (id: number, body: object) => platform.refusal(admin, 'updateDeployment', at(id, { body }));
  const events = (type: string) => eventsOf(platform, admin, type);

  describe('that are changed', () => {
    it('merges template variables key by key and keeps what is not sent', async () => {
      const { id } = await create('Sales');
      await update(id, { templateVariables: { a: 1, b: { deep: true } }, customDomain: 'Data.Example.com' });
      const settings = await update(id, { templateVariables: { b: 2, c: 3 } });
      expect(settings).toMatchObject({
        templateVariables: { a: 1, b: 2, c: 3 },
        customDomain: 'data.example.com',
        deploymentUrl: 'https://data.example.com',
      });
      expect(await platform.call(admin, 'getDeploymentSettings', at(id))).toEqual(settings);
      expect(await events('deployment.updated')).toEqual([{ deploymentId: id }]);
    });

    it('loses none of the concurrent changes to template variables', async () => {
      const { id } = await create('Sales');
      await Promise.all(
        Array.from({ length: 8 }, (_, index) => update(id, { templateVariables: { [`k${index}`]: index } })),
      );
      const { templateVariables } = await platform.call(admin, 'getDeploymentSettings', at(id));
      expect(Object.keys(templateVariables ?? {})).toHaveLength(8);
    });

    it('clears by null what may be empty and keeps by null what may not', async () => {
      const { id } = await create('Sales', { creationMethod: 'upload' });
      const csps = { enabled: true, storageProvider: 's3', s3Bucket: 'b' };
      await update(id, {
        customDomain: 'a.example.com',
        launchpadTabs: ['x'],
        cspsConfig: csps,
        deployProjectRoot: '/cube/',
      });
      const all = {
        name: null,
        region: null,
        deployMode: null,
        template: null,
        releaseChannel: null,
        releaseChannelVersion: null,
      };
      const cleared = {
        customDomain: null,
        launchpadTabs: null,
        cspsConfig: null,
        deployProjectRoot: null,
        creationMethod: null,
      };
      expect(await update(id, { ...all, ...cleared })).toMatchObject({
        name: 'Sales',
        region: 'local',
        deployMode: 'git',
        template: 'single',
        releaseChannel: 'latest',
        ...cleared,
        deployProjectRoot: '',
      });
    });

    it.each([
      ['deployment.unknown_region', { region: 'moon' }],
      ['deployment.unknown_version', { releaseChannelVersion: '0.0.1' }],
      ['deployment.unknown_version', { releaseChannelVersion: 'latest' }],
      ['request.invalid', { deployBranchName: '--force' }],
      ['request.invalid', { deployProjectRoot: 'a/../b' }],
      ['request.invalid', { customDomain: 'no domain' }],
      ['request.invalid', { templateVariables: { a: ['x\0'] } }],
    ])('answers %s to %j and changes nothing', async (code, change) => {
      const { id } = await create('Sales');
      const before = await platform.call(admin, 'getDeploymentSettings', at(id));
      expect(await updateRefusal(id, { name: 'Other', ...change })).toBe(code);
      expect(await platform.call(admin, 'getDeploymentSettings', at(id))).toEqual(before);
      expect(await events('deployment.updated')).toEqual([]);
    });

    it('refuses the name of another deployment and takes its own in other letters', async () => {
      const { id } = await create('Sales');
      await create('Costs');
      expect(await updateRefusal(id, { name: 'COSTS' })).toBe('deployment.name_taken');
      expect((await update(id, { name: 'SALES' })).name).toBe('SALES');
    });
  });

  describe('about its version', () => {
    const versions = async (id: number) => (await platform.call(admin, 'listDeploymentVersions', at(id))).items;

    it('lists the head of each channel and what the tenant ran, each once, and pages through them', async () => {
      const { id } = await create('Sales');
      const list = await versions(id);
      expect(
        list.map(({ releaseChannel, isLatestInChannel, isCurrent }) => [releaseChannel, isLatestInChannel, isCurrent]),
      ).toEqual([
        ['latest', true, true],
        ['release', true, false],
      ]);
      const walked = await walk((after) =>
        platform.call(admin, 'listDeploymentVersions', at(id, { query: { first: 1, ...(after && { after }) } })),
      );
      expect(walked).toEqual(list);
    });

    it('takes a listed version in its three notations, for its own channel alone', async () => {
      const { id } = await create('Sales');
      const head = (await versions(id)).find(({ releaseChannel }) => releaseChannel === 'release');
      const { version = '', releaseChannelVersion = '' } = head ?? {};
      expect(await updateRefusal(id, { releaseChannelVersion: version })).toBe('deployment.unknown_version');
      for (const notation of [version, `v${version}`, releaseChannelVersion]) {
        const settings = await update(id, { releaseChannel: 'release', releaseChannelVersion: notation });
        expect(settings).toMatchObject({ releaseChannelVersion, releaseChannelVersionHold: false });
      }
    });

    it('moves to the head of a channel that is sent alone', async () => {
      const { id } = await create('Sales');
      const heads = await versions(id);
      for (const { releaseChannel, releaseChannelVersion } of [...heads].reverse()) {
        expect(await update(id, { releaseChannel })).toMatchObject({ releaseChannel, releaseChannelVersion });
      }
    });

    it('holds an older version unless told otherwise, and offers what the tenant ran before', async () => {
      const { id } = await create('Sales');
      const text = `insert into deployment_version_use (tenant_id, release_channel, version) values ($1, 'latest', '1.5.3')`;
      await platform.database.readAsSystem({ name: 'ran-before', text }, [admin.tenantId]);
      const wish = { releaseChannelVersion: '1.5.3' };
      expect(await update(id, { ...wish, releaseChannelVersionHold: false })).toMatchObject({
        releaseChannelVersionHold: false,
      });
      const pinned = await update(id, wish);
      expect(pinned).toMatchObject({ releaseChannelVersion: 'cubejs/cube:v1.5.3', releaseChannelVersionHold: true });
      expect(await update(id, pinned)).toEqual(pinned);
      const current = (await versions(id)).filter(({ isCurrent }) => isCurrent);
      expect(current).toEqual([expect.objectContaining({ version: '1.5.3', isLatestInChannel: false })]);
    });
  });
});
