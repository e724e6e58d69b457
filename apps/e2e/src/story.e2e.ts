import { sampleProject, SAMPLE_PROJECT_CUBES, until } from '@plinth/testing';
import { decodeJwt } from 'jose';
import { buildEnd, createDeployment, openDevBranch } from './harness/story';
import { isOnNats, topologies } from './harness/topologies';
import type { Topology } from './harness/topology';

const brokenModel = { path: 'model/cubes/broken.yml', content: 'cubes:\n  - name: broken\n    sql_table: [\n' };

describe.each(topologies)('from an empty deployment to a built data model: %s', (name, start) => {
  let topology: Topology;

  beforeAll(async () => {
    topology = await start();
  });
  afterAll(() => topology?.stop());

  it('serves the API document, the caller and the regions', async () => {
    const { admin } = topology;
    expect(await admin.call('getSpec')).toMatchObject({ openapi: expect.stringMatching(/^3\.1/) });
    expect(await admin.call('getCurrentUser')).toMatchObject({ isAdmin: true });
    expect((await admin.call('listRegions')).items.length).toBeGreaterThan(0);
  });

  it('edits on a personal branch, commits, merges and builds production', async () => {
    const { admin } = topology;
    const { id: deploymentId } = await createDeployment(admin);
    const path = { deploymentId };
    expect(await buildEnd(admin, deploymentId)).toMatchObject({ status: 'built', mode: 'production' });

    const devBranch = await openDevBranch(admin, deploymentId);
    expect(devBranch).toMatch(/^dev-/);
    expect(await admin.call('buildStatus', { path, query: { branchName: devBranch } })).toMatchObject({
      status: 'dev_mode',
    });
    await admin.call('updateFiles', { path, body: { files: sampleProject() } });
    expect(await admin.call('validateDataModel', { path, query: { devMode: true } })).toMatchObject({
      valid: true,
      errors: [],
      cubesCount: SAMPLE_PROJECT_CUBES,
      branchName: devBranch,
    });

    await admin.call('commitChanges', { path, body: { message: 'Add the sales model' } });
    await admin.call('stopDevMode', { path });
    expect(await admin.call('mergeToDefaultBranch', { path, body: { branchName: 'feature' } })).toEqual({
      merged: true,
      branchDeleted: true,
    });
    expect(await buildEnd(admin, deploymentId)).toMatchObject({ status: 'built', branchName: 'main' });
    expect(await admin.call('validateDataModel', { path })).toMatchObject({
      valid: true,
      cubesCount: SAMPLE_PROJECT_CUBES,
      mode: 'production',
    });
    const hashes = await admin.call('fileHashes', { path });
    for (const file of sampleProject()) expect(Object.keys(hashes)).toContain(file.path);
  });

  // The rest is what one service does.
  if (!isOnNats(name)) return;

  it('answers a broken model with the file and the line, as a verdict and as a failed build', async () => {
    const { admin } = topology;
    const { id: deploymentId } = await createDeployment(admin);
    const path = { deploymentId };
    await openDevBranch(admin, deploymentId);
    await admin.call('updateFiles', { path, body: { files: [brokenModel] } });
    const verdict = await admin.call('validateDataModel', { path, query: { devMode: true } });
    expect(verdict).toMatchObject({ valid: false });
    expect(verdict.errors[0]?.fileName).toContain('broken.yml');

    await admin.call('commitChanges', { path, body: { message: 'Break it' } });
    await admin.call('mergeToDefaultBranch', { path, body: { branchName: 'feature' } });
    const build = await buildEnd(admin, deploymentId);
    expect(build.status).toBe('failed');
    expect(build.errorText).toMatch(/broken\.yml/);
    expect(build.errorText).toMatch(/\b[34]\b/);
  });

  it('refuses writes to branches that are not personal', async () => {
    const { admin } = topology;
    const { id: deploymentId } = await createDeployment(admin);
    const path = { deploymentId };
    const body = { branchName: 'main', files: [{ path: 'model/x.yml', content: '' }] };
    const refusal = await admin.refusal('updateFiles', { path, body });
    expect(refusal).toMatchObject({ status: 400, code: 'branch.not_dev_mode' });
    expect(refusal.message).toContain('dev-mode branch');
  });

  it('issues tokens, lists environments and versions, updates settings, and deletes', async () => {
    const { admin } = topology;
    const { id: deploymentId } = await createDeployment(admin);
    const path = { deploymentId };
    await admin.call('setEnvVariables', {
      path,
      body: {
        env_variables: [
          { name: 'CUBEJS_DB_TYPE', value: 'postgres' },
          { name: 'DB_PASS', value: 'hunter2' },
        ],
      },
    });
    expect((await admin.call('getEnvVariables', { path })).items).toEqual([
      { name: 'CUBEJS_DB_TYPE', value: 'postgres' },
      { name: 'DB_PASS', value: '[ENCRYPTED]' },
    ]);

    const { cubeApiToken } = await admin.call('deploymentToken', { path, body: { expiresIn: 60 } });
    const { iat = 0, exp } = decodeJwt(cubeApiToken);
    expect(exp).toBe(iat + 60);

    const environments = await admin.call('getDeploymentEnvironments', { path, query: { type: 'production' } });
    const [production] = environments.items;
    expect(environments.data).toMatchObject({ environments: [{ type: 'production' }] });
    const { data } = await admin.call('createDeploymentEnvironmentTokenForMetaSync', {
      path: { deploymentId, environmentId: production?.id ?? '' },
      body: { security_context: { team: 'finance' } },
    });
    expect(decodeJwt(data.token)).toMatchObject({ team: 'finance', scope: ['meta'] });

    const versions = await admin.call('listDeploymentVersions', { path });
    const release = versions.items.find(({ releaseChannel }) => releaseChannel === 'release');
    const settings = await admin.call('updateDeployment', {
      path,
      body: { releaseChannel: 'release', releaseChannelVersion: `v${release?.version}` },
    });
    expect(settings.releaseChannelVersion).toBe(release?.releaseChannelVersion);
    expect(await admin.call('getDeploymentSettings', { path })).toEqual(settings);

    expect(await admin.call('deleteDeployment', { path })).toEqual({ success: true });
    expect(await admin.refusal('getDeployment', { path })).toMatchObject({ status: 404, code: 'deployment.not_found' });
    // The build workers hear of it by an event.
    const listing = () => admin.attempt('listFiles', { path });
    expect((await until('the data model is gone', listing, ({ status }) => status !== 200)).status).toBe(404);
  });
});
