import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OperationDescription, OperationId } from '@plinth/contract';
import { casesOf, createEmptyDatabase, exampleRequest, type TestDatabase, until } from '@plinth/testing';
import type { ApiClient } from './harness/api-client';
import { ChildService } from './harness/child-service';
import { withoutWall } from './harness/machine-wall';
import { operatorCommand } from './harness/operator-command';
import { otherTenant } from './harness/other-tenant';
import { representatives } from './harness/representatives';
import { createDeployment, openDevBranch, uniqueName } from './harness/story';
import { topologies } from './harness/topologies';
import { adminKey, type Topology } from './harness/topology';

/** SCIM has errors of its own form, and a suite of its own. */
const isServed = ({ service }: OperationDescription): boolean => service !== 'scim';
const isProtected = (each: OperationDescription): boolean => isServed(each) && each.access.permission !== 'public';
const isScoped = (each: OperationDescription): boolean => isProtected(each) && each.access.scope === 'deployment';
const administers = (each: OperationDescription): boolean =>
  isProtected(each) && each.access.permission === 'admin' && each.method !== 'GET';

const served = casesOf(representatives(isServed));
const protectedOperations = casesOf(representatives(isProtected));
const scopedOperations = casesOf(representatives(isScoped));
const administering = casesOf(representatives(administers));

/** Ids of things that belong to a tenant and that everybody else must not reach. */
interface Belongings {
  deploymentId: number;
  environmentId: string;
  apiKeyId: number;
  branchName: string;
  embedTenantName: string;
}

describe.each(topologies)('what an operation answers to the wrong caller: %s', (_name, start) => {
  let topology: Topology;
  let belongings: Belongings;
  let stranger: ApiClient;
  let strangersHost: string;
  let scopedElsewhere: ApiClient;
  let revoked: ApiClient;

  beforeAll(async () => {
    topology = await start();
    const { admin } = topology;
    belongings = await makeBelongings(admin);
    const elsewhere = await createDeployment(admin);
    const scoped = await admin.call('createApiKey', { body: { name: 'elsewhere', deploymentIds: [elsewhere.id] } });
    scopedElsewhere = admin.as(`Bearer ${scoped.token}`);
    const doomed = await admin.call('createApiKey', { body: { name: 'doomed' } });
    await admin.call('deleteApiKey', { path: { apiKeyId: doomed.id } });
    revoked = admin.as(`Api-Key ${doomed.token}`);
    ({ admin: stranger, host: strangersHost } = await otherTenant(topology));
  });
  afterAll(() => topology?.stop());

  const refused = (client: ApiClient, operationId: OperationId) =>
    client.refusal(operationId, exampleRequest(operationId, { ...belongings }));

  it.each(protectedOperations)('%s without a credential: 401', async (operationId) => {
    expect(await refused(topology.admin.as(undefined), operationId)).toMatchObject({
      status: 401,
      code: 'auth.credential_missing',
      headers: { 'www-authenticate': expect.stringContaining('Bearer') },
    });
  });

  it.each(served)('%s with garbage for a credential: 401', async (operationId) => {
    for (const [header, code] of [
      ['Bearer sk-0000000000000000000000000000000000000000', 'auth.credential_invalid'],
      ['Basic YWRtaW46YWRtaW4=', 'auth.credential_malformed'],
      ['Bearer', 'auth.credential_malformed'],
    ] as const) {
      expect(await refused(topology.admin.as(header), operationId)).toMatchObject({ status: 401, code });
    }
  });

  it.each(served)('%s with a revoked key: 401', async (operationId) => {
    expect(await refused(revoked, operationId)).toMatchObject({ status: 401, code: 'auth.credential_invalid' });
  });

  it.each(served)("%s with another tenant's key: 401, as if the key did not exist", async (operationId) => {
    const { admin } = topology;
    const foreign = admin.at(strangersHost);
    expect(await refused(foreign, operationId)).toMatchObject({ status: 401, code: 'auth.credential_invalid' });
  });

  it.each(scopedOperations)('%s with a key that is limited to another deployment: 403', async (operationId) => {
    expect(await refused(scopedElsewhere, operationId)).toMatchObject({
      status: 403,
      code: 'access.deployment_out_of_scope',
    });
  });

  it.each(scopedOperations)("%s on another tenant's deployment: 404", async (operationId) => {
    expect(await refused(stranger, operationId)).toMatchObject({ status: 404 });
  });

  it('a key that was in use a moment ago is refused within a second of its revocation', async () => {
    const { admin } = topology;
    const { id, token } = await admin.call('createApiKey', { body: { name: 'in use' } });
    const user = admin.as(`Bearer ${token}`);
    await user.call('getCurrentUser');
    await admin.call('deleteApiKey', { path: { apiKeyId: id } });
    const refusal = await until(
      'the key to be refused',
      () => user.attempt('getCurrentUser'),
      ({ status }) => status === 401,
      1_000,
    );
    expect(refusal.body).toMatchObject({ code: 'auth.credential_invalid' });
  });

  it("does not show another tenant's things in any list, nor let them be reached by id", async () => {
    expect((await stranger.call('getDeployments')).items).toEqual([]);
    expect((await stranger.call('listApiKeys')).items.map(({ id }) => id)).not.toContain(belongings.apiKeyId);
    const path = { apiKeyId: belongings.apiKeyId };
    expect(await stranger.refusal('getApiKey', { path })).toMatchObject({ status: 404 });
    expect(await stranger.refusal('deleteApiKey', { path })).toMatchObject({ status: 404 });
    expect(await topology.admin.call('getApiKey', { path })).toMatchObject({ id: belongings.apiKeyId });
  });

  it.each(administering)("%s with a limited key, be it an administrator's: 403", async (operationId) => {
    expect(await refused(scopedElsewhere, operationId)).toMatchObject({
      status: 403,
      code: 'access.deployment_out_of_scope',
    });
  });

  it('shows a limited key its deployments alone and lets it make neither deployments nor keys', async () => {
    const { items } = await scopedElsewhere.call('getDeployments');
    expect(items.map(({ id }) => id)).not.toContain(belongings.deploymentId);
    expect(items).toHaveLength(1);
    for (const operationId of ['createDeployment', 'createApiKey'] as const) {
      expect(await refused(scopedElsewhere, operationId)).toMatchObject({ status: 403 });
    }
  });

  it('knows nothing under a host that belongs to no tenant', async () => {
    const reply = await topology.admin.at('nobody.example').attempt('getDeployment', { path: { deploymentId: 1 } });
    expect(reply).toMatchObject({ status: 404, body: { code: 'tenant.unknown_host' } });
  });
});

