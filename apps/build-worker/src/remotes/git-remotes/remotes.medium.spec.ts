import 'reflect-metadata';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Principal } from '@plinth/auth';
import type { Schemas } from '@plinth/contract';
import { UpstreamRepository, gitIn, startGitHttpServer, type GitHttpServer } from '@plinth/testing';
import { cube, eventually, put, startFixture, type Fixture } from '../../testing/fixture';
import { grantsOf, userOf, type Deployment } from '../../testing/worker-harness';

let platform: Fixture;
let server: GitHttpServer;
let folder: string;
let upstream: UpstreamRepository;
let admin: Principal;
let path: { deploymentId: number };
let url: string;
let serial = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plinth-upstream-'));
  [server, platform] = [
    await startGitHttpServer({ repositories: folder }),
    await startFixture(['worker-1', 'worker-2']),
  ];
});
afterAll(async () => {
  await platform?.stop();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function begin(more?: Partial<Deployment>): Promise<void> {
  ({ admin, path } = platform.newDeployment(more));
  upstream = new UpstreamRepository(folder, `u${++serial}`);
  url = `file://${upstream.directory}`;
  await platform.call(admin, 'generateGitRemoteKey', { path });
}
// Files end in `.md`, which no compiler has to be started for: that what comes is compiled is shown once.
beforeEach(() => begin());

/** Of the same repository, which is otherwise read without a server. */
const servedUrl = (): string => `${server.url}/u${serial}.git`;

const connect = (body: object = {}) => platform.call(admin, 'connectGitRemote', { path, body: { url, ...body } });
const refusal = (body: object = {}) => platform.refusal(admin, 'connectGitRemote', { path, body: { url, ...body } });
const remote = () => platform.call(admin, 'getGitRemote', { path });
const status = (branchName?: string) => platform.call(admin, 'buildStatus', { path, query: { branchName } });
const files = (branchName: string) => platform.filesOf(admin, path.deploymentId, branchName);
const names = async () => (await platform.call(admin, 'listBranches', { path })).items.map(({ name }) => name);
const headOf = async (branch: string) => (await platform.repositoryOf(admin, path.deploymentId)).head(branch);

/** Edits a shared branch the way a user does: dev mode, a file, a commit. */
async function commit(branchName: string, file: string, content: string): Promise<void> {
  const dev = await platform.call(admin, 'startDevMode', { path, body: { branchName } });
  await platform.call(admin, 'pull', { path, body: { branchName: dev.branchName } });
  await platform.call(admin, 'updateFiles', { path, body: put(file, content) });
  await platform.call(admin, 'commitChanges', { path, body: { message: 'From Plinth', exitDevMode: true } });
}

/** Tells the deployment of a push the way a provider does, and waits until it has looked. */
async function announce(): Promise<Schemas['GitRemote']> {
  const { token } = await platform.call(admin, 'regenerateGitRemoteWebhookToken', { path });
  const before = (await remote()).lastSyncedAt;
  await platform.call(userOf(admin.tenantId, 0), 'receiveGitRemoteWebhook', { path, query: { token } });
  return eventually(remote, ({ lastSyncedAt }) => lastSyncedAt !== before);
}

describe('connecting', () => {
  it('is refused without a data model at the place, and changes nothing', async () => {
    upstream.commit('main', { 'README.md': 'x', 'shop/model/a.md': 'a' });
    const before = await headOf('main');
    const root = await refusal();
    expect([root.code, root.message]).toEqual([
      'remote.no_data_model',
      'Data Model folder not found at root location.',
    ]);
    expect((await refusal({ deployProjectRoot: '/docs/' })).message).toBe(
      'Data Model folder not found at this location.',
    );
    expect(await headOf('main')).toBe(before);
    expect(await remote()).toMatchObject({ connected: false, url: null });
  });

  it('is refused for missing branches, empty or missing repositories and unusable addresses', async () => {
    expect((await refusal()).code).toBe('remote.branch_not_found');
    upstream.commit('main', { 'model/a.md': 'a' });
    expect((await refusal({ deployBranchName: 'none' })).code).toBe('remote.branch_not_found');
    expect((await refusal({ url: `${server.url}/none.git` })).code).toBe('remote.unreachable');
    for (const address of ['git://example.com/a', '/etc/passwd', '--upload-pack=id', 'https://a:b@example.com/a']) {
      expect((await refusal({ url: address })).code).toBe('remote.invalid_url');
    }
  });

  it('is refused for files that nobody could edit', async () => {
    upstream.commit('main', { 'model/a.md': 'a', 'model/back\\slash.yml': 'x' });
    expect((await refusal()).code).toBe('remote.content_refused');
  });

  it('needs the permission to change the deployment', async () => {
    const reader = userOf(admin.tenantId, 5, grantsOf('DeploymentRead', 'SchemaUpdate'));
    for (const operation of ['connectGitRemote', 'disconnectGitRemote', 'generateGitRemoteKey'] as const) {
      expect((await platform.refusal(reader, operation, { path, body: { url } })).code).toBe('access.denied');
    }
    const noSecrets = { path };
    expect((await platform.refusal(reader, 'regenerateGitRemoteWebhookToken', noSecrets)).code).toBe('access.denied');
  });

  it('takes the default branch, builds it and keeps what was there before', async () => {
    gitIn(upstream.directory, ['symbolic-ref', 'HEAD', 'refs/heads/trunk']);
    const head = upstream.commit('trunk', { 'shop/model/a.yml': cube('a') });
    upstream.commit('other', { x: 'y' });
    expect(await connect({ url: servedUrl(), deployProjectRoot: '/shop/' })).toMatchObject({
      connected: true,
      kind: 'ssh',
      url: servedUrl(),
      deployBranchName: 'trunk',
      deployProjectRoot: 'shop',
      lastError: null,
      failedTasks: [],
    });
    expect(await headOf('trunk')).toBe(head);
    expect(await files('trunk')).toEqual({ '/shop/model/a.yml': cube('a') });
    const built = await eventually(status, (each) => each.status === 'built' && each.lastHash === head);
    expect(built).toMatchObject({ branchName: 'trunk', mode: 'production' });
    expect((await names()).sort()).toEqual(['main', 'trunk']);
    const git = await platform.repositoryOf(admin, path.deploymentId);
    await git.fsck();
  });

  it('never shows the private key, and makes another pair on demand', async () => {
    const { publicKey, keyFingerprint, ...rest } = await remote();
    expect(publicKey).toMatch(/^ssh-ed25519 AAAA\S+ plinth-deployment-\d+$/);
    expect(keyFingerprint).toMatch(/^SHA256:[\w+/]{43}$/);
    expect(JSON.stringify(rest)).not.toContain('PRIVATE');
    const other = await platform.call(admin, 'generateGitRemoteKey', { path });
    expect(other.publicKey).not.toBe(publicKey);
  });

  it('ends on demand: nothing goes upstream any more', async () => {
    upstream.commit('main', { 'model/a.md': 'a' });
    await connect();
    await eventually(remote, ({ failedTasks }) => failedTasks.length === 0);
    await platform.call(admin, 'disconnectGitRemote', { path });
    const head = upstream.head('main');
    await commit('main', '/model/b.md', 'b');
    expect(await remote()).toMatchObject({ connected: false, failedTasks: [] });
    expect((await platform.refusal(admin, 'disconnectGitRemote', { path })).code).toBe('remote.not_connected');
    expect(upstream.head('main')).toBe(head);
  });
});

describe('the webhook', () => {
  const call = (token: string) =>
    platform.refusal(userOf(admin.tenantId, 0), 'receiveGitRemoteWebhook', { path, query: { token } });

  it('is refused without the token of the deployment, and after the token was replaced', async () => {
    expect((await call('')).code).toBe('auth.credential_invalid');
    const { token } = await platform.call(admin, 'regenerateGitRemoteWebhookToken', { path });
    await platform.call(admin, 'regenerateGitRemoteWebhookToken', { path });
    expect((await call(token)).code).toBe('auth.credential_invalid');
  });

  it('answers 429 when called too often', async () => {
    const { token } = await platform.call(admin, 'regenerateGitRemoteWebhookToken', { path });
    const hook = userOf(admin.tenantId, 0);
    for (let calls = 0; calls < 30; calls++) {
      await platform.call(hook, 'receiveGitRemoteWebhook', { path, query: { token } }).catch(() => undefined);
    }
    const refusals = [await call(token), await call(token)].map(({ code }) => code);
    expect(refusals).toContain('request.rate_limited');
  });
});

describe('pushes of others', () => {
  it('come to known branches and build production; other branches stay away', async () => {
    upstream.commit('main', { 'model/a.md': 'a' });
    await connect();
    const head = upstream.commit('main', { 'model/b.md': 'b' });
    upstream.commit('unknown', { 'model/c.md': 'c' });
    expect((await announce()).lastError).toBeNull();
    expect(await headOf('main')).toBe(head);
    await eventually(status, (each) => each.status === 'built' && each.lastHash === head);
    expect(await names()).toEqual(['main']);
  });

  it('build nothing outside of the project folder, or in cli mode', async () => {
    const first = upstream.commit('main', { 'shop/model/a.md': 'a' });
    await connect({ deployProjectRoot: 'shop' });
    const second = upstream.commit('main', { 'README.md': 'other' });
    await announce();
    expect(await headOf('main')).toBe(second);
    expect((await status()).lastHash).toBe(first);

    await begin({ deployMode: 'cli' });
    const initial = upstream.commit('main', { 'model/a.md': 'a' });
    await connect();
    const later = upstream.commit('main', { 'model/b.md': 'b' });
    await announce();
    expect(await headOf('main')).toBe(later);
    expect((await status()).lastHash).toBe(initial);
  });

  it('take a branch away that was deleted, unless it holds something of its own', async () => {
    upstream.commit('main', { 'model/a.md': 'a' });
    await connect();
    for (const name of ['same', 'ahead']) await platform.call(admin, 'createBranch', { path, body: { name } });
    await eventually(async () => upstream.head('ahead') && upstream.head('same'), Boolean);
    const hook = join(upstream.directory, 'hooks', 'pre-receive');
    mkdirSync(dirname(hook), { recursive: true });
    writeFileSync(hook, '#!/bin/sh\necho closed >&2\nexit 1\n', { mode: 0o755 });
    await commit('ahead', '/model/b.md', 'b');
    const { failedTasks } = await eventually(remote, (each) => each.failedTasks.length > 0);
    expect(failedTasks[0]?.error).toMatch(/refuses the change: pre-receive hook declined/);
    for (const name of ['same', 'ahead']) upstream.deleteBranch(name);
    await announce();
    await eventually(names, (known) => !known.includes('same'));
    expect(await names()).toContain('ahead');
  });
});

describe('changes made here', () => {
  beforeEach(async () => {
    upstream.commit('main', { 'model/a.md': 'a' });
    await connect();
  });

  it('go upstream: commits and new branches, but no personal ones', async () => {
    await commit('main', '/model/b.md', 'b');
    await platform.call(admin, 'createBranch', { path, body: { name: 'feature', activate: true } });
    const [main, feature] = [await headOf('main'), await headOf('feature')];
    await eventually(
      async () => [upstream.head('main'), upstream.head('feature')].join(),
      (heads) => heads === [main, feature].join(),
    );
    expect(gitIn(upstream.directory, ['log', '-1', '--format=%an %s', 'main'])).toBe(`${admin.userName} From Plinth`);
    expect(gitIn(upstream.directory, ['for-each-ref', '--format=%(refname)'])).not.toContain('dev-');
  });

  it('delete a branch upstream only when that is asked for', async () => {
    for (const name of ['kept', 'gone']) await platform.call(admin, 'createBranch', { path, body: { name } });
    await eventually(async () => upstream.head('kept') && upstream.head('gone'), Boolean);
    await platform.call(admin, 'removeBranch', { path, query: { branchName: 'kept' } });
    await platform.call(admin, 'removeBranch', { path, query: { branchName: 'gone', removeOnUpstream: true } });
    await eventually(
      async () => upstream.head('gone'),
      (head) => head === null,
    );
    expect(upstream.head('kept')).not.toBeNull();
  });

  it('leave a branch upstream that has commits nobody here knew of', async () => {
    await platform.call(admin, 'createBranch', { path, body: { name: 'feature' } });
    await eventually(async () => upstream.head('feature'), Boolean);
    const theirs = upstream.commit('feature', { 'model/x.md': 'x' });
    await platform.call(admin, 'removeBranch', { path, query: { branchName: 'feature', removeOnUpstream: true } });
    const { failedTasks } = await eventually(remote, (each) => each.failedTasks.length > 0);
    expect(failedTasks).toMatchObject([
      { branchName: 'feature', kind: 'remove', error: 'It stays in the remote repository, where it has new commits' },
    ]);
    expect(upstream.head('feature')).toBe(theirs);
  });

  it('are merged with what others pushed meanwhile', async () => {
    upstream.commit('main', { 'model/theirs.md': 'theirs' });
    await commit('main', '/model/ours.md', 'ours');
    await eventually(async () => upstream.head('main') === (await headOf('main')), Boolean);
    expect(Object.keys(await files('main')).sort()).toEqual(['/model/a.md', '/model/ours.md', '/model/theirs.md']);
    expect(upstream.file('main', 'model/ours.md')).toContain('ours');
    expect((await remote()).failedTasks).toEqual([]);
  });

  it('stay apart from contradicting ones, with an error that tells the file, until somebody settles it', async () => {
    const theirs = upstream.commit('main', { 'model/a.md': 'theirs' });
    await commit('main', '/model/a.md', 'ours');
    const ours = await headOf('main');
    const { failedTasks } = await eventually(remote, (each) => each.failedTasks.length > 0);
    expect(failedTasks).toMatchObject([{ branchName: 'main', kind: 'push' }]);
    expect(failedTasks[0]?.error).toContain('exclude each other in model/a.md');
    expect([await headOf('main'), upstream.head('main')]).toEqual([ours, theirs]);
    upstream.commit('main', { 'model/a.md': 'ours' });
    await announce();
    await eventually(async () => upstream.head('main') === (await headOf('main')), Boolean);
    await eventually(remote, (each) => each.failedTasks.length === 0);
  });
});

it('changes wait for a server that is away, and are told of meanwhile', async () => {
  upstream.commit('main', { 'model/a.md': 'a' });
  await connect({ url: servedUrl() });
  server.requireCredentials({ username: 'a', password: 'b' });
  await commit('main', '/model/b.md', 'b');
  const { failedTasks } = await eventually(remote, (each) => each.failedTasks.length > 0);
  expect(failedTasks[0]?.error).toBe('The git server does not accept the credentials.');
  server.requireCredentials(undefined);
  await eventually(async () => upstream.head('main') === (await headOf('main')), Boolean);
  await eventually(remote, (each) => each.failedTasks.length === 0);
});
