import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { systemPrincipal, type Principal } from '@plinth/auth';
import { RepositoryNotFoundError } from '@plinth/git';
import { eventually, put, startFixture, type Fixture } from '../testing/fixture';

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

const eventOf = (type: string) => ({
  eventId: randomUUID(),
  type,
  occurredAt: new Date().toISOString(),
  payload: path,
});
const deliver = (...events: object[]) =>
  platform.call(systemPrincipal(admin.tenantId), 'deliverEventsToBuildWorker', {
    body: { tenantId: admin.tenantId, events },
  });
const count = async (table: 'repository' | 'branch' | 'build'): Promise<number> => {
  const statement = { name: `count-${table}`, text: `select count(*) from ${table} where deployment_id = $1` };
  const [row] = await platform.database.readAsSystem<{ count: number }>(statement, [path.deploymentId]);
  return row?.count ?? 0;
};
const branches = async () => (await platform.call(admin, 'listBranches', { path })).items;

describe('events of deployments', () => {
  it('of a deployment that is gone already are taken without effect', async () => {
    platform.redescribe(path.deploymentId, null);
    await deliver(eventOf('deployment.created'));
    await deliver(eventOf('deployment.updated'));
    expect(await count('repository')).toBe(0);
  });

  it('of a kind that this build does not know are refused, so that they wait for one that does', async () => {
    await expect(deliver(eventOf('deployment.renamed'))).rejects.toMatchObject({ code: 'service.unavailable' });
    expect(await count('repository')).toBe(0);
  });

  it('make one data model and one build, however often they are delivered', async () => {
    const event = eventOf('deployment.created');
    await Promise.all([deliver(event), deliver(event, event), branches()]);
    await deliver(event);
    expect([await count('repository'), await count('branch'), await count('build')]).toEqual([1, 1, 1]);
  });

  it('bring the settings up to date', async () => {
    await branches();
    platform.redescribe(path.deploymentId, { deployBranchReadOnly: true });
    await deliver(eventOf('deployment.updated'));
    await platform.call(admin, 'startDevMode', { path });
    await platform.call(admin, 'updateFiles', { path, body: put('a', '') });
    expect((await platform.refusal(admin, 'commitChanges', { path })).code).toBe('branch.protected');
  });

  it('make another branch the deploy branch, new or not, and build it', async () => {
    const [main] = await branches();
    await platform.call(admin, 'createBranch', { path, body: { name: 'feature' } });
    for (const deployBranchName of ['trunk', 'feature']) {
      platform.redescribe(path.deploymentId, { deployBranchName });
      await deliver(eventOf('deployment.updated'));
      const now = await branches();
      expect(now.filter(({ parentBranch }) => parentBranch === null)).toMatchObject([
        { name: deployBranchName, lastHash: main?.lastHash },
      ]);
      await eventually(
        () => platform.call(admin, 'buildStatus', { path }),
        ({ branchName, status }) => branchName === deployBranchName && status === 'built',
      );
    }
    expect(await branches()).toMatchObject([
      { name: 'main', parentBranch: 'trunk' },
      { name: 'feature', parentBranch: null },
      { name: 'trunk', parentBranch: 'feature' },
    ]);
  });

  it('of a deletion remove the rows and the files, also when a crash left the files', async () => {
    await branches();
    platform.redescribe(path.deploymentId, null);
    const event = eventOf('deployment.deleted');
    await platform.database.applyOnce({ ...event, tenantId: admin.tenantId }, async () => undefined);
    await deliver(event);
    await expect(platform.repositoryOf(admin, path.deploymentId)).rejects.toThrow(RepositoryNotFoundError);
    await deliver(eventOf('deployment.deleted'));
    expect([await count('repository'), await count('branch'), await count('build')]).toEqual([0, 0, 0]);
    expect((await platform.refusal(admin, 'listBranches', { path })).code).toBe('deployment.not_found');
  });
});
