import 'reflect-metadata';
import { createHash } from 'node:crypto';
import type { Principal } from '@plinth/auth';
import type { ErrorCode } from '@plinth/errors';
import { put, startFixture, type Fixture } from '../../testing/fixture';
import { deploymentOf, grantsOf, startHarness, userOf } from '../../testing/worker-harness';

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
  dev = (await platform.call(admin, 'startDevMode', { path })).branchName ?? '';
});

type WriteOperation = 'updateFiles' | 'removeFiles' | 'renameFiles';

const write = (file: string, content: string, more: object = {}) =>
  platform.call(admin, 'updateFiles', { path, body: { ...put(file, content), ...more } });
const refusal = async (operationId: WriteOperation, body: object, principal = admin): Promise<ErrorCode> =>
  (await platform.refusal(principal, operationId, { path, body })).code;
const files = () => platform.filesOf(admin, path.deploymentId, dev);
const head = async () => (await platform.repositoryOf(admin, path.deploymentId)).head(dev);

describe('a write', () => {
  it('is refused on every branch that is not a dev branch, by name, by id and without a session', async () => {
    await platform.call(admin, 'createBranch', { path, body: { name: 'feature' } });
    const { items } = await platform.call(admin, 'listBranches', { path });
    const shared = items.filter(({ name }) => name !== dev);
    for (const { id, name } of shared) {
      expect(await refusal('updateFiles', { ...put('a', ''), branchName: name })).toBe('branch.not_dev_mode');
      expect(await refusal('removeFiles', { paths: ['cube.js'], branchId: id })).toBe('branch.not_dev_mode');
      expect(await refusal('renameFiles', { from: 'cube.js', to: 'b', branchId: id })).toBe('branch.not_dev_mode');
    }
    await platform.call(admin, 'stopDevMode', { path });
    expect(await refusal('updateFiles', put('a', ''))).toBe('branch.not_dev_mode');
    const git = await platform.repositoryOf(admin, path.deploymentId);
    const heads = await Promise.all(shared.map(({ name }) => git.head(name)));
    expect(heads).toEqual(shared.map(({ lastHash }) => lastHash));
  });

  it('is refused on an unknown branch', async () => {
    expect(await refusal('updateFiles', { ...put('a', ''), branchName: 'dev-nobody-1' })).toBe('branch.not_found');
  });

  it('is refused to other users, but not to administrators', async () => {
    const other = userOf(admin.tenantId, 2, grantsOf('SchemaUpdateDevBranches'));
    expect(await refusal('updateFiles', { ...put('a', ''), branchName: dev }, other)).toBe('branch.not_owner');
    const second = userOf(admin.tenantId, 3);
    await platform.call(second, 'updateFiles', { path, body: { ...put('a', 'x'), branchName: dev } });
    expect(await files()).toHaveProperty(['/a'], 'x');
  });

  it.each(['../a', 'a/../b', './a', 'a//b', '.git/config', 'a/.GIT/b', 'a\\b', 'a\nb', '/', `${'x'.repeat(256)}`])(
    'is refused for the path %p, and changes nothing',
    async (bad) => {
      const before = await head();
      const body = { files: [...put('fine', '').files, ...put(bad, '').files] };
      expect(await refusal('updateFiles', body)).toBe('file.invalid_path');
      expect(await refusal('renameFiles', { from: 'cube.js', to: bad })).toBe('file.invalid_path');
      expect(await head()).toBe(before);
    },
  );

  it.each([
    ['as it is', 'model/a.yml'],
    ['with a slash before it', '/model/a.yml'],
  ])('is refused when it names a file twice, %s, and changes nothing', async (_how, second) => {
    const before = await head();
    const twice = { files: [...put('model/a.yml', 'x').files, ...put(second, 'y').files] };
    expect(await refusal('updateFiles', twice)).toBe('request.invalid');
    const twins = { files: [...put('model/\u00e9.yml', 'x').files, ...put('model/e\u0301.yml', 'x').files] };
    expect(await refusal('updateFiles', twins)).toBe('request.invalid');
    expect(await head()).toBe(before);
  });

  it('is refused where a file stands in the way of a folder, or the reverse', async () => {
    expect(await refusal('updateFiles', put('cube.js/below', ''))).toBe('file.exists');
    expect(await refusal('updateFiles', put('model', ''))).toBe('file.exists');
  });

  it('deletes or moves all files or none', async () => {
    const before = await head();
    expect(await refusal('removeFiles', { files: [{ path: 'cube.js' }, { path: 'none' }] })).toBe('file.not_found');
    expect(await refusal('renameFiles', { from: 'none', to: 'b' })).toBe('file.not_found');
    const renames = [
      { path: 'README.md', newPath: 'b' },
      { path: 'cube.js', newPath: 'model/cubes/.gitkeep' },
    ];
    expect(await refusal('renameFiles', { files: renames })).toBe('file.exists');
    expect(await head()).toBe(before);
  });

  it('puts, moves and deletes files, each in one commit by the caller', async () => {
    await platform.call(admin, 'updateFiles', {
      path,
      body: { files: [...put('/model/a.yml', 'a').files, ...put('model/é.yml', 'ü').files] },
    });
    await platform.call(admin, 'renameFiles', {
      path,
      body: { files: [{ path: '/model/a.yml', newPath: '/model/sub/a.yml' }], from: 'cube.js', to: 'moved.js' },
    });
    await platform.call(admin, 'removeFiles', { path, body: { files: [{ path: 'README.md' }], paths: ['moved.js'] } });
    expect(await files()).toEqual({
      '/model/cubes/.gitkeep': '',
      '/model/sub/a.yml': 'a',
      '/model/views/.gitkeep': '',
      '/model/é.yml': 'ü',
    });
    const git = await platform.repositoryOf(admin, path.deploymentId);
    const log = await git.log(dev, 4);
    expect(log.map(({ message }) => message)).toEqual([
      'Delete README.md and 1 more',
      'Rename /model/a.yml to /model/sub/a.yml and 1 more',
      'Write /model/a.yml and 1 more',
      'Start the data model',
    ]);
    expect(log[0]?.author).toEqual({ name: admin.userName, email: admin.email });
  });

  it('that changes nothing makes no commit', async () => {
    await write('a', 'x');
    const before = await head();
    await write('a', 'x');
    await platform.call(admin, 'updateFiles', { path, body: { files: [] } });
    expect(await head()).toBe(before);
  });

  it('has one effect under an idempotency key, also when others wrote in between', async () => {
    const request = { path, body: put('a', 'first'), idempotencyKey: 'k-1' };
    const reply = await platform.call(admin, 'updateFiles', request);
    await write('a', 'second');
    expect(await platform.call(admin, 'updateFiles', request)).toEqual(reply);
    expect(await files()).toHaveProperty(['/a'], 'second');
  });

  it('is never lost among 20 writers on two workers that know nothing of each other', async () => {
    const deployment = deploymentOf(admin.tenantId, path.deploymentId);
    const stranger = await startHarness(platform.premises, new Map([[deployment.id, deployment]]), ['stranger']);
    const writers = Array.from({ length: 20 }, (_, index) => {
      const worker = index % 2 === 0 ? platform : stranger;
      return worker.call(admin, 'updateFiles', { path, body: put(`model/f${index}.yml`, `${index}`) });
    });
    await Promise.all(writers).finally(() => stranger.stop());
    const written = Object.entries(await files()).filter(([file]) => file.startsWith('/model/f'));
    expect(written).toHaveLength(20);
    expect(written.every(([file, content]) => file === `/model/f${content}.yml`)).toBe(true);
    const git = await platform.repositoryOf(admin, path.deploymentId);
    expect(await git.log(dev, 50)).toHaveLength(21);
    await git.fsck();
  });
});

