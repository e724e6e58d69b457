import 'reflect-metadata';
import { createHash } from 'node:crypto';
import type { Principal } from '@plinth/auth';
import { Housekeeping, managerFor } from '@plinth/database';
import { pino } from 'pino';
import { buildWorkerSchema } from '../../build-worker.schema';
import { cube, put, startFixture, type Fixture } from '../../testing/fixture';
import { grantsOf, userOf, type Deployment } from '../../testing/worker-harness';
import { UploadsRepository } from './uploads.repository';

type Project = Record<string, string>;

let platform: Fixture;
let admin: Principal;
let path: { deploymentId: number };

beforeAll(async () => {
  platform = await startFixture(['worker-1', 'worker-2']);
});
afterAll(() => platform?.stop());
beforeEach(() => begin());

const begin = (more: Partial<Deployment> = {}) => {
  ({ admin, path } = platform.newDeployment(more));
};
const sha1 = (content: string) => createHash('sha1').update(content).digest('hex');
const manifestOf = (project: Project) =>
  Object.fromEntries(Object.entries(project).map(([name, content]) => [name, { hash: sha1(content) }]));

const start = async (body?: object, query: Record<string, unknown> = {}, principal = admin) =>
  (await platform.call(principal, 'startUpload', { path, body, query })).transaction;
type Transaction = Awaited<ReturnType<typeof start>>;
const fileRequest = (transaction: Transaction, fileName: string, upload: string | AsyncIterable<Uint8Array>) => ({
  path,
  body: { transaction: JSON.stringify(transaction), fileName },
  upload,
});
const send = (transaction: Transaction, fileName: string, content: string, principal = admin) =>
  platform.call(principal, 'uploadFile', fileRequest(transaction, fileName, content));
const finishRequest = (transaction: Transaction, project: Project, more: object = {}) => ({
  path,
  body: { transaction, files: manifestOf(project), ...more },
});
const finish = (transaction: Transaction, project: Project, more: object = {}) =>
  platform.call(admin, 'finishUpload', finishRequest(transaction, project, more));

/** Sends what differs, as clients do. */
async function deploy(project: Project, more: object = {}, body: object = {}) {
  const known = await platform.call(admin, 'fileHashes', { path });
  const transaction = await start(body);
  for (const [name, content] of Object.entries(project)) {
    if (known[name]?.hash !== sha1(content)) await send(transaction, name, content);
  }
  return finish(transaction, project, more);
}

const code = async (
  principal: Principal,
  operationId: 'startUpload' | 'uploadFile' | 'finishUpload',
  request: object,
) => (await platform.refusal(principal, operationId, request)).code;
const files = (branchName = 'main') => platform.filesOf(admin, path.deploymentId, branchName);
const head = async (branchName = 'main') => {
  const { items } = await platform.call(admin, 'listBranches', { path });
  return items.find(({ name }) => name === branchName)?.lastHash;
};
const log = async (branch = 'main') => (await platform.repositoryOf(admin, path.deploymentId)).log(branch, 9);
const builds = (deploymentId = path.deploymentId) =>
  platform.database.readAsSystem<{ branchName: string }>(
    {
      name: 'builds-of',
      text: 'select branch_name as "branchName", commit_hash as "commit" from build where deployment_id = $1 order by id',
    },
    [deploymentId],
  );
const startOn = async (branchName: string, principal = admin) =>
  (await platform.call(principal, 'startDevMode', { path, body: { branchName } })).branchName ?? '';

