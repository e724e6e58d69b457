import 'reflect-metadata';
import { systemPrincipal, type Principal } from '@plinth/auth';
import { operations, type OperationId } from '@plinth/contract';
import type { ErrorCode } from '@plinth/errors';
import { branchRef } from '@plinth/git';
import { cube, put, startFixture, type Fixture } from '../../testing/fixture';
import { grantsOf, userOf } from '../../testing/worker-harness';

let platform: Fixture;
let admin: Principal;
let path: { deploymentId: number };

beforeAll(async () => {
  platform = await startFixture(['worker-1', 'worker-2']);
});
afterAll(() => platform?.stop());
beforeEach(() => {
  ({ admin, path } = platform.newDeployment());
});

const create = (name: string, more: object = {}, principal = admin) =>
  platform.call(principal, 'createBranch', { path, body: { name, ...more } });
const createRefusal = async (name: string, more: object = {}): Promise<ErrorCode> =>
  (await platform.refusal(admin, 'createBranch', { path, body: { name, ...more } })).code;
const remove = (branchName: string, principal = admin) =>
  platform.call(principal, 'removeBranch', { path, query: { branchName } });
const removeRefusal = async (branchName: string, principal = admin): Promise<ErrorCode> =>
  (await platform.refusal(principal, 'removeBranch', { path, query: { branchName } })).code;
const branches = async () => (await platform.call(admin, 'listBranches', { path })).items;
const branch = async (name: string) => (await branches()).find((each) => each.name === name);

/** Without those of dbt syncs, whose own suites say so: they look for a sync, or read a stream, first. */
const publicOperations = operations.filter(
  ({ service, internal, access, tag }) =>
    service === 'build-worker' &&
    !internal &&
    access.scope === 'deployment' &&
    access.permission !== 'public' &&
    tag !== 'dbt Sync',
);
const anyBody = { name: 'x', files: [], enabled: true, branchName: 'main' };

describe('writers of one deployment', () => {
  it('have their turn whatever others began before them', async () => {
    const writer = userOf(admin.tenantId, 77);
    await create('feature');
    await platform.call(writer, 'startDevMode', { path, body: { branchName: 'feature' } });
    let created = 0;
    const creators = Array.from({ length: 60 }, (_, index) => create(`many-${index}`).then(() => (created += 1)));
    await platform.call(writer, 'updateFiles', { path, body: put('model/fair.yml', cube('fair')) });
    expect(created).toBeLessThan(30);
    await Promise.all(creators);
    expect(await branches()).toHaveLength(63);
  });
});

describe('access', () => {
  const codes = async (principal: Principal): Promise<Set<ErrorCode>> => {
    const refused = publicOperations.map(({ operationId }) =>
      platform.refusal(principal, operationId as OperationId, { path, query: { branchName: 'main' }, body: anyBody }),
    );
    return new Set((await Promise.all(refused)).map(({ code }) => code));
  };

  it("hides another tenant's deployment from every operation", async () => {
    await create('feature');
    expect(await codes(userOf(admin.tenantId + 100_000, 1))).toEqual(new Set(['deployment.not_found']));
  });

  it('refuses a credential that is limited to other deployments, whatever its owner may do', async () => {
    expect(await codes(userOf(admin.tenantId, 1, { deploymentIds: [path.deploymentId + 1] }))).toEqual(
      new Set(['access.deployment_out_of_scope']),
    );
  });

  it('refuses every operation to whoever holds another permission', async () => {
    expect(await codes(userOf(admin.tenantId, 1, grantsOf('AlertsRead')))).toEqual(new Set(['access.denied']));
  });
});

describe('first use', () => {
  it('makes one data model, however many ask at once', async () => {
    const lists = await Promise.all(Array.from({ length: 8 }, () => platform.call(admin, 'listBranches', { path })));
    const [first] = lists.map(({ items }) => items);
    expect(first).toMatchObject([{ name: 'main', parentBranch: null, isStagingEnvironmentEnabled: false }]);
    expect(new Set(lists.map(({ items }) => items[0]?.lastHash)).size).toBe(1);
    expect(Object.keys(await platform.filesOf(admin, path.deploymentId, 'main'))).toEqual([
      '/model/cubes/.gitkeep',
      '/model/views/.gitkeep',
      '/README.md',
      '/cube.js',
    ]);
  });

  it('leaves a data model empty that comes from GitHub', async () => {
    ({ admin, path } = platform.newDeployment({ creationMethod: 'github', deployBranchName: 'trunk' }));
    expect(await branches()).toMatchObject([{ name: 'trunk' }]);
    expect(await platform.filesOf(admin, path.deploymentId, 'trunk')).toEqual({});
  });
});

