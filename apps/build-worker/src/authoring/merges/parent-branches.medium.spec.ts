import 'reflect-metadata';
import type { Principal } from '@plinth/auth';
import type { BodyOf } from '@plinth/contract';
import { put, startFixture, type Fixture } from '../../testing/fixture';
import { grantsOf, userOf } from '../../testing/worker-harness';

let platform: Fixture;
let admin: Principal;
let second: Principal;
let path: { deploymentId: number };

beforeAll(async () => {
  platform = await startFixture();
});
afterAll(() => platform?.stop());
beforeEach(async () => {
  ({ admin, path } = platform.newDeployment());
  second = userOf(admin.tenantId, 2);
  await platform.call(admin, 'createBranch', { path, body: { name: 'feature' } });
});

const startOn = async (branchName: string, principal = admin): Promise<string> =>
  (await platform.call(principal, 'startDevMode', { path, body: { branchName } })).branchName ?? '';
const write = (file: string, content: string, principal = admin) =>
  platform.call(principal, 'updateFiles', { path, body: put(file, content) });
const commit = (principal = admin) => platform.call(principal, 'commitChanges', { path });
const merge = (body?: BodyOf<'mergeIntoParentBranch'>) => platform.call(admin, 'mergeIntoParentBranch', { path, body });
const pull = (body?: BodyOf<'pull'>, principal = admin) => platform.call(principal, 'pull', { path, body });
const heads = async (): Promise<Record<string, string | null | undefined>> => {
  const { items } = await platform.call(admin, 'listBranches', { path });
  return Object.fromEntries(items.map(({ name, lastHash }) => [name, lastHash]));
};
const log = async (branch: string) => (await platform.repositoryOf(admin, path.deploymentId)).log(branch, 9);
const files = (branchName: string) => platform.filesOf(admin, path.deploymentId, branchName);
const code = async (principal: Principal, operationId: 'pull' | 'mergeIntoParentBranch', body?: object) =>
  (await platform.refusal(principal, operationId, { path, body })).code;
/** The branch that a request without one is about. */
const current = async () =>
  (await platform.call(admin, 'validateDataModel', { path, query: { devMode: true } })).branchName;

describe('a merge into the parent', () => {
  it('is refused of the deploy branch, of strange dev branches, and into a deploy branch that one may not change', async () => {
    const author = userOf(admin.tenantId, 3, grantsOf('SchemaUpdateDevBranches'));
    const dev = await startOn('feature');
    expect(await code(admin, 'mergeIntoParentBranch', { branchName: 'main' })).toBe('branch.protected');
    expect(await code(author, 'mergeIntoParentBranch', { branchName: 'nothing' })).toBe('branch.not_found');
    expect(await code(author, 'mergeIntoParentBranch', { branchName: dev })).toBe('branch.not_owner');
    expect(await code(author, 'mergeIntoParentBranch', { branchName: 'feature' })).toBe('access.denied');
  });

  it('that conflicts names the files with their hunks, keeps the branch and moves nothing', async () => {
    await startOn('feature');
    await startOn('feature', second);
    await write('a', 'mine\n');
    await write('a', 'theirs\n', second);
    await commit(second);
    const before = await heads();
    const refused = await platform.refusal(admin, 'mergeIntoParentBranch', { path, body: { deleteBranch: true } });
    expect(refused).toMatchObject({
      code: 'merge.conflict',
      details: [{ path: 'a', message: '<<<<<<< ours\ntheirs\n=======\nmine\n>>>>>>> theirs\n' }],
    });
    expect(await heads()).toEqual(before);
  });

  it('keeps the history of the branch and the branch itself', async () => {
    const dev = await startOn('feature');
    await write('a', '1');
    await write('a', '2');
    expect(await merge({ message: 'Take a' })).toEqual({ merged: true, branchDeleted: false });
    const [newest, ...older] = await log('feature');
    expect(newest).toMatchObject({ message: 'Take a', author: { name: admin.userName, email: admin.email } });
    expect(newest?.parents).toHaveLength(2);
    expect(older.filter(({ message }) => message === 'Write a')).toHaveLength(2);
    expect(await heads()).toHaveProperty([dev]);
    expect(await files('main')).not.toHaveProperty(['/a']);
  });

  it('with squashing is one commit on the parent', async () => {
    await startOn('feature');
    await write('a', '1');
    await write('a', '2');
    await merge({ squashCommits: true, message: 'Take a' });
    const [newest, ...older] = await log('feature');
    expect(newest).toMatchObject({ message: 'Take a', parents: [older[0]?.oid] });
    expect(older).toHaveLength(1);
    const before = await heads();
    expect(await merge({ squashCommits: true })).toEqual({ merged: true, branchDeleted: false });
    expect(await heads()).toEqual(before);
  });

  it('takes the branch with it when told to, and its caller to the parent', async () => {
    const dev = await startOn('feature');
    await write('a', '1');
    const request = { squashCommits: true, switchToParentBranch: true, deleteBranch: true };
    expect(await merge(request)).toEqual({ merged: true, branchDeleted: true });
    expect(await heads()).not.toHaveProperty([dev]);
    expect(await current()).toBe('feature');
    expect((await platform.refusal(admin, 'updateFiles', { path, body: put('b', '') })).code).toBe(
      'branch.not_dev_mode',
    );
    await startOn('main');
    await write('c', '1');
    await merge({ switchToParentBranch: true });
    expect((await platform.refusal(admin, 'validateDataModel', { path, query: { devMode: true } })).code).toBe(
      'request.invalid',
    );
  });
});

describe('a pull', () => {
  it('is refused of strange dev branches and of unknown branches', async () => {
    const dev = await startOn('feature');
    const author = userOf(admin.tenantId, 3, grantsOf('SchemaUpdateDevBranches'));
    expect(await code(author, 'pull', { branchName: dev })).toBe('branch.not_owner');
    expect(await code(author, 'pull', { branchName: 'nothing' })).toBe('branch.not_found');
    expect(await code(userOf(admin.tenantId, 4, grantsOf('SchemaRead')), 'pull')).toBe('access.denied');
  });

  it('that conflicts names the files with their hunks and changes nothing', async () => {
    await startOn('feature');
    await startOn('feature', second);
    await write('a', 'mine\n');
    await write('a', 'theirs\n', second);
    await commit(second);
    const before = await heads();
    expect(await platform.refusal(admin, 'pull', { path })).toMatchObject({
      code: 'merge.conflict',
      details: [{ path: 'a', message: '<<<<<<< ours\nmine\n=======\ntheirs\n>>>>>>> theirs\n' }],
    });
    expect(await heads()).toEqual(before);
  });

  it('brings what the parent gained beside the own edits', async () => {
    const dev = await startOn('feature');
    await startOn('feature', second);
    await write('mine', '1');
    await write('theirs', '1', second);
    await commit(second);
    expect(await pull()).toEqual({ buildTriggered: false });
    expect(await files(dev)).toMatchObject({ '/mine': '1', '/theirs': '1' });
    expect((await log(dev))[0]).toMatchObject({ message: 'Merge branch feature', author: { name: admin.userName } });
    const before = await heads();
    await pull({ branchName: dev });
    expect(await heads()).toEqual(before);
  });

  it('moves a branch without edits to its parent, and a shared branch not at all', async () => {
    const dev = await startOn('feature');
    await startOn('feature', second);
    await write('theirs', '1', second);
    await commit(second);
    await pull({ branchName: 'feature' });
    await pull();
    const now = await heads();
    expect(now[dev]).toBe(now['feature']);
    expect(now['feature']).not.toBe(now['main']);
  });
});