describe('an upload is refused', () => {
  it('on branches that the caller may not change', async () => {
    const author = userOf(admin.tenantId, 2, grantsOf('SchemaUpdateDevBranches'));
    const dev = await startOn('main');
    expect(await code(author, 'startUpload', { path })).toBe('access.denied');
    expect(await code(author, 'startUpload', { path, body: { branchName: dev } })).toBe('branch.not_owner');
    expect(await code(admin, 'startUpload', { path, body: { branchName: 'nothing' } })).toBe('branch.not_found');
    expect(await code(userOf(admin.tenantId, 3, grantsOf('SchemaRead')), 'startUpload', { path })).toBe(
      'access.denied',
    );
    begin({ deployBranchReadOnly: true });
    expect(await code(admin, 'startUpload', { path })).toBe('branch.protected');
  });

  it('when it is somebody else’s, of another deployment, unknown, over or was forgotten', async () => {
    const transaction = await start();
    const other = userOf(admin.tenantId, 2, grantsOf('SchemaUpdate', 'SchemaUpdateDevBranches'));
    const unknown = { id: '5f0c1d2e-8f0b-4c7e-9a51-2f6d3b7c9e10' };
    expect(await code(other, 'uploadFile', fileRequest(transaction, 'a', 'x'))).toBe('upload.not_found');
    expect(await code(other, 'finishUpload', finishRequest(transaction, {}))).toBe('upload.not_found');
    expect(await code(admin, 'uploadFile', fileRequest(unknown, 'a', 'x'))).toBe('upload.not_found');
    expect(await code(admin, 'finishUpload', finishRequest({ id: 'no uuid' }, {}))).toBe('upload.not_found');
    await finish(transaction, {}, { autoRemoveFiles: false });
    expect(await code(admin, 'uploadFile', fileRequest(transaction, 'a', 'x'))).toBe('upload.finished');
    const late = await start();
    await send(late, 'a', 'x');
    await platform.database.asSystem((tx) => managerFor(tx).query('update upload set expires_at = now()'));
    expect(await code(admin, 'uploadFile', fileRequest(late, 'a', 'x'))).toBe('upload.not_found');
    expect(await code(admin, 'finishUpload', finishRequest(late, { a: 'x' }))).toBe('upload.not_found');
    await new Housekeeping(platform.database, pino({ enabled: false }), buildWorkerSchema.retention).run();
    const left = await platform.database.readAsSystem({ name: 'left', text: 'select * from upload_file' }, []);
    expect(left).toEqual([]);
  });

  it('with broken transactions and paths, or another branch than at its start', async () => {
    const transaction = await start();
    const form = (text: string) => ({ path, body: { transaction: text, fileName: 'a' }, upload: 'x' });
    expect(await code(admin, 'uploadFile', form('{broken'))).toBe('request.invalid');
    expect(await code(admin, 'uploadFile', form('{"no":"id"}'))).toBe('request.invalid');
    for (const name of ['../a', '.git/config', 'a//b', 'a\\b']) {
      expect(await code(admin, 'uploadFile', fileRequest(transaction, name, 'x'))).toBe('file.invalid_path');
      expect(await code(admin, 'finishUpload', finishRequest(transaction, { [name]: 'x' }))).toBe('file.invalid_path');
    }
    const twins = finishRequest(transaction, { 'model/\u00e9.yml': 'x', 'model/e\u0301.yml': 'x' });
    expect(await code(admin, 'finishUpload', twins)).toBe('request.invalid');
    await platform.call(admin, 'createBranch', { path, body: { name: 'feature' } });
    const elsewhere = finishRequest(transaction, {}, { branchName: 'feature' });
    expect(await code(admin, 'finishUpload', elsewhere)).toBe('request.invalid');
    expect(await head()).toBe((await log())[0]?.oid);
  });

  it('over its limits, and its transaction goes on without the file', async () => {
    const strict = await startFixture(['strict'], {
      PLINTH_UPLOAD_MAX_FILE_BYTES: '10',
      PLINTH_UPLOAD_MAX_TOTAL_BYTES: '25',
      PLINTH_UPLOAD_MAX_FILES: '3',
    });
    try {
      const { admin: owner, path: place } = strict.newDeployment();
      const { transaction } = await strict.call(owner, 'startUpload', { path: place });
      const form = (fileName: string, upload: string) => ({
        path: place,
        body: { transaction: JSON.stringify(transaction), fileName },
        upload,
      });
      const refused = async (fileName: string, upload: string) =>
        (await strict.refusal(owner, 'uploadFile', form(fileName, upload))).status;
      expect(await refused('a', 'x'.repeat(11))).toBe(413);
      await strict.call(owner, 'uploadFile', form('a', 'x'.repeat(10)));
      await strict.call(owner, 'uploadFile', form('b', 'x'.repeat(10)));
      expect(await refused('c', 'x'.repeat(6))).toBe(413);
      await strict.call(owner, 'uploadFile', form('c', 'x'));
      expect(await refused('d', '')).toBe(413);
      const project = { a: 'x'.repeat(10), b: 'x'.repeat(10), c: 'x' };
      const request = { path: place, body: { transaction, files: manifestOf(project) } };
      const tooMany = { path: place, body: { transaction, files: manifestOf({ ...project, d: '' }) } };
      expect((await strict.refusal(owner, 'finishUpload', tooMany)).status).toBe(413);
      await strict.call(owner, 'finishUpload', request);
      expect(Object.keys(await strict.filesOf(owner, place.deploymentId, 'main'))).toEqual(['/a', '/b', '/c']);
    } finally {
      await strict.stop();
    }
  });

  it('when its manifest names what is neither uploaded nor stored, and changes nothing', async () => {
    const before = await head();
    const transaction = await start();
    await send(transaction, 'a', 'sent');
    const request = finishRequest(transaction, { a: 'other', b: 'never sent', 'cube.js': 'not this' });
    expect(await platform.refusal(admin, 'finishUpload', request)).toMatchObject({
      code: 'upload.incomplete',
      status: 400,
      details: [{ path: 'a' }, { path: 'b' }, { path: 'cube.js' }],
    });
    expect(await head()).toBe(before);
    await finish(transaction, { a: 'sent' });
    expect(await files()).toEqual({ '/a': 'sent' });
  });
});

