import { until } from '@plinth/testing';
import type { ApiReply } from './harness/api-client';
import { startSeparateServices, type SeparateServices } from './harness/separate-services';
import { createDeployment, openDevBranch } from './harness/story';

describe('build workers that are replaced one after the other', () => {
  let topology: SeparateServices;
  const replies: ApiReply[] = [];
  const written: { deploymentId: number; branchName: string; paths: string[] }[] = [];
  const writers: Promise<void>[] = [];
  let replaced = false;

  beforeAll(async () => {
    topology = await startSeparateServices({ buildWorkers: 2, runtimes: 0, services: [] });
  });
  afterAll(async () => {
    replaced = true;
    await Promise.allSettled(writers);
    await topology?.stop();
  });

  /** Writes one file after the other to the deployment until the workers are replaced. */
  async function keepWriting(deploymentId: number, paths: string[]): Promise<void> {
    while (!replaced) {
      const path = `model/file${paths.length}.yml`;
      const body = { files: [{ path, content: 'cubes: []\n' }] };
      const reply = await topology.admin.attempt('updateFiles', { path: { deploymentId }, body });
      replies.push(reply);
      if (reply.status === 200) paths.push(path);
    }
  }

  it('fail no request, and lose none of the writes that go on meanwhile', async () => {
    const { admin } = topology;
    for (let count = 0; count < 4; count++) {
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
