import 'reflect-metadata';
import type { Principal } from '@plinth/auth';
import { eventually, put, startFixture, type Fixture } from '../../testing/fixture';
import { grantsOf, userOf, type Deployment } from '../../testing/worker-harness';

let platform: Fixture;
let admin: Principal;
let path: { deploymentId: number };

beforeAll(async () => {
  platform = await startFixture();
});
afterAll(() => platform?.stop());
beforeEach(() => {
  ({ admin, path } = platform.newDeployment());
});

const begin = (more: Partial<Deployment>) => {
  ({ admin, path } = platform.newDeployment(more));
};
const createBranch = (name: string) => platform.call(admin, 'createBranch', { path, body: { name } });
const startOn = async (branchName: string, principal = admin): Promise<string> =>
  (await platform.call(principal, 'startDevMode', { path, body: { branchName } })).branchName ?? '';
const write = (file: string, content: string, principal = admin) =>
  platform.call(principal, 'updateFiles', { path, body: put(file, content) });
const commit = (body: object = {}, principal = admin) => platform.call(principal, 'commitChanges', { path, body });
const merge = (body: object = {}) => platform.call(admin, 'mergeToDefaultBranch', { path, body });
const branches = async () => (await platform.call(admin, 'listBranches', { path })).items;
const heads = async (): Promise<Record<string, string | null | undefined>> =>
  Object.fromEntries((await branches()).map(({ name, lastHash }) => [name, lastHash]));
const git = () => platform.repositoryOf(admin, path.deploymentId);
const files = (branchName: string) => platform.filesOf(admin, path.deploymentId, branchName);
const newestBuild = async (branchName: string) => platform.call(admin, 'buildStatus', { path, query: { branchName } });
/** The build of the data model that a deployment begins with. */
const firstBuild = () =>
  eventually(
    () => newestBuild('main'),
    ({ status }) => status === 'built',
  );

