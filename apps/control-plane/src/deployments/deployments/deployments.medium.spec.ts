import 'reflect-metadata';
import { systemPrincipal, type Principal } from '@plinth/auth';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { newTenant } from '../../testing/access-fixture';
import {
  eventsOf,
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
  const events = (type: string) => eventsOf(platform, admin, type);

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
