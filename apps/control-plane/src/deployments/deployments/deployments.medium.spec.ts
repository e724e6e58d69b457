import 'reflect-metadata';
import { systemPrincipal, type Principal } from '@plinth/auth';
import { findUnprotectedTables } from '@plinth/database';
import type { ErrorCode } from '@plinth/errors';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { newTenant } from '../../testing/access-fixture';
import {
  newAdmin,
  newDeployment,
  startFixture,
  transports,
  walk,
  type Fixture,
} from '../../testing/deployment-fixture';

describe.each(transports)('deployments over %s', (transport) => {
  let platform: Fixture;
  let admin: Principal;

  beforeAll(async () => {
    platform = await startFixture(transport);
  });
  afterAll(() => platform.stop());
  beforeEach(() => {
    admin = newAdmin();
  });

  const create = (name: string, more: object = {}, principal = admin) =>
    platform.call(principal, 'createDeployment', { body: newDeployment(name, more) });
  const at = (deploymentId: number, more: object = {}) => ({ path: { deploymentId }, ...more });
  const update = (id: number, body: object) => platform.call(admin, 'updateDeployment', at(id, { body }));
  const updateRefusal = (id: number, body: object) => platform.refusal(admin, 'updateDeployment', at(id, { body }));
  const events = async (type: string, principal = admin): Promise<unknown[]> => {
    const text = 'select distinct payload from outbox where tenant_id = $1 and type = $2';
    const rows = await platform.database.readAsSystem<{ payload: unknown }>({ name: 'events', text }, [
      principal.tenantId,
      type,
    ]);
    return rows.map(({ payload }) => payload);
  };

  it('hides a deployment of another tenant from every operation', async () => {
    const { id } = await create('Sales');
    const stranger = newAdmin();
    const body = { creationStep: 'ready', env_variables: [{ name: 'A', value: 'b' }], security_context: {} };
    const operations = [
      'getDeployment',
      'updateDeployment',
      'deleteDeployment',
      'getDeploymentSettings',
      'listDeploymentVersions',
      'advanceCreationStep',
      'resetCreationStep',
      'deploymentToken',
      'rotateDeploymentSecret',
      'getEnvVariables',
      'setEnvVariables',
      'getDeploymentEnvironments',
      'getDeploymentEnvironmentTokens',
      'createDeploymentEnvironmentToken',
      'createDeploymentEnvironmentTokenForMetaSync',
    ] as const;
    const codes: ErrorCode[] = [];
    for (const operationId of operations) {
      codes.push(await platform.refusal(stranger, operationId, { path: { deploymentId: id, environmentId: 1 }, body }));
    }
    expect(codes).toEqual(operations.map(() => 'deployment.not_found'));
    expect((await platform.call(stranger, 'getDeployments')).items).toEqual([]);
    expect(await platform.call(admin, 'getDeployment', at(id))).toMatchObject({ name: 'Sales' });
  });

  it('confines every table to its tenant', async () => {
    expect(await findUnprotectedTables(platform.database)).toEqual([]);
  });

  it('take note of a connected repository, once or again, of their own tenant alone', async () => {
    const { id } = await create('From GitHub', { creationStep: 'upload' });
    const body = { deploymentId: id, creationMethod: 'github', deployBranchName: 'trunk', deployProjectRoot: 'bi' };
    expect(await platform.refusal(systemPrincipal(999_999), 'recordDeploymentSource', { body })).toBe(
      'deployment.not_found',
    );
    const record = () => platform.call(systemPrincipal(admin.tenantId), 'recordDeploymentSource', { body });
    expect(await record()).toMatchObject({ id, creationStep: 'github' });
    expect(await platform.call(admin, 'getDeploymentSettings', at(id))).toMatchObject({
      creationMethod: 'github',
      repoType: 'git',
      deployBranchName: 'trunk',
      deployProjectRoot: 'bi',
    });
    expect(await events('deployment.updated')).toEqual([{ deploymentId: id }]);
    await platform.call(admin, 'advanceCreationStep', at(id, { body: { creationStep: 'databases' } }));
    expect(await record()).toMatchObject({ creationStep: 'databases' });
  });

  it('describes a deployment to other services inside its tenant alone', async () => {
    const { id } = await create('Sales', { creationMethod: 'github' });
    const body = { deploymentId: id };
    expect(await platform.refusal(systemPrincipal(999_999), 'describeDeployment', { body })).toBe(
      'deployment.not_found',
    );
    expect(await platform.call(systemPrincipal(admin.tenantId), 'describeDeployment', { body })).toEqual({
      id,
      name: 'Sales',
      tenantId: admin.tenantId,
      deployMode: 'git',
      deployBranchName: 'main',
      deployBranchReadOnly: false,
      deployBranchMergeAllowed: true,
      deployProjectRoot: '',
      creationMethod: 'github',
    });
  });

  describe('creating', () => {
    it('refuses a name that is taken, in whatever case, and keeps the tenant apart', async () => {
      await create('  Sales ');
      expect(await platform.refusal(admin, 'createDeployment', { body: newDeployment('sALES') })).toBe(
        'deployment.name_taken',
      );
      expect((await create('Sales', {}, newAdmin())).name).toBe('Sales');
    });

    it('lets one of two concurrent creators have the name', async () => {
      const outcomes = await Promise.allSettled([create('Race'), create('race'), create('RACE')]);
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
      expect((await platform.call(admin, 'getDeployments')).count).toBe(1);
      expect(await events('deployment.created')).toHaveLength(1);
    });

    it.each([
      ['deployment.unknown_region', { region: 'moon' }],
      ['request.invalid', { name: 'Sa\0les' }],
      ['request.invalid', { name: ' \u3000 ' }],
    ])('answers %s to %j and stores nothing', async (code, wrong) => {
      expect(await platform.refusal(admin, 'createDeployment', { body: newDeployment('Sales', wrong) })).toBe(code);
      expect((await platform.call(admin, 'getDeployments')).count).toBe(0);
    });

    it('refuses a credential that is limited to deployments', async () => {
      const limited = { ...admin, deploymentIds: [1] };
      expect(await platform.refusal(limited, 'createDeployment', { body: newDeployment('Sales') })).toBe(
        'access.deployment_out_of_scope',
      );
    });

    it('answers a repeat with the same key by the first reply and creates once', async () => {
      const request = { body: newDeployment('Once'), idempotencyKey: 'key-1' };
      const first = await platform.call(admin, 'createDeployment', request);
      expect(await platform.call(admin, 'createDeployment', request)).toEqual(first);
      expect(await events('deployment.created')).toEqual([{ deploymentId: first.id }]);
    });

    it('starts from the documented defaults', async () => {
      const { id } = await create('Defaults');
      expect(await platform.call(admin, 'getDeploymentSettings', at(id))).toMatchObject({
        deployMode: 'git',
        deployBranchName: 'main',
        template: 'single',
        templateVariables: {},
        releaseChannel: 'latest',
        releaseChannelVersionHold: false,
        customDomain: null,
        deploymentUrl: `https://deployment-${id}.local.localhost`,
        autoDomain: `deployment-${id}.local.localhost`,
      });
    });
  });

  describe('listing', () => {
    const names = (rows: { name: string }[]) => rows.map(({ name }) => name);
    const createMany = async (count: number): Promise<number[]> => {
      const ids: number[] = [];
      for (let index = 0; index < count; index += 1) ids.push((await create(`D${index}`)).id);
      return ids;
    };

    it('serves both generations of clients when neither style is asked for', async () => {
      await createMany(25);
      const list = await platform.call(admin, 'getDeployments');
      expect(list.items).toHaveLength(25);
      expect(list.data).toMatchObject({ deployments: { length: 20 } });
      expect(list).toMatchObject({ pagination: { offset: 0, limit: 20, total: 25 }, count: 25, totalCount: 25 });
    });

    it('slices by offset, and answers rows as data to cursors', async () => {
      await createMany(5);
      const slice = await platform.call(admin, 'getDeployments', { query: { offset: 3, limit: 10 } });
      expect(names(slice.items)).toEqual(['D3', 'D4']);
      expect(slice).toMatchObject({
        data: { deployments: [{ name: 'D3' }, { name: 'D4' }] },
        pagination: { offset: 3, limit: 10, total: 5 },
        pageInfo: { hasNextPage: false, hasPreviousPage: true },
      });
      const page = await platform.call(admin, 'getDeployments', { query: { first: 2 } });
      expect(page.data).toEqual(page.items);
      expect(page).toMatchObject({ count: 5, pageInfo: { hasNextPage: true } });
    });

    it('shows every row once while rows come and go between the pages', async () => {
      const ids = await createMany(7);
      let round = 0;
      const rows = await walk(
        (after) => platform.call(admin, 'getDeployments', { query: { first: 2, ...(after && { after }) } }),
        async (page) => {
          round += 1;
          await platform.call(admin, 'deleteDeployment', at(page.at(-1)?.id ?? 0));
          if (round < 3) await create(`Late ${round}`);
        },
      );
      expect(rows.map(({ id }) => id).slice(0, 7)).toEqual(ids);
      expect(names(rows).slice(7)).toEqual(['Late 1', 'Late 2']);
    });

    it('refuses cursors of other tenants and filters, broken ones, and both styles at once', async () => {
      await createMany(2);
      const { pageInfo } = await platform.call(admin, 'getDeployments', { query: { first: 1 } });
      const after = pageInfo.endCursor;
      const refusal = (query: object, principal = admin) =>
        platform.refusal(principal, 'getDeployments', { query: { ...query } });
      expect(await refusal({ after }, newAdmin())).toBe('request.cursor_invalid');
      expect(await refusal({ after, creationStep: ['ready'] })).toBe('request.cursor_invalid');
      expect(await refusal({ after: 'nonsense' })).toBe('request.cursor_invalid');
      expect(await refusal({ first: 1, offset: 0 })).toBe('request.invalid');
      expect(await refusal({ first: 0 })).toBe('request.invalid');
    });

    it('shows a limited credential its deployments alone, and counts them alone', async () => {
      const [, second] = (await createMany(3)) as [number, number, number];
      const limited = { ...admin, deploymentIds: [second, 999_999] };
      const list = await platform.call(limited, 'getDeployments');
      expect([names(list.items), list.count]).toEqual([['D1'], 1]);
      expect((await platform.call({ ...admin, deploymentIds: [] }, 'getDeployments')).count).toBe(0);
    });

    it('shows a member what the grants cover', async () => {
      const [first, second] = (await createMany(3)) as [number, number, number];
      const grants = [{ action: 'DeploymentRead', deploymentIds: [first, second] }];
      const member = { ...admin, isAdmin: false, grants };
      expect((await platform.call(member, 'getDeployments')).count).toBe(2);
      expect((await platform.call({ ...member, deploymentIds: [second] }, 'getDeployments')).count).toBe(1);
    });

    it('keeps the steps that are asked for', async () => {
      await create('A');
      await create('B', { creationStep: 'ready' });
      const { items } = await platform.call(admin, 'getDeployments', { query: { creationStep: ['ready', 'demo'] } });
      expect(names(items)).toEqual(['B']);
    });
  });

  describe('changing settings', () => {
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

  describe('versions', () => {
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

  it('moves the setup forward only, and back to its start by a reset', async () => {
    const { id } = await create('Sales');
    const advance = (creationStep: string) =>
      platform
        .call(admin, 'advanceCreationStep', at(id, { body: { creationStep } }))
        .then((reply) => reply.creationStep);
    expect([await advance('upload'), await advance('github'), await advance('databases')]).toEqual([
      'upload',
      'github',
      'databases',
    ]);
    expect(await platform.refusal(admin, 'advanceCreationStep', at(id, { body: { creationStep: 'schema' } }))).toBe(
      'request.invalid',
    );
    expect(await advance('databases')).toBe('databases');
    expect((await platform.call(admin, 'resetCreationStep', at(id))).creationStep).toBe('project');
  });

  it('deletes with variables, tokens and secrets, frees the name, and says so once', async () => {
    ({ admin } = await newTenant(platform));
    const { id } = await create('Sales');
    platform.branches.splice(0, Infinity, {
      id: 31,
      name: 'main',
      parentBranch: null,
      kind: 'deploy',
      ownerEmail: null,
      ownerUserId: null,
      isStagingEnvironmentEnabled: false,
      lastHash: null,
    });
    await platform.call(admin, 'setEnvVariables', at(id, { body: { env_variables: [{ name: 'A', value: '1' }] } }));
    const place = { deploymentId: id, environmentId: 31 };
    await platform.call(admin, 'createDeploymentEnvironmentToken', { path: place, body: { security_context: {} } });
    await platform.call(admin, 'rotateDeploymentSecret', at(id, { body: { graceSeconds: 60 } }));
    expect(await platform.call(admin, 'deleteDeployment', at(id))).toEqual({ success: true });
    expect(await platform.refusal(admin, 'deleteDeployment', at(id))).toBe('deployment.not_found');
    const tables = ['deployment_secret', 'previous_deployment_secret', 'env_variable', 'environment_token'];
    for (const table of tables) {
      const statement = { name: `left-${table}`, text: `select 1 from ${table} where deployment_id = $1` };
      expect(await platform.database.readAsSystem(statement, [id])).toEqual([]);
    }
    expect(await events('deployment.deleted')).toEqual([{ deploymentId: id }]);
    expect((await create('Sales')).id).toBeGreaterThan(id);
  });

  it('signs deployment tokens with a secret of the deployment, for the time that is asked for', async () => {
    ({ admin } = await newTenant(platform));
    const { id } = await create('Sales');
    const token = async (body?: object) =>
      (await platform.call(admin, 'deploymentToken', at(id, { body }))).cubeApiToken;
    const lifetime = (jwt: string) => (decodeJwt(jwt).exp ?? 0) - (decodeJwt(jwt).iat ?? 0);
    const standard = await token();
    expect(decodeProtectedHeader(standard).alg).toBe('HS256');
    expect([
      lifetime(standard),
      lifetime(await token({ expiresIn: null })),
      lifetime(await token({ expiresIn: 60 })),
    ]).toEqual([86_400, 86_400, 60]);
    const reader = { ...admin, isAdmin: false, grants: [{ action: 'DeploymentRead', deploymentIds: null }] };
    expect(await platform.refusal(reader, 'deploymentToken', at(id))).toBe('access.denied');
  });
});