describe('creating a branch', () => {
  it.each<[string, ErrorCode]>([
    ['dev-mine', 'branch.invalid_name'],
    ['a..b', 'branch.invalid_name'],
    ['-flag', 'branch.invalid_name'],
    ['with space', 'branch.invalid_name'],
    ['a.lock', 'branch.invalid_name'],
    ['main', 'branch.exists'],
    ['main/below', 'branch.exists'],
  ])('refuses the name %p', async (name, code) => {
    expect(await createRefusal(name)).toBe(code);
    expect(await branches()).toHaveLength(1);
  });

  it('refuses to fork a branch that does not exist', async () => {
    expect(await createRefusal('feature', { from: 'nothing' })).toBe('branch.not_found');
  });

  it('lets one of many requests for the same name through', async () => {
    await create('other');
    const results = await Promise.allSettled(Array.from({ length: 6 }, () => create('feature')));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await branches()).map(({ name }) => name)).toEqual(['main', 'other', 'feature']);
  });

  it('forks the deploy branch, or the branch that is named', async () => {
    expect(await create('feature')).toEqual({ active: false, branchName: 'feature', parentBranch: 'main' });
    expect(await create('feature2', { from: 'feature' })).toMatchObject({ parentBranch: 'feature' });
    const [main, feature] = await branches();
    expect(feature?.lastHash).toBe(main?.lastHash);
  });

  it('opens dev mode on it when asked to', async () => {
    const state = await create('feature', { enterDevMode: true });
    expect(state).toEqual({
      active: true,
      branchName: expect.stringMatching(/^dev-user-\d+-/),
      parentBranch: 'feature',
    });
    expect(await branch(state.branchName ?? '')).toMatchObject({ parentBranch: 'feature' });
    const { branches } = await platform.call(systemPrincipal(admin.tenantId), 'listDeploymentBranches', { body: path });
    expect(branches).toContainEqual(expect.objectContaining({ kind: 'dev', ownerUserId: admin.userId }));
  });

  it('keeps the edits of a forked dev branch and belongs to its parent', async () => {
    await create('feature', { activate: true });
    await platform.call(admin, 'updateFiles', { path, body: put('model/a.yml', cube('a')) });
    const { items } = await platform.call(admin, 'listBranches', { path });
    const from = items.find(({ name }) => name.startsWith('dev-'))?.name;
    expect(await create('copy', { from })).toMatchObject({ parentBranch: 'feature' });
    expect(Object.keys(await platform.filesOf(admin, path.deploymentId, 'copy'))).toContain('/model/a.yml');
  });

  it('has one effect under an idempotency key', async () => {
    const request = { path, body: { name: 'feature', activate: true }, idempotencyKey: 'k-1' };
    const first = await platform.call(admin, 'createBranch', request);
    expect(await platform.call(admin, 'createBranch', request)).toEqual(first);
    expect(await branches()).toHaveLength(3);
  });

  it('overwrites references that a crash left without a branch', async () => {
    const main = (await branches())[0]?.lastHash ?? '';
    const git = await platform.repositoryOf(admin, path.deploymentId);
    const author = { name: 'A', email: '', at: new Date() };
    const leftover = await git.commitTree({ tree: await git.treeOf(main), parents: [main], author, message: 'Left' });
    await git.updateRefs([
      { ref: branchRef('feature'), newOid: leftover, oldOid: null },
      { ref: branchRef('topic/below'), newOid: leftover, oldOid: null },
    ]);
    await create('feature');
    await create('topic');
    expect(await branch('feature')).toMatchObject({ lastHash: main });
    expect(await branch('topic')).toMatchObject({ lastHash: main });
  });

  it('gets its reference again when a crash took it', async () => {
    await create('feature');
    const git = await platform.repositoryOf(admin, path.deploymentId);
    const head = (await git.head('feature')) ?? '';
    await git.deleteBranch('feature', head);
    expect(await branch('feature')).toMatchObject({ lastHash: head });
  });
});

