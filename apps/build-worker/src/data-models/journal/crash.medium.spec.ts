import 'reflect-metadata';
import { join } from 'node:path';
import type { Principal } from '@plinth/auth';
import type { OperationId, ReplyOf } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import { runChild } from '@plinth/testing';
import { eventually, put, startFixture, type Fixture } from '../../testing/fixture';
import type { CrashOrder } from '../../testing/crash-child';
import { deploymentOf, type Request } from '../../testing/worker-harness';

const childScript = join(__dirname, '../../testing/crash-child.ts');

let platform: Fixture;
let admin: Principal;
let path: { deploymentId: number };
let dev: string;

beforeAll(async () => {
  platform = await startFixture();
});
afterAll(() => platform?.stop());
beforeEach(async () => {
  ({ admin, path } = platform.newDeployment());
  const body = { name: 'feature', activate: true };
  dev = (await platform.call(admin, 'createBranch', { path, body })).branchName ?? '';
  await platform.call(admin, 'updateFiles', { path, body: put('a', '1') });
});

/** Makes the call in a process of its own, which dies at the failpoint. */
async function crash(operationId: OperationId, request: Request, failpoint: string): Promise<void> {
  const deployment = deploymentOf(admin.tenantId, path.deploymentId);
  const { premises } = platform;
  const order: CrashOrder = { premises, deployment, principal: admin, operationId, request, failpoint };
  expect((await runChild(childScript, order)).killed).toBe(true);
}

/** As clients do: PostgreSQL may need a moment to see that the killed process, and with it its lock, is gone. */
async function retry<Id extends OperationId>(operationId: Id, request: Request): Promise<ReplyOf<Id>> {
  const attempt = () =>
    platform.call(admin, operationId, request).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'idempotency.in_progress') return undefined;
      throw error;
    });
  return (await eventually(attempt, (reply) => reply !== undefined)) as ReplyOf<Id>;
}

const branches = async () => (await platform.call(admin, 'listBranches', { path })).items;
const names = async () => (await branches()).map(({ name }) => name);
const log = async (branch: string) => (await platform.repositoryOf(admin, path.deploymentId)).log(branch, 50);
interface Intent {
  refs: { name: string; oldId: string; newId: string }[];
}
const intents = () =>
  platform.database.readAsSystem<Intent>(
    { name: 'intents', text: 'select refs from intent where deployment_id = $1' },
    [path.deploymentId],
  );
async function moveParentAlone({ refs }: Intent): Promise<void> {
  const { name: ref, oldId: oldOid, newId: newOid } = refs.find(({ name }) => name === 'refs/heads/feature')!;
  await (await platform.repositoryOf(admin, path.deploymentId)).updateRefs([{ ref, oldOid, newOid }]);
}
const journalSteps = ['journal.after-intent', 'journal.after-refs', 'journal.before-commit', 'journal.after-commit'];

describe('after kill -9 and a retry with the same key', () => {
  // The merge below dies at each step of the same journal.
  it.each(['journal.after-refs', 'journal.after-commit'])('a file write happens once: %s', async (failpoint) => {
    const request = { path, body: put('b', '2'), idempotencyKey: 'k' };
    await crash('updateFiles', request, failpoint);
    expect(await retry('updateFiles', request)).toEqual({ success: true });
    expect(await platform.call(admin, 'updateFiles', request)).toEqual({ success: true });
    expect(await log(dev)).toHaveLength(3);
    expect(await intents()).toEqual([]);
  });

  it.each<[string, (intent: Intent) => Promise<void>]>([
    ['journal.after-intent', (intent) => moveParentAlone(intent)],
    ['journal.before-commit', () => Promise.resolve()],
  ])(
    'a commit happens once and ends dev mode, also when one reference alone had moved: %s',
    async (failpoint, move) => {
      const request = { path, body: { message: 'Once', exitDevMode: true }, idempotencyKey: 'k' };
      await crash('commitChanges', request, failpoint);
      const [intent] = await intents();
      await move(intent as Intent);
      expect(await retry('commitChanges', request)).toEqual({ success: true });
      expect(await platform.call(admin, 'commitChanges', request)).toEqual({ success: true });
      expect((await log('feature')).map(({ message }) => message)).toEqual(['Once', 'Start the data model']);
      expect((await log(dev))[0]?.message).toBe('Once');
      const write = platform.refusal(admin, 'updateFiles', { path, body: put('b', '') });
      expect((await write).code).toBe('branch.not_dev_mode');
      expect(await intents()).toEqual([]);
    },
  );

  it.each(journalSteps)('a merge happens once and takes the branch with it: %s', async (failpoint) => {
    const request = { path, body: { branchName: dev, message: 'Once' }, idempotencyKey: 'k' };
    await crash('mergeToDefaultBranch', request, failpoint);
    if (failpoint === 'journal.after-refs') await expectNotRestored();
    const reply = await retry('mergeToDefaultBranch', request);
    expect(reply).toEqual({ merged: true, branchDeleted: true });
    expect(await platform.call(admin, 'mergeToDefaultBranch', request)).toEqual(reply);
    expect((await log('main')).filter(({ message }) => message === 'Once')).toHaveLength(1);
    expect(await names()).toEqual(['main', 'feature']);
    expect(await platform.filesOf(admin, path.deploymentId, 'main')).toHaveProperty(['/a'], '1');
  });

  /** A branch between its merge and its removal is not restored by others. */
  async function expectNotRestored(): Promise<void> {
    const write = platform.refusal(admin, 'updateFiles', { path, body: put('b', '2') });
    expect((await write).code).toBe('service.collision');
  }

  // The steps in between leave what the first of these does: references, and nothing in the database.
  it.each(['mutate.after-work', 'mutate.after-commit'])('a branch is created once: %s', async (failpoint) => {
    const request = { path, body: { name: 'other', enterDevMode: true }, idempotencyKey: 'k' };
    await crash('createBranch', request, failpoint);
    const reply = await retry('createBranch', request);
    expect(await platform.call(admin, 'createBranch', request)).toEqual(reply);
    expect(await names()).toEqual(['main', 'feature', dev, 'other', reply.branchName]);
  });

  it('a branch is removed once, and its name is free', async () => {
    const request = { path, query: { branchName: dev }, idempotencyKey: 'k' };
    await crash('removeBranch', request, 'mutate.after-commit');
    expect(await retry('removeBranch', request)).toEqual({ success: true });
    expect(await names()).toEqual(['main', 'feature']);
  });
});