describe('an upload', () => {
  it('is one commit by its caller that holds exactly the project, and one build', async () => {
    await head();
    expect(await builds()).toHaveLength(1);
    const project = { 'model/cubes/orders.yml': cube('orders'), 'cube.js': '' };
    const { lastHash } = await deploy(project, { commitMessage: 'Ship it' });
    expect(lastHash).toBe(await head());
    expect(await files()).toEqual({ '/model/cubes/orders.yml': cube('orders'), '/cube.js': '' });
    const [newest, ...older] = await log();
    expect(newest).toMatchObject({ message: 'Ship it', author: { name: admin.userName, email: admin.email } });
    expect(older).toHaveLength(1);
    expect(await builds()).toMatchObject([{}, { branchName: 'main', commit: lastHash }]);
    const { items } = await platform.call(admin, 'listFiles', { path, query: { showLastCLIUpload: true } });
    expect(items.map((node) => node.path)).toEqual(['/model', '/cube.js']);
  });

  it('of an unchanged project commits nothing and still builds, for production may be behind', async () => {
    const project = { a: '1' };
    await deploy(project);
    const before = await head();
    expect(await deploy(project)).toEqual({ lastHash: before });
    expect(await head()).toBe(before);
    expect(await builds()).toHaveLength(3);
  });

  it('removes what the project lacks, except what clients never list; with autoRemoveFiles off it keeps all', async () => {
    await deploy({ a: '1', b: '2', 'dir/c': '3', '.github/workflow': 'w', '.gitignore': 'i' });
    await deploy({ a: '1', dir: 'now a file' });
    expect(await files()).toEqual({ '/a': '1', '/dir': 'now a file', '/.github/workflow': 'w' });
    await deploy({ d: '4' }, { autoRemoveFiles: false });
    expect(Object.keys(await files())).toEqual(['/.github/workflow', '/a', '/d', '/dir']);
  });

  it('finished twice, also at the same time, has one effect and one answer', async () => {
    for (const project of [{ a: '1' }, { a: '1' }]) {
      const transaction = await start();
      await send(transaction, 'a', '1');
      const before = (await builds()).length;
      const replies = await Promise.all([finish(transaction, project), finish(transaction, project)]);
      replies.push(await finish(transaction, project));
      expect(new Set(replies.map(({ lastHash }) => lastHash)).size).toBe(1);
      expect(await builds()).toHaveLength(before + 1);
    }
    expect(await log()).toHaveLength(2);
  });

  it('that two workers finish at once counts for the first of them alone', async () => {
    const { id } = await start();
    const finished = { id, deploymentId: path.deploymentId, commit: (await head()) ?? '' };
    const finishOnce = () =>
      platform.database.transaction(admin.tenantId, (tx) => new UploadsRepository().finish(tx, finished));
    expect((await Promise.all([finishOnce(), finishOnce()])).sort()).toEqual([false, true]);
    expect(await finishOnce()).toBe(false);
  });

  it('sent again replaces its file, and one that breaks off leaves the earlier one', async () => {
    const transaction = await start();
    await send(transaction, 'a', 'first');
    await send(transaction, '/a', 'second');
    const broken = async function* () {
      yield Buffer.from('half');
      throw new Error('gone');
    };
    await platform.refusal(admin, 'uploadFile', fileRequest(transaction, 'a', broken()));
    await finish(transaction, { a: 'second' });
    expect(await files()).toEqual({ '/a': 'second' });
  });

  it('that overlaps another merges with it, or names the files in conflict and changes nothing', async () => {
    await deploy({ a: '1\n', b: '1\n' });
    const [first, second, third] = [await start(), await start(), await start()];
    await send(first, 'a', '2\n');
    await send(second, 'b', '2\n');
    await send(third, 'a', '3\n');
    await finish(first, { a: '2\n', b: '1\n' });
    await finish(second, { a: '1\n', b: '2\n' });
    expect(await files()).toEqual({ '/a': '2\n', '/b': '2\n' });
    const before = await head();
    expect(await platform.refusal(admin, 'finishUpload', finishRequest(third, { a: '3\n', b: '1\n' }))).toMatchObject({
      code: 'merge.conflict',
      details: [{ path: 'a', message: '<<<<<<< ours\n2\n=======\n3\n>>>>>>> theirs\n' }],
    });
    expect(await head()).toBe(before);
    await deploy({ a: '3\n', b: '2\n' });
    expect(await files()).toEqual({ '/a': '3\n', '/b': '2\n' });
  });

  it('goes to the named branch, or to that of dev mode, and builds neither', async () => {
    await head();
    expect(await builds()).toHaveLength(1);
    await platform.call(admin, 'createBranch', { path, body: { name: 'feature' } });
    await deploy({ a: '1' }, { branchName: 'feature' }, { branchName: 'feature' });
    const dev = await startOn('feature');
    await deploy({ a: '2' });
    expect(await files('feature')).toEqual({ '/a': '1' });
    expect(await files(dev)).toEqual({ '/a': '2' });
    expect(await files()).not.toHaveProperty(['/a']);
    expect(await builds()).toHaveLength(1);
  });

  it('relative to the project folder leaves what lies outside alone', async () => {
    begin({ deployProjectRoot: 'project' });
    await deploy({ 'outside/a': '1', 'project/old': '1' });
    const transaction = await start({}, { useDeployProjectRoot: true });
    await send(transaction, 'new', '2');
    await finish(transaction, { new: '2' });
    expect(await files()).toEqual({ '/outside/a': '1', '/project/new': '2' });
  });

  it('is what builds production in cli mode, where merges do not', async () => {
    begin({ deployMode: 'cli' });
    await startOn('main');
    await platform.call(admin, 'updateFiles', { path, body: put('a', '1') });
    await platform.call(admin, 'mergeToDefaultBranch', { path });
    expect(await builds()).toHaveLength(1);
    const { lastHash } = await deploy({ a: '1' });
    expect(await builds()).toMatchObject([{}, { commit: lastHash }]);
  });
});
