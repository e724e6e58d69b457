import type { ReplyOf } from '@plinth/contract';
import { until } from '@plinth/testing';
import type { ApiClient } from './harness/api-client';
import { childrenOf, isRunning } from './harness/child-service';
import { openConnections, residentBytes, sendAndLeave, uploadBytes } from './harness/raw-upload';
import { buildEnd, createDeployment, openDevBranch } from './harness/story';
import { onNats } from './harness/topologies';
import type { Topology } from './harness/topology';

type Tree = ReplyOf<'listFiles'>['items'];

const file = (path: string, content = 'cubes: []\n') => ({ path, content });

describe.each(onNats)('authoring a data model: %s', (_name, start) => {
  let topology: Topology;
  let admin: ApiClient;
  let path: { deploymentId: number };
  let devBranch: string;

  beforeAll(async () => {
    topology = await start();
    admin = topology.admin;
  });
  afterAll(() => topology?.stop());

  /** Every new deployment is built once. */
  const useNewDeployment = async (): Promise<void> => {
    path = { deploymentId: (await createDeployment(admin)).id };
    devBranch = await openDevBranch(admin, path.deploymentId);
  };

  const put = (...files: { path: string; content: string }[]) => admin.call('updateFiles', { path, body: { files } });
  const branches = async () => (await admin.call('listBranches', { path })).items;
  const headOf = async (name: string) => (await branches()).find((branch) => branch.name === name)?.lastHash;
  const contentOf = async (wanted: string, branchName: string): Promise<string | undefined> => {
    const { items } = await admin.call('listFiles', { path, query: { withContent: true, branchName } });
    return findFile(items, `/${wanted}`)?.content;
  };

  describe('refused requests', () => {
    beforeAll(useNewDeployment);

    it.each([
      'model/../cube.js',
      './model/a.yml',
      'model//a.yml',
      '.git/config',
      'model/.GIT/a',
      'model\\a.yml',
      'model/a\u0000.yml',
      'model/a\n.yml',
      `model/${'a'.repeat(256)}`,
      '',
    ])('refuses the path %j and writes nothing of the request', async (badPath) => {
      const before = await headOf(devBranch);
      const refusal = await admin.refusal('updateFiles', {
        path,
        body: { files: [file('model/ok.yml'), file(badPath)] },
      });
      expect(refusal).toMatchObject({ status: 400 });
      expect(await headOf(devBranch)).toBe(before);
    });

    it.each(['dev-mine', 'with space', 'a..b', '/a', 'a/', '-flag', 'a.lock', 'a~1', '@{', ''])(
      'refuses the branch name %j',
      async (name) => {
        expect(await admin.refusal('createBranch', { path, body: { name } })).toMatchObject({ status: 400 });
      },
    );

    it('refuses a branch twice, an unknown parent, and the end of the deploy branch', async () => {
      const twice = await admin.refusal('createBranch', { path, body: { name: 'feature' } });
      expect(twice).toMatchObject({ status: 409, code: 'branch.exists' });
      const orphan = await admin.refusal('createBranch', { path, body: { name: 'orphan', from: 'nowhere' } });
      expect(orphan).toMatchObject({ status: 404 });
      const remove = (branchName: string) => admin.refusal('removeBranch', { path, query: { branchName } });
      expect(await remove('main')).toMatchObject({ status: 400 });
      expect(await remove('nowhere')).toMatchObject({ status: 404 });
    });
  });

  describe('in a deployment of its own', () => {
    beforeEach(useNewDeployment);

    it('refuses to delete or rename a file that is not there, and to rename onto one that is', async () => {
      await put(file('model/a.yml'), file('model/b.yml'));
      const before = await headOf(devBranch);
      const remove = { files: [{ path: 'model/a.yml' }, { path: 'model/none.yml' }] };
      expect(await admin.refusal('removeFiles', { path, body: remove })).toMatchObject({ status: 404 });
      const missing = { files: [{ path: 'model/none.yml', newPath: 'model/c.yml' }] };
      expect(await admin.refusal('renameFiles', { path, body: missing })).toMatchObject({ status: 404 });
      const taken = { files: [{ path: 'model/a.yml', newPath: 'model/b.yml' }] };
      expect(await admin.refusal('renameFiles', { path, body: taken })).toMatchObject({ status: 409 });
      expect(await headOf(devBranch)).toBe(before);
    });

    it('renames and deletes files, and forgets a folder that is empty', async () => {
      await put(file('model/deep/a.yml', 'cubes: [] # kept\n'), file('model/b.yml'));
      const rename = { files: [{ path: '/model/deep/a.yml', newPath: 'model/c.yml' }] };
      await admin.call('renameFiles', { path, body: rename });
      await admin.call('removeFiles', { path, body: { files: [{ path: 'model/b.yml' }] } });
      const paths = Object.keys(await admin.call('fileHashes', { path }));
      expect(paths).toContain('model/c.yml');
      expect(paths).not.toEqual(expect.arrayContaining(['model/b.yml']));
      expect(paths.some((name) => name.startsWith('model/deep'))).toBe(false);
      expect(await contentOf('model/c.yml', devBranch)).toBe('cubes: [] # kept\n');
    });

    it('loses nothing of twenty writers to one branch at the same time', async () => {
      const names = Array.from({ length: 20 }, (_value, index) => `model/cubes/writer${index}.yml`);
      const replies = await Promise.all(
        names.map((name) => admin.attempt('updateFiles', { path, body: { files: [file(name)] } })),
      );
      expect(replies.map(({ status }) => status)).toEqual(names.map(() => 200));
      expect(Object.keys(await admin.call('fileHashes', { path }))).toEqual(expect.arrayContaining(names));
    });

    it('hands the children of a deleted branch to its parent', async () => {
      await admin.call('createBranch', { path, body: { name: 'child/one', from: 'feature' } });
      await admin.call('removeBranch', { path, query: { branchName: 'feature' } });
      const list = await branches();
      expect(list.map(({ name }) => name)).not.toContain('feature');
      expect(list.find(({ name }) => name === 'child/one')?.parentBranch).toBe('main');
      expect(list.find(({ name }) => name === devBranch)?.parentBranch).toBe('main');
    });

    it('goes on with the open session when dev mode is started again on the same branch', async () => {
      const again = await admin.call('startDevMode', { path, body: { branchName: 'feature' } });
      expect(again).toMatchObject({ active: true, branchName: devBranch, parentBranch: 'feature' });
    });

    it('merges what others changed elsewhere in the meantime, and keeps both', async () => {
      await put(file('model/mine.yml'));
      await commitAsAnother(admin, path, file('model/theirs.yml'));
      await admin.call('commitChanges', { path, body: { message: 'Mine', branchName: devBranch } });
      const hashes = await admin.call('fileHashes', { path, query: { branchName: 'feature' } });
      expect(Object.keys(hashes)).toEqual(expect.arrayContaining(['model/mine.yml', 'model/theirs.yml']));
    });

    it('answers a conflict with 409, the file and both sides, and changes nothing', async () => {
      await put(file('model/both.yml', 'cubes: [] # mine\n'));
      await commitAsAnother(admin, path, file('model/both.yml', 'cubes: [] # theirs\n'));
      const before = await branches();
      const refusal = await admin.refusal('commitChanges', { path, body: { branchName: devBranch } });
      expect(refusal).toMatchObject({ status: 409, code: 'merge.conflict' });
      expect(refusal.message).toContain('model/both.yml');
      const [hunk] = refusal.details ?? [];
      expect(hunk).toMatchObject({ path: 'model/both.yml' });
      expect(hunk?.message).toContain('# mine');
      expect(hunk?.message).toContain('# theirs');
      expect(await branches()).toEqual(before);
      expect(await contentOf('model/both.yml', 'feature')).toBe('cubes: [] # theirs\n');
    });

    it('keeps production as it is on a merge in cli mode', async () => {
      const built = await buildEnd(admin, path.deploymentId);
      await admin.call('updateDeployment', { path, body: { deployMode: 'cli' } });
      await put(file('model/a.yml'));
      await admin.call('commitChanges', { path, body: { exitDevMode: true } });
      const merge = { branchName: 'feature', removeBranchAfterMerge: false };
      expect(await admin.call('mergeToDefaultBranch', { path, body: merge })).toEqual({
        merged: true,
        branchDeleted: false,
      });
      expect((await buildEnd(admin, path.deploymentId)).buildJobId).toBe(built.buildJobId);
    });

    it('serves a shared branch as a staging environment while its switch is on, and no other kind of branch', async () => {
      const set = (branchName: string, enabled: boolean) => ({ path, body: { branchName, enabled } });
      for (const branchName of ['main', devBranch]) {
        expect(await admin.refusal('setBranchStagingEnvironment', set(branchName, true))).toMatchObject({
          status: 400,
        });
      }
      const { data } = await admin.call('setBranchStagingEnvironment', set('feature', true));
      expect(data).toMatchObject({ name: 'feature', isStagingEnvironmentEnabled: true });
      const staging = { path, query: { type: 'staging' as const } };
      expect((await admin.call('getDeploymentEnvironments', staging)).items.map(({ branch }) => branch)).toEqual([
        'feature',
      ]);
      expect(await buildEnd(admin, path.deploymentId, 'feature')).toMatchObject({ status: 'built' });
      await admin.call('setBranchStagingEnvironment', set('feature', false));
      expect((await admin.call('getDeploymentEnvironments', staging)).items).toEqual([]);
    });

    it('pages the roots of the tree by cursor and shows each once', async () => {
      await put(file('a.txt', 'a'), file('b.txt', 'b'), file('c.txt', 'c'));
      const seen: string[] = [];
      let after: string | undefined;
      do {
        const page = await admin.call('listFiles', { path, query: { first: 2, ...(after && { after }) } });
        seen.push(...page.items.map((node) => node.path));
        after = page.pageInfo?.hasNextPage ? (page.pageInfo.endCursor ?? undefined) : undefined;
      } while (after);
      const { items } = await admin.call('listFiles', { path });
      expect(seen).toEqual(items.map((node) => node.path));
    });

    it('carries a reply of several megabytes over the bus', async () => {
      const large = '# '.padEnd(900_000, 'x');
      for (const name of ['one', 'two', 'three']) await put(file(`notes/${name}.md`, large));
      expect(await contentOf('notes/three.md', devBranch)).toBe(large);
    });

    it('survives 500 uploads whose clients go away at any point, and keeps nothing of them', async () => {
      const { transaction } = await admin.call('startUpload', { path, query: { branchName: devBranch } });
      const bytes = uploadBytes(admin, path.deploymentId, JSON.stringify(transaction), Buffer.alloc(400_000, 'x'));
      const services = [...topology.processes.values()];
      // Other suites have used them before.
      const written = services.map(({ lines }) => lines.length);
      // The process that was started may only watch over the one that serves.
      const pids = services.flatMap(({ pid }) => [pid, ...childrenOf(pid)]);
      const memory = () => pids.filter(isRunning).reduce((sum, pid) => sum + residentBytes(pid), 0);
      const breakOff = (count: number) =>
        inParallel(count, 20, (index) => {
          // Every fifth one breaks off within the few hundred bytes of headers and text parts.
          const most = index % 5 === 0 ? 1_000 : bytes.length;
          const length = 1 + Math.floor(Math.random() * (most - 1));
          return sendAndLeave(admin, bytes.subarray(0, length), index % 2 === 0 ? 'reset' : 'end');
        });
      await breakOff(100);
      const before = memory();
      await breakOff(400);
      await until(
        'connections to be let go of',
        async () => openConnections(admin),
        (count) => count === 0,
      );
      await until(
        'memory to be let go of',
        async () => memory() - before,
        (grown) => grown < 100 * MEBIBYTE,
      );
      const whole = { transaction: JSON.stringify(transaction), fileName: 'model/whole.yml' } as never;
      expect(await admin.call('uploadFile', { path, body: whole, file: 'cubes: []\n' })).toEqual({ success: true });
      const log = services.flatMap(({ lines }, index) => lines.slice(written[index]));
      expect(log.filter((line) => /"level":"(error|fatal)"|Unhandled/.test(line))).toEqual([]);
    });
  });
});

const MEBIBYTE = 1024 * 1024;

/** Does the work `count` times, a few at once. */
async function inParallel(count: number, width: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: width }, worker));
}

function findFile(nodes: Tree, path: string): Tree[number] | undefined {
  for (const node of nodes) {
    const found = node.path === path ? node : findFile(node.children ?? [], path);
    if (found) return found;
  }
  return undefined;
}

/** Another credential edits on a personal branch of its own and commits to `feature`. */
async function commitAsAnother(
  admin: ApiClient,
  path: { deploymentId: number },
  change: { path: string; content: string },
): Promise<void> {
  const { token } = await admin.call('createApiKey', { body: { name: 'another' } });
  const other = admin.as(`Bearer ${token}`);
  await other.call('startDevMode', { path, body: { branchName: 'feature' } });
  await other.call('updateFiles', { path, body: { files: [change] } });
  await other.call('commitChanges', { path, body: { message: 'Theirs' } });
}