describe('a commit', () => {
  it('is refused from branches that are not dev branches and from those of others', async () => {
    await createBranch('feature');
    const dev = await startOn('feature');
    const other = userOf(admin.tenantId, 2, grantsOf('SchemaUpdateDevBranches'));
    const refusal = async (principal: Principal, branchName: string) =>
      (await platform.refusal(principal, 'commitChanges', { path, body: { branchName } })).code;
    expect(await refusal(admin, 'main')).toBe('branch.not_dev_mode');
    expect(await refusal(admin, 'feature')).toBe('branch.not_dev_mode');
    expect(await refusal(admin, 'nothing')).toBe('branch.not_found');
    expect(await refusal(other, dev)).toBe('branch.not_owner');
  });

  it('to the deploy branch needs more permission, and a deploy branch that is not read-only', async () => {
    const author = userOf(admin.tenantId, 2, grantsOf('SchemaUpdateDevBranches'));
    await startOn('main', author);
    await write('a', 'x', author);
    expect((await platform.refusal(author, 'commitChanges', { path })).code).toBe('access.denied');
    begin({ deployBranchReadOnly: true });
    await startOn('main');
    await write('a', 'x');
    expect((await platform.refusal(admin, 'commitChanges', { path })).code).toBe('branch.protected');
    expect(await files('main')).not.toHaveProperty(['/a']);
  });

  it('that conflicts names the files with their hunks and changes nothing', async () => {
    await createBranch('feature');
    const second = userOf(admin.tenantId, 2);
    await startOn('feature');
    await startOn('feature', second);
    await write('model/a.yml', 'mine\n');
    await write('model/b.yml', 'fine\n');
    await write('model/a.yml', 'theirs\n', second);
    await commit({}, second);
    const before = await heads();
    const refused = await platform.refusal(admin, 'commitChanges', { path, body: { exitDevMode: true } });
    expect(refused).toMatchObject({
      code: 'merge.conflict',
      message: expect.stringContaining('model/a.yml'),
      details: [{ path: 'model/a.yml', message: '<<<<<<< ours\ntheirs\n=======\nmine\n>>>>>>> theirs\n' }],
    });
    expect(await heads()).toEqual(before);
    await write('still', 'open');
  });

  it('that conflicts takes the version of the dev branch when asked to, and merges the rest', async () => {
    await createBranch('feature');
    const second = userOf(admin.tenantId, 2);
    await startOn('feature');
    await startOn('feature', second);
    await write('both', 'mine\n');
    await write('cube.js', '// mine\n');
    await write('both', 'theirs\n', second);
    await platform.call(second, 'removeFiles', { path, body: { paths: ['cube.js'] } });
    await write('only-theirs', 'x', second);
    await commit({}, second);
    await commit({ resolveMergeConflict: true });
    expect(await files('feature')).toMatchObject({ '/both': 'mine\n', '/cube.js': '// mine\n', '/only-theirs': 'x' });
  });

  it('is one commit on the parent with its message and author, and the dev branch follows', async () => {
    await createBranch('feature');
    const dev = await startOn('feature');
    await write('a', '1');
    await write('a', '2');
    await commit({ message: 'Add a' });
    const now = await heads();
    expect(now[dev]).toBe(now['feature']);
    const [newest, ...older] = await (await git()).log('feature', 5);
    expect(newest).toMatchObject({ message: 'Add a', author: { name: admin.userName, email: admin.email } });
    expect(older).toHaveLength(1);
    await write('b', '1');
    await commit();
    expect(await (await git()).log('feature', 5)).toMatchObject([{ message: 'Update the data model' }, {}, {}]);
    expect(await files('main')).not.toHaveProperty(['/a']);
  });

  it('merges what others committed meanwhile', async () => {
    await createBranch('feature');
    const second = userOf(admin.tenantId, 2);
    await startOn('feature');
    await startOn('feature', second);
    await write('mine', '1');
    await write('theirs', '1', second);
    await commit({}, second);
    await commit();
    expect(await files('feature')).toMatchObject({ '/mine': '1', '/theirs': '1' });
    expect(await (await git()).log('feature', 9)).toHaveLength(3);
  });

  it('of nothing moves nothing, and closes dev mode only when asked to', async () => {
    await createBranch('feature');
    await startOn('feature');
    const before = await heads();
    await commit();
    expect(await heads()).toEqual(before);
    await write('a', '1');
    await commit({ exitDevMode: true });
    expect((await platform.refusal(admin, 'updateFiles', { path, body: put('b', '') })).code).toBe(
      'branch.not_dev_mode',
    );
  });

  it('builds an enabled staging branch, and production in git mode', async () => {
    await firstBuild();
    await createBranch('feature');
    await platform.call(admin, 'setBranchStagingEnvironment', { path, body: { branchName: 'feature', enabled: true } });
    for (const branchName of ['feature', 'main']) {
      await startOn(branchName);
      await write('a', branchName);
      await commit();
      const head = (await heads())[branchName];
      const built = await eventually(
        () => newestBuild(branchName),
        ({ status, lastHash }) => status === 'built' && lastHash === head,
      );
      expect(built).toMatchObject({ mode: branchName === 'main' ? 'production' : 'dev_mode', errorText: null });
    }
  });
});

