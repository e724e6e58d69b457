import 'reflect-metadata';
import { systemPrincipal, type Principal } from '@plinth/auth';
import { COMPILER_VERSION } from '@plinth/engine';
import { cube, eventually, put, startFixture, type Fixture } from '../testing/fixture';

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

const system = () => systemPrincipal(admin.tenantId);
const served = (branchName = 'main') =>
  platform.call(system(), 'describeServedModel', { body: { ...path, branchName } });
const built = () => eventually(served, ({ commitHash }) => commitHash !== null);
const devBranch = async (): Promise<string> =>
  (await platform.call(admin, 'startDevMode', { path, body: { branchName: 'main' } })).branchName ?? '';
const write = (branchName: string, name: string, content: string) =>
  platform.call(admin, 'updateFiles', { path, body: { branchName, ...put(name, content) } });

/** What became of the files of what a branch serves, for an engine whose compiler has the version. */
async function transpiledOf(branchName: string, compilerVersion: string | undefined): Promise<unknown[]> {
  const { commitHash } = await served(branchName);
  const asked = { commitHash, projectRoot: '', branchName, ...(compilerVersion && { compilerVersion }) };
  const lines = await platform.lines(system(), 'readServedModel', { path, body: asked });
  return lines.filter((line) => 'transpiled' in (line as object));
}

describe('what a branch serves', () => {
  it("is nothing of another tenant's, nor for users", async () => {
    const stranger = systemPrincipal(platform.newDeployment().admin.tenantId);
    const body = { ...path, branchName: 'main' };
    expect((await platform.refusal(stranger, 'describeServedModel', { body })).code).toBe('deployment.not_found');
    expect((await platform.refusal(admin, 'describeServedModel', { body })).code).toBe('access.denied');
    const { commitHash } = await built();
    const read = { path, body: { commitHash, projectRoot: '' } };
    expect((await platform.refusal(stranger, 'readServedModel', read)).code).toBe('deployment.not_found');
  });

  it('is nothing for a branch that is not there, and for a shared one without an environment', async () => {
    await platform.call(admin, 'createBranch', { path, body: { name: 'feature' } });
    expect(await served('nowhere')).toMatchObject({ environmentId: null, commitHash: null, reason: 'unknown_branch' });
    expect(await served('feature')).toMatchObject({ commitHash: null, reason: 'not_active' });
  });

  it('is the newest build that succeeded: a broken one changes nothing', async () => {
    const first = await built();
    expect(first).toMatchObject({ environmentId: expect.any(Number), projectRoot: '', reason: null });
    const branchName = await devBranch();
    await write(branchName, 'model/a.yml', 'cubes:\n  - name: a\n   sql_table: b\n');
    await platform.call(admin, 'commitChanges', { path, body: { branchName, message: 'Break it' } });
    await eventually(
      () => platform.call(admin, 'buildStatus', { path }),
      ({ status }) => status === 'failed',
    );
    expect(await served()).toEqual(first);
    await write(branchName, 'model/a.yml', cube('a'));
    await platform.call(admin, 'commitChanges', { path, body: { branchName, message: 'Mend it' } });
    const mended = await eventually(served, ({ commitHash }) => commitHash !== first.commitHash);
    expect(mended.environmentId).toBe(first.environmentId);
  });

  it('is the head of a dev branch, at once and built or not', async () => {
    const branchName = await devBranch();
    const before = await served(branchName);
    await write(branchName, 'model/a.yml', 'not: [yaml');
    const after = await served(branchName);
    expect(after.reason).toBeNull();
    expect(after.treeHash).not.toBe(before.treeHash);
  });

  it('is read with the configuration of the project, and without what is no model', async () => {
    const branchName = await devBranch();
    await write(branchName, 'model/cubes/a.yml', cube('a'));
    await write(branchName, 'notes.yml', 'private: true');
    const { commitHash } = await served(branchName);
    const body = { commitHash, projectRoot: '' };
    const lines = await platform.lines(system(), 'readServedModel', { path, body });
    expect(lines[0]).toMatchObject({ root: 'model/', configuration: expect.stringContaining('module.exports') });
    expect(lines.slice(1)).toEqual([{ path: 'cubes/a.yml', content: cube('a') }]);
  });

  it('is read with what the build made of it, by engines with the same compiler and for branches of the same trust', async () => {
    const first = await built();
    const branchName = await devBranch();
    await write(branchName, 'model/cubes/a.yml', cube('a'));
    expect(await transpiledOf(branchName, COMPILER_VERSION)).toEqual([]);
    await platform.call(admin, 'validateDataModel', { path, query: { devMode: true } });
    const line = { transpiled: [expect.stringMatching(/^[0-9a-f]{32}$/), expect.stringContaining('cube("a"')] };
    expect(await transpiledOf(branchName, COMPILER_VERSION)).toContainEqual(line);
    await platform.call(admin, 'commitChanges', { path, body: { branchName, message: 'Add it' } });
    await eventually(served, ({ commitHash }) => commitHash !== first.commitHash);
    expect(await transpiledOf('main', COMPILER_VERSION)).toContainEqual(line);
    for (const version of ['0.0.0', undefined]) expect(await transpiledOf('main', version)).toEqual([]);
    // The same files, which code of the other branches has not compiled.
    const other = { ...admin, credentialId: 'api-key:other', userId: 999 };
    const { branchName: fresh } = await platform.call(other, 'startDevMode', { path, body: { branchName: 'main' } });
    expect(fresh).not.toBe(branchName);
    expect(await transpiledOf(fresh ?? '', COMPILER_VERSION)).toEqual([]);
  });
});