async function makeBelongings(admin: ApiClient): Promise<Belongings> {
  const { id: deploymentId } = await createDeployment(admin, uniqueName('Guarded'));
  const branchName = await openDevBranch(admin, deploymentId, 'guarded');
  const { items } = await admin.call('getDeploymentEnvironments', { path: { deploymentId } });
  const key = await admin.call('createApiKey', { body: { name: 'guarded' } });
  const environmentId = items[0]?.id ?? '';
  return { deploymentId, environmentId, apiKeyId: key.id, branchName, embedTenantName: 'guarded' };
}

describe('where nothing keeps programs of users from the platform', () => {
  let dataFolder: string;
  let database: TestDatabase;
  beforeAll(async () => {
    dataFolder = await mkdtemp(join(tmpdir(), 'plinth-e2e-'));
    database = await createEmptyDatabase();
  });
  afterAll(async () => {
    await database.drop();
    await rm(dataFolder, { recursive: true });
  });
  const settings = () => ({
    PLINTH_DATA_FOLDER: dataFolder,
    PLINTH_DATABASE_URL: database.url,
    PLINTH_DATABASE_POOL_SIZE: '3',
    PLINTH_BOOTSTRAP_API_KEY: adminKey,
    PLINTH_ENCRYPTION_KEYS: Buffer.alloc(32).toString('base64'),
    PLINTH_STORAGE_ROOT: dataFolder,
    PLINTH_PORT: '0',
    PLINTH_OPERATIONS_PORT: '0',
  });
  const second = ['tenants', 'create', '--name', 'acme', '--host', 'acme.localhost', '--admin-email', 'a@acme.test'];

  it('a build worker does not start', async () => {
    const start = { entry: 'build-worker/src/main.js', environment: settings(), readyText: '"msg":"ready"' };
    await expect(ChildService.start({ ...start, within: withoutWall() })).rejects.toThrow(
      /PLINTH_SANDBOX: nothing here keeps programs of users from the platform/,
    );
  });

  it('the platform in one process starts with a warning, for one tenant alone', async () => {
    const start = { entry: 'platform/src/main.js', environment: settings(), readyText: 'ready http' };
    const platform = await ChildService.start({ ...start, within: withoutWall() });
    expect(platform.lines.join('\n')).toContain('NOTHING KEEPS PROGRAMS OF USERS FROM THIS PLATFORM');
    await expect(operatorCommand(settings(), second)).rejects.toThrow(/PLINTH_SANDBOX=none/);
    await platform.stop();
  });

  it('an operator who does without a wall by name may have another tenant', async () => {
    const environment = { ...settings(), PLINTH_SANDBOX: 'none' };
    const platform = await ChildService.start({ entry: 'platform/src/main.js', environment, readyText: 'ready http' });
    expect(await operatorCommand(environment, second)).toMatchObject({ tenant: { name: 'acme' } });
    await platform.stop();
  });
});