describe('a merge into the deploy branch', () => {
  it('is refused of itself, of a foreign dev branch, and where it is not allowed', async () => {
    expect((await platform.refusal(admin, 'mergeToDefaultBranch', { path })).code).toBe('branch.protected');
    const dev = await startOn('main');
    const other = userOf(admin.tenantId, 2, grantsOf('SchemaUpdate'));
    const request = { path, body: { branchName: dev } };
    expect((await platform.refusal(other, 'mergeToDefaultBranch', request)).code).toBe('branch.not_owner');
    begin({ deployBranchMergeAllowed: false });
    await createBranch('feature');
    const refused = platform.refusal(admin, 'mergeToDefaultBranch', { path, body: { branchName: 'feature' } });
    expect((await refused).code).toBe('branch.protected');
    expect(await branches()).toHaveLength(2);
  });

  it('that conflicts changes nothing and keeps the branch', async () => {
    await createBranch('feature');
    await startOn('feature');
    await write('cube.js', 'feature\n');
    await commit();
    await startOn('main');
    await write('cube.js', 'main\n');
    await commit();
    const before = await heads();
    const refused = await platform.refusal(admin, 'mergeToDefaultBranch', { path, body: { branchName: 'feature' } });
    expect(refused).toMatchObject({ code: 'merge.conflict', details: [{ path: 'cube.js' }] });
    expect(await heads()).toEqual(before);
  });

  it('is a merge commit that takes the branch with it, hands on its children and builds production', async () => {
    await firstBuild();
    await createBranch('feature');
    await platform.call(admin, 'createBranch', { path, body: { name: 'below', from: 'feature' } });
    const dev = await startOn('feature');
    await write('a', '1');
    await commit();
    expect(await merge({ branchName: 'feature', message: 'Ship it' })).toEqual({ merged: true, branchDeleted: true });
    expect(await branches()).toMatchObject([
      { name: 'main', parentBranch: null },
      { name: 'below', parentBranch: 'main' },
      { name: dev, parentBranch: 'main' },
    ]);
    const [newest] = await (await git()).log('main', 1);
    expect(newest).toMatchObject({ message: 'Ship it', parents: [expect.any(String), expect.any(String)] });
    expect(await (await git()).head('feature')).toBeNull();
    const built = ({ status, lastHash }: { status: string; lastHash?: string | null }) =>
      status === 'built' && lastHash === newest?.oid;
    expect(await eventually(() => newestBuild('main'), built)).toMatchObject({ mode: 'production' });
  });

  it('without a name takes the branch of dev mode with its uncommitted edits, and ends dev mode', async () => {
    await startOn('main');
    await write('a', '1');
    await merge();
    expect(await files('main')).toHaveProperty(['/a'], '1');
    expect(await branches()).toHaveLength(1);
    expect((await platform.refusal(admin, 'updateFiles', { path, body: put('b', '') })).code).toBe(
      'branch.not_dev_mode',
    );
  });

  it('keeps the branch when told to, and answers truthfully when there is nothing to merge', async () => {
    await createBranch('feature');
    const before = await heads();
    const request = { branchName: 'feature', removeBranchAfterMerge: false };
    expect(await merge(request)).toEqual({ merged: true, branchDeleted: false });
    expect(await heads()).toEqual(before);
    expect(await merge({ branchName: 'feature' })).toEqual({ merged: true, branchDeleted: true });
    expect((await heads())['main']).toBe(before['main']);
  });

  it('has one effect under an idempotency key, although the branch is gone afterwards', async () => {
    await createBranch('feature');
    await startOn('feature');
    await write('a', '1');
    await commit();
    const request = { path, body: { branchName: 'feature' }, idempotencyKey: 'k-1' };
    const reply = await platform.call(admin, 'mergeToDefaultBranch', request);
    const after = await heads();
    expect(await platform.call(admin, 'mergeToDefaultBranch', request)).toEqual(reply);
    expect(await heads()).toEqual(after);
  });

  it('goes by settings that have just been changed, before anybody has told the worker', async () => {
    await startOn('main');
    await write('a', '1');
    platform.redescribe(path.deploymentId, { deployBranchMergeAllowed: false });
    expect(await platform.refusal(admin, 'mergeToDefaultBranch', { path, body: {} })).toMatchObject({
      code: 'branch.protected',
    });
  });

  it('builds nothing in cli mode', async () => {
    begin({ deployMode: 'cli' });
    const { buildJobId } = await firstBuild();
    await startOn('main');
    await write('a', '1');
    await merge();
    const text = 'select id from build where deployment_id = $1';
    const builds = await platform.database.readAsSystem<{ id: number }>({ name: 'builds', text }, [path.deploymentId]);
    expect(builds).toEqual([{ id: buildJobId }]);
  });
});