describe('removing a branch', () => {
  it('refuses the deploy branch, an unknown one, and a dev branch of somebody else', async () => {
    const dev = (await create('feature', { activate: true })).branchName ?? '';
    const other = userOf(admin.tenantId, 2, grantsOf('SchemaUpdateDevBranches'));
    expect(await removeRefusal('main')).toBe('branch.protected');
    expect(await removeRefusal('nothing')).toBe('branch.not_found');
    expect(await removeRefusal(dev, other)).toBe('branch.not_owner');
    expect(await branches()).toHaveLength(3);
  });

  it('gives its children to its parent, ends dev mode on it and removes the reference', async () => {
    await create('feature');
    await create('below', { from: 'feature' });
    const dev =
      (await platform.call(admin, 'startDevMode', { path, body: { branchName: 'feature' } })).branchName ?? '';
    await remove('feature');
    expect(await branch('below')).toMatchObject({ parentBranch: 'main' });
    expect(await branch(dev)).toMatchObject({ parentBranch: 'main' });
    await remove(dev);
    const validation = platform.refusal(admin, 'validateDataModel', { path, query: { devMode: true } });
    expect((await validation).code).toBe('request.invalid');
    const git = await platform.repositoryOf(admin, path.deploymentId);
    expect((await git.branches()).map(({ name }) => name)).toEqual(['below', 'main']);
  });
});

describe('a staging environment', () => {
  const set = (body: object) => platform.call(admin, 'setBranchStagingEnvironment', { path, body });
  const refusal = async (body: object) =>
    (await platform.refusal(admin, 'setBranchStagingEnvironment', { path, body })).code;

  it('is refused for the deploy branch, dev branches, unknown branches and without a name', async () => {
    const dev = (await create('feature', { activate: true })).branchName;
    expect(await refusal({ branchName: 'main', enabled: true })).toBe('branch.protected');
    expect(await refusal({ branchName: dev, enabled: true })).toBe('branch.protected');
    expect(await refusal({ branchName: 'nothing', enabled: true })).toBe('branch.not_found');
    expect(await refusal({ branchId: 999_999, enabled: true })).toBe('branch.not_found');
    expect(await refusal({ enabled: true })).toBe('request.invalid');
  });

  it('is switched by name and by id, and told to other services', async () => {
    await create('feature');
    const { data } = await set({ branchName: 'feature', enabled: true });
    expect(data).toEqual({ ...(await branch('feature')), isStagingEnvironmentEnabled: true });
    const described = await platform.call(systemPrincipal(admin.tenantId), 'listDeploymentBranches', { body: path });
    expect(described.branches).toMatchObject([
      { kind: 'deploy', parentBranch: null },
      { name: 'feature', kind: 'shared', ownerEmail: null, ownerUserId: null, isStagingEnvironmentEnabled: true },
    ]);
    expect(await set({ branchId: data.id, enabled: false })).toMatchObject({
      data: { isStagingEnvironmentEnabled: false },
    });
  });
});

describe('the list', () => {
  it('is paged in the order of creation, and a foreign cursor is refused', async () => {
    for (const name of ['a', 'b', 'c']) await create(name);
    const first = await platform.call(admin, 'listBranches', { path, query: { first: 3 } });
    expect(first.items.map(({ name }) => name)).toEqual(['main', 'a', 'b']);
    expect(first.data).toEqual(first.items);
    expect(first.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
    const after = first.pageInfo.endCursor;
    const last = await platform.call(admin, 'listBranches', { path, query: { first: 3, after } });
    expect(last.items.map(({ name }) => name)).toEqual(['c']);
    expect(last.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    ({ admin, path } = platform.newDeployment());
    expect((await platform.refusal(admin, 'listBranches', { path, query: { after } })).code).toBe(
      'request.cursor_invalid',
    );
  });
});
