import 'reflect-metadata';
import { systemPrincipal } from '@plinth/auth';
import type { Schemas } from '@plinth/contract';
import { newTenant, type TestTenant } from '../../testing/access-fixture';
import { newDeployment, startFixture, type Fixture } from '../../testing/deployment-fixture';

const branch = (name: string, kind: 'deploy' | 'shared' | 'dev', isServed = false): Schemas['BranchDescription'] => ({
  id: name.length,
  name,
  kind,
  parentBranch: null,
  ownerEmail: null,
  ownerUserId: null,
  isStagingEnvironmentEnabled: isServed,
  lastHash: null,
});

describe('what the control plane has for sessions of host applications', () => {
  let platform: Fixture;
  let tenant: TestTenant;
  let deploymentId: number;

  beforeAll(async () => {
    platform = await startFixture();
    platform.branches.push(
      branch('main', 'deploy'),
      branch('next', 'shared', true),
      branch('idle', 'shared'),
      branch('dev-ada-1', 'dev'),
    );
  });
  afterAll(() => platform?.stop());
  beforeEach(async () => {
    tenant = await newTenant(platform);
    const { id } = await platform.call(tenant.admin, 'createDeployment', { body: newDeployment('Shop') });
    deploymentId = id;
  });

  const order = (more: object) => ({
    body: { deploymentId, branchName: null, username: null, isCreator: false, groups: [], userAttributes: [], ...more },
  });
  const prepare = (more: object = {}) => platform.call(systemPrincipal(tenant.id), 'prepareEmbedSession', order(more));
  const refusal = (more: object, principal = systemPrincipal(tenant.id)) =>
    platform.refusal(principal, 'prepareEmbedSession', order(more));
  const settings = (body: object) => platform.call(tenant.admin, 'updateTenantSettings', { body });
  const standing = async (reference: { userId: number; generation: number }) =>
    (await platform.call(systemPrincipal(tenant.id), 'describeAccountUser', { body: reference })).user;

  it.each(['prepareEmbedSession', 'describeAccountUser'] as const)('is for the platform alone (%s)', async (id) => {
    const body = id === 'prepareEmbedSession' ? order({}).body : { userId: 1, generation: 0 };
    expect(await platform.refusal(tenant.admin, id, { body })).toBe('access.denied');
  });

  it('is nothing of what there is not, or is not served', async () => {
    expect(await refusal({ deploymentId: 999_999_999 })).toBe('deployment.not_found');
    expect(await refusal({ branchName: 'nowhere' })).toBe('branch.not_found');
    expect(await refusal({ branchName: '' })).toBe('branch.not_found');
    expect(await refusal({ branchName: 'idle' })).toBe('branch.not_served');
    expect(await refusal({ username: 'nobody' })).toBe('user.not_found');
    expect(await refusal({ groups: ['Finance'] })).toBe('user_group.unknown_name');
    expect(await refusal({ userAttributes: [{ name: 'plant', value: 1 }] })).toBe('user_attribute.unknown_name');
  });

  it("is nothing of another tenant's", async () => {
    const other = await newTenant(platform);
    expect(await refusal({}, systemPrincipal(other.id))).toBe('deployment.not_found');
  });

  it('is nothing at all where embedding is off, and nothing for creators where creator mode is', async () => {
    await settings({ creatorModeEnabled: false });
    expect(await refusal({ isCreator: true })).toBe('embedding.creator_mode_off');
    expect(await prepare()).toMatchObject({ user: null });
    await settings({ embeddingEnabled: false });
    expect(await refusal({ deploymentId: 999_999_999 })).toBe('embedding.off');
  });

  it('is null for production, and the branch for every other one that is served', async () => {
    for (const [asked, branchName] of Object.entries({ main: null, next: 'next', 'dev-ada-1': 'dev-ada-1' })) {
      expect(await prepare({ branchName: asked })).toMatchObject({ branchName });
    }
    expect(await prepare()).toEqual({ branchName: null, user: null, groups: [], attributes: [] });
  });

  it('is the groups and the attributes that are named', async () => {
    const { id } = await platform.call(tenant.admin, 'createUserGroup', { body: { name: 'Finance' } });
    for (const name of ['plant', 'region']) {
      await platform.call(tenant.admin, 'createUserAttribute', { body: { name, type: 'string' } });
    }
    const found = await prepare({ groups: ['Finance'], userAttributes: [{ name: 'plant', value: 'x' }] });
    expect(found).toMatchObject({ groups: [{ id, name: 'Finance' }], attributes: [{ name: 'plant' }] });
  });

  it('is what a user may do, until they are signed out everywhere or deactivated', async () => {
    const userId = await tenant.newUser();
    await tenant.giveRoleToGroup(await tenant.newGroup(userId), await tenant.builtInRole('Viewer'));
    const { items } = await platform.call(tenant.admin, 'getUsers', { query: { search: 'user-' } });
    const { username = '', email } = items.find(({ id }) => id === userId) ?? {};
    const { user: reference } = await prepare({ username: username.toUpperCase() });
    expect(reference).toEqual({ userId, generation: expect.any(Number) });
    if (!reference) throw new Error('nobody');
    expect(await standing(reference)).toMatchObject({ isAdmin: false, email });
    expect((await standing(reference))?.grants.map(({ action }) => action)).toContain('AIBIView');
    await platform.call(tenant.admin, 'endUserSessions', { path: { id: userId } });
    expect(await standing(reference)).toBeNull();
    const { user: again } = await prepare({ username });
    await platform.call(tenant.admin, 'updateUser', { path: { id: userId }, body: { isDeactivated: true } });
    expect(await standing(again ?? { userId: 0, generation: 0 })).toBeNull();
    expect(await refusal({ username })).toBe('user.not_found');
  });
});
