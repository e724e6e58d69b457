import 'reflect-metadata';
import type { Policy } from '@plinth/auth';
import { newTenant, type TestTenant } from '../../testing/access-fixture';
import { startFixture, transports, walk, type Fixture } from '../../testing/deployment-fixture';

const view: Policy = { resourceType: 'Global', actions: ['AIBIView'], resources: ['All'] };
const on = (resources: string[], ...actions: Policy['actions']): Policy => ({
  resourceType: 'Deployment',
  actions,
  resources,
});

describe.each(transports)('roles over %s', (transport) => {
  let platform: Fixture;
  let tenant: TestTenant;

  beforeAll(async () => {
    platform = await startFixture(transport);
  });
  afterAll(() => platform.stop());
  beforeEach(async () => {
    tenant = await newTenant(platform);
    await tenant.allowPersonalKeys(true);
  });

  const create = (name: string, ...policies: Policy[]) =>
    platform.call(tenant.admin, 'createRole', { body: { name, policies } });
  const refusal = (operationId: Parameters<Fixture['refusal']>[1], request: object) =>
    platform.refusal(tenant.admin, operationId, request);
  const assign = (roleId: number, userId: number) =>
    platform.call(tenant.admin, 'assignRoleToUser', { path: { roleId, userId } });
  const grantsOf = async (userId: number) =>
    Object.fromEntries(
      (await tenant.principalOf(userId)).grants.map(({ action, deploymentIds }) => [action, deploymentIds]),
    );

  describe('creation', () => {
    it.each([
      'Admin',
      'Developer',
      'AIBIDeveloper',
      'D3User',
      'AIBIUser',
      'AIBIViewer',
      'Guest',
      'EmbedUser',
      'viewer',
    ])('refuses the name %s', async (name) => {
      expect(await refusal('createRole', { body: { name, policies: [] } })).toBe('role.name_reserved');
    });

    it.each([[['sales']], [['1', 'my-deployment']], [['0']], [['1.5']], [['*']]])(
      'refuses a policy on the deployments %j',
      async (resources) => {
        const body = { name: 'Wrong', policies: [view, on(resources, 'DeploymentRead')] };
        expect(await refusal('createRole', { body })).toBe('request.invalid');
      },
    );

    it('refuses a name that is taken, in whatever case, on creation and on renaming', async () => {
      await create('Analysts');
      const { id } = await create('Others');
      expect(await refusal('createRole', { body: { name: 'ANALYSTS', policies: [] } })).toBe('role.name_taken');
      expect(await refusal('updateRole', { path: { roleId: id }, body: { name: 'Analysts' } })).toBe('role.name_taken');
    });

    it('lets one of many that want the same name at once have it', async () => {
      const results = await Promise.allSettled(Array.from({ length: 5 }, () => create('Contested')));
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });

    it('takes the names None and All, and a role that grants nothing', async () => {
      expect(await create('None')).toMatchObject({ name: 'None', description: null, policies: [] });
      expect(await create('All', on(['999999'], 'All'))).toMatchObject({ policies: [on(['999999'], 'All')] });
    });
  });

  describe('reading and changing', () => {
    it('lists custom roles, newest first, page by page', async () => {
      for (const name of ['A', 'B', 'C']) await create(name);
      const pages = (after?: string) => platform.call(tenant.admin, 'getRoles', { query: { first: 2, after } });
      expect((await walk(pages)).map(({ name }) => name)).toEqual(['C', 'B', 'A']);
    });

    it('knows neither built-in roles nor those of another tenant', async () => {
      const { id } = await create('Ours');
      const stranger = (await newTenant(platform)).admin;
      const builtIn = await tenant.builtInRole('Viewer');
      for (const operationId of ['getRole', 'updateRole', 'deleteRole'] as const) {
        expect(await refusal(operationId, { path: { roleId: builtIn }, body: {} })).toBe('role.not_found');
        const foreign = { path: { roleId: id }, body: {} };
        expect(await platform.refusal(stranger, operationId, foreign)).toBe('role.not_found');
      }
    });

    it('keeps what is not sent, clears a description with null, and replaces policies as a whole', async () => {
      const { id } = await create('Analysts', view, on(['1'], 'DeploymentRead'));
      const path = { roleId: id };
      const update = (body: object) => platform.call(tenant.admin, 'updateRole', { path, body });
      expect(await update({ description: 'Read' })).toMatchObject({ name: 'Analysts', description: 'Read' });
      expect((await update({})).policies).toHaveLength(2);
      expect(await update({ description: null, policies: [view] })).toMatchObject({
        description: null,
        policies: [view],
      });
      expect(await update({ policies: [] })).toMatchObject({ name: 'Analysts', policies: [] });
      expect(await platform.call(tenant.admin, 'getRole', { path })).toEqual(await update({}));
    });
  });

  describe('assignment', () => {
    it('refuses unknown users and roles, those of another tenant, and Admin', async () => {
      const { id: roleId } = await create('Analysts');
      const userId = await tenant.newUser();
      const foreigner = await (await newTenant(platform)).newUser();
      const admin = await tenant.builtInRole('Admin');
      for (const path of [
        { roleId: 999_999, userId },
        { roleId: admin, userId },
      ]) {
        expect(await refusal('assignRoleToUser', { path })).toBe('role.not_found');
      }
      for (const operationId of ['assignRoleToUser', 'removeRoleFromUser'] as const) {
        expect(await refusal(operationId, { path: { roleId, userId: 999_999 } })).toBe('user.not_found');
        expect(await refusal(operationId, { path: { roleId, userId: foreigner } })).toBe('user.not_found');
      }
      expect(await refusal('removeRoleFromUser', { path: { roleId: admin, userId } })).toBe('role.not_found');
    });

    it('may be repeated, as may the removal, also many times at once', async () => {
      const { id: roleId } = await create('Analysts', view, on(['5'], 'DeploymentRead'));
      const userId = await tenant.newUser();
      await Promise.all([assign(roleId, userId), assign(roleId, userId), assign(roleId, userId)]);
      expect(await grantsOf(userId)).toEqual({ AIBIView: null, DeploymentRead: [5] });
      const remove = () => platform.call(tenant.admin, 'removeRoleFromUser', { path: { roleId, userId } });
      await Promise.all([remove(), remove()]);
      await remove();
      expect(await grantsOf(userId)).toEqual({});
    });

    it('answers a repeat under the same idempotency key as it answered the first', async () => {
      const { id: roleId } = await create('Analysts');
      const path = { roleId, userId: await tenant.newUser() };
      const request = { path, idempotencyKey: 'assign once' };
      expect(await platform.call(tenant.admin, 'assignRoleToUser', request)).toBeUndefined();
      expect(await platform.call(tenant.admin, 'assignRoleToUser', request)).toBeUndefined();
    });

    it('gives the union of all roles, direct and through groups, until the role is gone', async () => {
      const userId = await tenant.newUser();
      const reads = await create('Reads', on(['1', '2'], 'DeploymentRead'));
      const writes = await create('Writes', on(['2', '3'], 'SchemaUpdate'));
      await assign(await tenant.builtInRole('Viewer'), userId);
      await platform.call(tenant.admin, 'removeRoleFromUser', {
        path: { roleId: await tenant.builtInRole('Viewer'), userId },
      });
      expect(await grantsOf(userId)).toEqual({});
      const tier = await create('Tier', view);
      for (const { id } of [reads, tier]) await assign(id, userId);
      await tenant.giveRoleToGroup(await tenant.newGroup(userId), writes.id);
      expect(await grantsOf(userId)).toEqual({
        AIBIView: null,
        DeploymentRead: [1, 2],
        SchemaRead: [2],
        SchemaUpdate: [2],
        SchemaUpdateDevBranches: [2],
      });
      await platform.call(tenant.admin, 'deleteRole', { path: { roleId: writes.id } });
      expect(await grantsOf(userId)).toEqual({ AIBIView: null, DeploymentRead: [1, 2] });
    });

    it('of a built-in role grants what that role does, on every deployment', async () => {
      const userId = await tenant.newUser();
      await assign(await tenant.builtInRole('Explorer'), userId);
      expect(await grantsOf(userId)).toMatchObject({ AIBIExplore: null, PlaygroundRead: null, DeploymentRead: null });
      expect(await grantsOf(userId)).not.toHaveProperty('SchemaRead');
    });
  });

  it('are for administrators alone', async () => {
    const userId = await tenant.newUser();
    await assign(await tenant.builtInRole('Developer'), userId);
    const developer = await tenant.principalOf(userId);
    const path = { roleId: await tenant.builtInRole('Developer'), userId };
    const body = { name: 'Mine', policies: [] };
    const operations = ['getRoles', 'createRole', 'getRole', 'updateRole', 'deleteRole'] as const;
    for (const operationId of [...operations, 'assignRoleToUser', 'removeRoleFromUser'] as const) {
      expect(await platform.refusal(developer, operationId, { path, body })).toBe('access.denied');
    }
  });
});
