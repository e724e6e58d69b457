import { boundMs, until } from '@plinth/testing';
import { startSeparateServices, type SeparateServices } from './harness/separate-services';
import { buildEnd, createDeployment, openDevBranch } from './harness/story';

/** Cubes enough to keep a build busy for seconds. */
const largeModel = Array.from({ length: 400 }, (_value, index) => ({
  path: `model/cubes/cube${index}.yml`,
  content: `cubes:
  - name: cube${index}
    sql_table: public.table${index}
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
    measures:
      - { name: count, type: count }
`,
}));

let topology: SeparateServices;

beforeAll(async () => {
  topology = await startSeparateServices({ buildWorkers: 1, runtimes: 0, services: [] });
});
afterAll(() => topology?.stop());

describe('a build worker that is killed', () => {
  it('in the middle of a build: another worker ends the build as built', async () => {
    const { admin } = topology;
    const { id: deploymentId } = await createDeployment(admin);
    const path = { deploymentId };
    await openDevBranch(admin, deploymentId);
    await admin.call('updateFiles', { path, body: { files: largeModel } });
    await admin.call('commitChanges', { path, body: { message: 'Add a large model' } });
    await admin.call('mergeToDefaultBranch', { path, body: { branchName: 'feature' } });
    const running = await until(
      'the build to run',
      () => admin.call('buildStatus', { path }),
      ({ status }) => status === 'building',
    );
    topology.processes.get('build-worker-1')?.kill('SIGKILL');
    await topology.processes.get('build-worker-1')?.ended();
    await topology.restart('build-worker-2');
    const ended = await buildEnd(admin, deploymentId);
    expect(ended).toMatchObject({ status: 'built', buildJobId: running.buildJobId });
    expect(await admin.call('validateDataModel', { path })).toMatchObject({ valid: true, cubesCount: 400 });
  });

  it('among two: the deployments that it owned answer again within seconds, and no acknowledged write is lost', async () => {
    const { admin } = topology;
    await topology.restart('build-worker-1');
    const deployments = await Promise.all(Array.from({ length: 6 }, () => createDeployment(admin)));
    for (const { id } of deployments) await openDevBranch(admin, id);
    const write = (deploymentId: number, name: string) =>
      admin.attempt('updateFiles', {
        path: { deploymentId },
        body: { files: [{ path: `model/${name}.yml`, content: 'cubes: []\n' }] },
      });
    const before = await Promise.all(deployments.map(({ id }) => write(id, 'before')));
    expect(before.every(({ status }) => status === 200)).toBe(true);
    topology.processes.get('build-worker-2')?.kill('SIGKILL');
    for (const { id } of deployments) {
      await until(
        `deployment ${id} to take writes again`,
        () => write(id, 'after'),
        ({ status }) => status === 200,
      );
      const branch = (await admin.call('listBranches', { path: { deploymentId: id } })).items.find(({ name }) =>
        name.startsWith('dev-'),
      );
      const hashes = await admin.call('fileHashes', {
        path: { deploymentId: id },
        query: { branchName: branch?.name ?? '' },
      });
      expect(Object.keys(hashes)).toEqual(expect.arrayContaining(['model/before.yml', 'model/after.yml']));
    }
  });
});

describe('a build worker that stands still for longer than its lease', () => {
  it('keeps nobody waiting, and when it goes on starts nothing of what it was sent meanwhile', async () => {
    const { admin } = topology;
    const { id: deploymentId } = await createDeployment(admin);
    const branchName = await openDevBranch(admin, deploymentId);
    const write = (path: string) =>
      admin.attempt('updateFiles', { path: { deploymentId }, body: { files: [{ path, content: 'cubes: []\n' }] } });
    const worker = topology.processes.get('build-worker-1');
    worker?.kill('SIGSTOP');
    const startedAt = performance.now();
    const unanswered = await write('model/late.yml');
    expect(unanswered).toMatchObject({ status: 504, body: { code: 'service.deadline_exceeded' } });
    expect(performance.now() - startedAt).toBeLessThan(boundMs(10_000));
    worker?.kill('SIGCONT');
    await until(
      'the worker to serve again',
      () => write('model/after.yml'),
      ({ status }) => status === 200,
    );
    const hashes = await admin.call('fileHashes', { path: { deploymentId }, query: { branchName } });
    expect(Object.keys(hashes)).toContain('model/after.yml');
    expect(Object.keys(hashes)).not.toContain('model/late.yml');
  });
});
