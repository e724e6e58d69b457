import 'reflect-metadata';
import { systemPrincipal, type Principal } from '@plinth/auth';
import { eventually, put, startFixture, type Fixture } from '../testing/fixture';

describe('files of skills', () => {
  let platform: Fixture;
  let admin: Principal;
  let path: { deploymentId: number };
  let branchName: string;

  beforeAll(async () => {
    platform = await startFixture();
  });
  afterAll(() => platform?.stop());
  beforeEach(async () => {
    ({ admin, path } = platform.newDeployment());
    const opened = await platform.call(admin, 'startDevMode', { path, body: { branchName: 'main' } });
    branchName = opened.branchName ?? '';
  });

  const system = () => systemPrincipal(admin.tenantId);
  const read = async (branch: string | null = branchName) =>
    (await platform.call(system(), 'readAgentSkills', { body: { ...path, branchName: branch } })).files;
  const write = (name: string, content: string) =>
    platform.call(admin, 'updateFiles', { path, body: { branchName, ...put(name, content) } });

  it("are nothing of another tenant's, of a branch that is not there, nor for users", async () => {
    const stranger = systemPrincipal(platform.newDeployment().admin.tenantId);
    const body = { ...path, branchName: null };
    expect((await platform.refusal(stranger, 'readAgentSkills', { body })).code).toBe('deployment.not_found');
    expect((await platform.refusal(admin, 'readAgentSkills', { body })).code).toBe('access.denied');
    const nowhere = { body: { ...path, branchName: 'nowhere' } };
    expect((await platform.refusal(system(), 'readAgentSkills', nowhere)).code).toBe('branch.not_found');
  });

  it('are bounded: what is too large is named and not read', async () => {
    await write('agents/skills/large.md', 'x'.repeat((32 << 10) + 1));
    await write('agents/skills/small.md', 'x');
    expect(await read()).toEqual([
      { name: 'large', content: null, problem: 'too_large' },
      { name: 'small', content: 'x', problem: null },
    ]);
  });

  it('are those of the folder alone, by their names', async () => {
    expect(await read()).toEqual([]);
    for (const name of [
      'agents/skills/b.md',
      'agents/skills/a.md',
      'agents/skills/notes.txt',
      'agents/skills/deep/c.md',
    ])
      await write(name, name);
    await write('agents/d.md', 'x');
    expect((await read()).map(({ name }) => name)).toEqual(['a', 'b']);
    expect(await read(null)).toEqual([]);
  });

  it('are what production serves: those of the newest build that succeeded', async () => {
    await write('agents/skills/a.md', 'Good');
    await platform.call(admin, 'commitChanges', { path, body: { branchName, message: 'Teach' } });
    await eventually(
      () => read(null),
      (files) => files[0]?.content === 'Good',
    );
    const next = (await platform.call(admin, 'startDevMode', { path, body: { branchName: 'main' } })).branchName ?? '';
    const broken = { branchName: next, files: [{ path: 'model/a.yml', content: 'cubes:\n  - name: a\n   sql: b\n' }] };
    await platform.call(admin, 'updateFiles', { path, body: broken });
    const worse = { branchName: next, ...put('agents/skills/a.md', 'Worse') };
    await platform.call(admin, 'updateFiles', { path, body: worse });
    await platform.call(admin, 'commitChanges', { path, body: { branchName: next, message: 'Break it' } });
    await eventually(
      () => platform.call(admin, 'buildStatus', { path }),
      ({ status }) => status === 'failed',
    );
    expect(await read('main')).toEqual([{ name: 'a', content: 'Good', problem: null }]);
  });
});