describe('the tree', () => {
  const list = (query: Record<string, unknown> = {}) => platform.call(admin, 'listFiles', { path, query });

  it('is that of the open dev branch, and of the named branch when one is named', async () => {
    await write('only-here', '');
    expect((await list()).items.map((node) => node.path)).toContain('/only-here');
    expect((await list({ branchName: ' ' })).items.map((node) => node.path)).toContain('/only-here');
    expect((await list({ branchName: 'main' })).items.map((node) => node.path)).not.toContain('/only-here');
  });

  it('shows folders first, and contents only when asked to', async () => {
    await write('model/a.yml', 'a');
    const { items, data } = await list();
    expect(data).toEqual(items);
    expect(items).toEqual([
      {
        path: '/model',
        type: 'directory',
        children: [
          { path: '/model/cubes', type: 'directory', children: [{ path: '/model/cubes/.gitkeep', type: 'file' }] },
          { path: '/model/views', type: 'directory', children: [{ path: '/model/views/.gitkeep', type: 'file' }] },
          { path: '/model/a.yml', type: 'file' },
        ],
      },
      { path: '/README.md', type: 'file' },
      { path: '/cube.js', type: 'file' },
    ]);
    expect((await files())['/model/a.yml']).toBe('a');
  });

  it('leaves out the content of what is not text', async () => {
    const git = await platform.repositoryOf(admin, path.deploymentId);
    const changes = [{ kind: 'put', path: 'image', content: Buffer.from([0xff, 0xfe, 0x00]) }] as const;
    const author = { name: 'A', email: '', at: new Date() };
    await git.commitChanges({ branch: dev, expectedHead: await head(), changes, message: 'Binary', author });
    const { items } = await list({ withContent: true });
    expect(items.find((node) => node.path === '/image')).toEqual({ path: '/image', type: 'file' });
  });

  it('is paged by its top-level nodes', async () => {
    const first = await list({ first: 2 });
    expect(first.items.map((node) => node.path)).toEqual(['/model', '/README.md']);
    expect(first.pageInfo.hasNextPage).toBe(true);
    const rest = await list({ first: 2, after: first.pageInfo.endCursor });
    expect(rest.items.map((node) => node.path)).toEqual(['/cube.js']);
    expect(rest.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    const query = { branchName: 'main', after: first.pageInfo.endCursor };
    expect((await platform.refusal(admin, 'listFiles', { path, query })).code).toBe('request.cursor_invalid');
  });

  it('is empty for uploads while there was none', async () => {
    expect((await list({ showLastCLIUpload: true })).items).toEqual([]);
  });
});

describe('file hashes', () => {
  const hashes = (query: Record<string, unknown> = {}) => platform.call(admin, 'fileHashes', { path, query });
  const sha1 = (text: string) => ({ hash: createHash('sha1').update(text).digest('hex') });

  it('are SHA-1 of contents by path without a leading slash', async () => {
    await write('model/a.yml', 'cubes: []\n');
    expect(await hashes()).toMatchObject({ 'model/a.yml': sha1('cubes: []\n'), 'model/cubes/.gitkeep': sha1('') });
    expect(await hashes({ live: true })).not.toHaveProperty(['model/a.yml']);
  });

  it('can be confined to the project folder', async () => {
    ({ admin, path } = platform.newDeployment({ deployProjectRoot: '/projects/shop/' }));
    await platform.call(admin, 'startDevMode', { path });
    await write('projects/shop/model/a.yml', 'a');
    await write('projects/shopping/model/b.yml', 'b');
    expect(await hashes({ useDeployProjectRoot: true })).toEqual({ 'model/a.yml': sha1('a') });
  });
});
