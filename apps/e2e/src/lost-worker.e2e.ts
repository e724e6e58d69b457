import { setTimeout as pause } from 'node:timers/promises';
import { boundMs, until } from '@plinth/testing';
import type { ApiReply } from './harness/api-client';
import { isRunning } from './harness/child-service';
import { startSeparateServices, type SeparateServices } from './harness/separate-services';
import { buildEnd, createDeployment, openDevBranch } from './harness/story';

const CUBES = 100;
/** Cubes enough to keep a build busy for a while. */
const largeModel = Array.from({ length: CUBES }, (_value, index) => ({
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

/** How long a writer thinks between two writes. */
const PAUSE_MS = 50;

let topology: SeparateServices;

beforeAll(async () => {
  topology = await startSeparateServices({ buildWorkers: 2, runtimes: 0, services: [] });
});
afterAll(() => topology?.stop());

/** Starts those of the two workers that should run and do not, and ends those that should not. */
async function workersAre(...names: string[]): Promise<void> {
  for (const name of ['build-worker-1', 'build-worker-2']) {
    const worker = topology.processes.get(name);
    const runs = worker !== undefined && isRunning(worker.pid);
    if (names.includes(name) && !runs) await topology.restart(name);
    if (!names.includes(name) && runs) await worker.stop();
  }
}

const kill = async (name: string): Promise<void> => {
  topology.processes.get(name)?.kill('SIGKILL');
  await topology.processes.get(name)?.ended();
};

describe('build workers that are replaced one after the other', () => {
  const replies: ApiReply[] = [];
  const written: { deploymentId: number; branchName: string; paths: string[] }[] = [];
  const writers: Promise<void>[] = [];
  let replaced = false;

  afterAll(async () => {
    replaced = true;
    await Promise.allSettled(writers);
  });

  /** Writes one file after the other to the deployment until the workers are replaced. */
  async function keepWriting(deploymentId: number, paths: string[]): Promise<void> {
    while (!replaced) {
      const path = `model/file${paths.length}.yml`;
      const body = { files: [{ path, content: 'cubes: []\n' }] };
      const reply = await topology.admin.attempt('updateFiles', { path: { deploymentId }, body });
      replies.push(reply);
      if (reply.status === 200) paths.push(path);
      await pause(PAUSE_MS);
    }
  }

  it('fail no request, and lose none of the writes that go on meanwhile', async () => {
    const { admin } = topology;
    await workersAre('build-worker-1', 'build-worker-2');
    for (let count = 0; count < 3; count++) {
      const { id } = await createDeployment(admin);
      written.push({ deploymentId: id, branchName: await openDevBranch(admin, id), paths: [] });
    }
    for (const { deploymentId, paths } of written) writers.push(keepWriting(deploymentId, paths));
    for (const name of ['build-worker-1', 'build-worker-2']) {
      await topology.restart(name);
      const before = replies.length;
      await until(
        'writes to go on',
        async () => replies.length,
        (count) => count >= before + 8,
      );
    }
    replaced = true;
    await Promise.all(writers);
    expect(replies.filter(({ status }) => status !== 200)).toEqual([]);
    for (const { deploymentId, branchName, paths } of written) {
      const hashes = await admin.call('fileHashes', { path: { deploymentId }, query: { branchName } });
      expect(Object.keys(hashes)).toEqual(expect.arrayContaining(paths));
    }
  });
});

describe('a build worker that is killed', () => {
  it('among two: the deployments that it owned answer again within seconds, and no acknowledged write is lost', async () => {
    const { admin } = topology;
    await workersAre('build-worker-1', 'build-worker-2');
    const deployments = await Promise.all(Array.from({ length: 6 }, () => createDeployment(admin)));
    for (const { id } of deployments) await openDevBranch(admin, id);
    const write = (deploymentId: number, name: string) =>
      admin.attempt('updateFiles', {
        path: { deploymentId },
        body: { files: [{ path: `model/${name}.yml`, content: 'cubes: []\n' }] },
      });
    const before = await Promise.all(deployments.map(({ id }) => write(id, 'before')));
    expect(before.every(({ status }) => status === 200)).toBe(true);
    await kill('build-worker-2');
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

  it('in the middle of a build: another worker ends the build as built', async () => {
    const { admin } = topology;
    await workersAre('build-worker-1');
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
    await kill('build-worker-1');
    const other = await topology.restart('build-worker-2');
    const ended = await buildEnd(admin, deploymentId);
    expect(ended).toMatchObject({ status: 'built', buildJobId: running.buildJobId });
    const takenOver = other.lines.filter((line) => line.includes('took over a task whose holder has fallen silent'));
    expect(takenOver.join('\n')).toContain(`"deploymentId":${deploymentId}`);
    expect(await admin.call('validateDataModel', { path })).toMatchObject({ valid: true, cubesCount: CUBES });
  });
});

describe('a build worker that stands still for longer than its lease', () => {
  it('keeps nobody waiting, and when it goes on starts nothing of what it was sent meanwhile', async () => {
    const { admin } = topology;
    await workersAre('build-worker-2');
    const { id: deploymentId } = await createDeployment(admin);
    const branchName = await openDevBranch(admin, deploymentId);
    const write = (path: string) =>
      admin.attempt('updateFiles', { path: { deploymentId }, body: { files: [{ path, content: 'cubes: []\n' }] } });
    const worker = topology.processes.get('build-worker-2');
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
