import 'reflect-metadata';
import type { Principal } from '@plinth/auth';
import { put, startFixture, type Fixture } from '../../testing/fixture';
import { grantsOf, userOf } from '../../testing/worker-harness';

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

const start = (branchName?: string, principal = admin) =>
  platform.call(principal, 'startDevMode', { path, body: branchName === undefined ? undefined : { branchName } });
const stop = (principal = admin) => platform.call(principal, 'stopDevMode', { path });
const write = (principal = admin, more: object = {}) =>
  platform.call(principal, 'updateFiles', { path, body: { ...put('model/a.yml', 'cubes: []\n'), ...more } });

describe('dev mode', () => {
  it('is refused on an unknown branch and on the dev branch of somebody else', async () => {
    const { branchName } = await start();
    const other = userOf(admin.tenantId, 2, grantsOf('SchemaUpdateDevBranches'));
    const on = async (name: unknown) =>
      (await platform.refusal(other, 'startDevMode', { path, body: { branchName: name } })).code;
    expect(await on('nothing')).toBe('branch.not_found');
    expect(await on(branchName)).toBe('branch.not_owner');
  });

  it('forks a personal branch from the deploy branch, with and without a body', async () => {
    const state = await start();
    expect(state).toEqual({ active: true, branchName: expect.stringMatching(/^dev-user-\d+-/), parentBranch: 'main' });
    expect(await start('')).toEqual(state);
  });

  it('stays on the same fork for the same branch, and takes a new one for another branch', async () => {
    await platform.call(admin, 'createBranch', { path, body: { name: 'feature' } });
    const first = await start('feature');
    expect(await start('feature')).toEqual(first);
    const second = await start('main');
    expect(second.branchName).not.toBe(first.branchName);
    await write();
    expect(await platform.filesOf(admin, path.deploymentId, second.branchName ?? '')).toHaveProperty(['/model/a.yml']);
    expect(await platform.filesOf(admin, path.deploymentId, first.branchName ?? '')).not.toHaveProperty([
      '/model/a.yml',
    ]);
  });

  it('belongs to the credential: another key of the same user has its own, and may write to the first', async () => {
    const { branchName } = await start();
    const secondKey = { ...admin, credentialId: 'api-key:second', isAdmin: false, ...grantsOf('All') };
    expect((await platform.refusal(secondKey, 'updateFiles', { path, body: put('a', '') })).code).toBe(
      'branch.not_dev_mode',
    );
    await write(secondKey, { branchName });
    expect((await start(undefined, secondKey)).branchName).not.toBe(branchName);
  });

  it('ends without a session too, keeps the branch, and is entered again by the name of that branch', async () => {
    expect(await stop()).toEqual({ success: true });
    const { branchName } = await start();
    await write();
    await stop();
    expect((await platform.refusal(admin, 'updateFiles', { path, body: put('b', '') })).code).toBe(
      'branch.not_dev_mode',
    );
    expect((await start(branchName ?? '')).branchName).toBe(branchName);
    await write();
    expect((await platform.call(admin, 'listBranches', { path })).items).toHaveLength(2);
  });

  it('has one effect under an idempotency key', async () => {
    const request = { path, idempotencyKey: 'k-1' };
    const first = await platform.call(admin, 'startDevMode', request);
    await stop();
    expect(await platform.call(admin, 'startDevMode', request)).toEqual(first);
    expect((await platform.call(admin, 'listBranches', { path })).items).toHaveLength(2);
  });
});
