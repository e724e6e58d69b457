import 'reflect-metadata';
import type { Principal } from '@plinth/auth';
import { startGithubHost, type GithubHost } from '@plinth/testing';
import { cube, eventually, startFixture, type Fixture } from '../../testing/fixture';
import { linkAs, settingsFor } from '../../testing/github-fixture';
import { grantsOf, userOf } from '../../testing/worker-harness';

let platform: Fixture;
let host: GithubHost;
let admin: Principal;
let path: { deploymentId: number };
let installationId: number;
let owner: string;
let number = 0;

/** Of a data model for which no compiler has to be started. */
const files = { 'model/cubes/orders.md': 'Orders', 'README.md': 'Orders' };

beforeAll(async () => {
  host = await startGithubHost();
  platform = await startFixture(undefined, settingsFor(host.github));
});
afterAll(async () => {
  await platform?.stop();
  await host?.stop();
});
beforeEach(async () => {
  ({ admin, path } = platform.newDeployment({ creationMethod: 'github' }));
  owner = `umbrella-${++number}`;
  installationId = host.github.install({ login: owner });
  await linkAs(platform, host.github, admin, owner);
});

const connect = (body: object, more: object = {}) =>
  platform.call(admin, 'connect', { path, body: { installationId, ...body }, ...more });
const refusal = (body: object, principal = admin) =>
  platform.refusal(principal, 'connect', { path, body: { installationId, ...body } });
const filesOf = (branch: string) => platform.filesOf(admin, path.deploymentId, branch);

describe('a deployment is not connected', () => {
  it('by who may not change it', async () => {
    host.addRepository(installationId, { name: 'data' }, files);
    const reader = userOf(admin.tenantId, 5, grantsOf('DeploymentRead'));
    expect((await refusal({ name: 'data' }, reader)).code).toBe('access.denied');
  });

  it('through an installation of another account', async () => {
    const other = platform.newDeployment();
    host.addRepository(installationId, { name: 'data' }, files);
    const request = { path: other.path, body: { installationId, name: 'data' } };
    expect((await platform.refusal(other.admin, 'connect', request)).code).toBe('github.installation_not_found');
  });

  it('through a suspended installation', async () => {
    host.addRepository(installationId, { name: 'data' }, files);
    host.github.suspend(installationId);
    expect((await refusal({ name: 'data' })).code).toBe('github.installation_suspended');
  });

  it('to a repository that the installation does not cover', async () => {
    expect((await refusal({ name: 'data' })).code).toBe('github.repository_not_found');
  });

  it.each([
    ['at the root', undefined, 'Data Model folder not found at root location.'],
    ['in a folder', 'elsewhere', 'Data Model folder not found at this location.'],
  ])('to a repository without a data model %s, which changes nothing', async (_where, deployProjectRoot, message) => {
    host.addRepository(installationId, { name: 'empty' }, { 'README.md': 'nothing' });
    expect(await refusal({ name: 'empty', deployProjectRoot })).toMatchObject({ status: 400, message });
    expect(await filesOf('main')).toEqual({});
  });

  it('to a folder that no repository can have', async () => {
    host.addRepository(installationId, { name: 'data' }, files);
    expect(await refusal({ name: 'data', deployProjectRoot: 'a/../b' })).toMatchObject({ code: 'request.invalid' });
  });

  it('to a branch that the repository does not have', async () => {
    host.addRepository(installationId, { name: 'data' }, files);
    expect(await refusal({ name: 'data', branch: 'gone' })).toMatchObject({ status: 400 });
  });

  it('to a second repository, or to another branch of its own', async () => {
    host.addRepository(installationId, { name: 'data' }, files);
    host.addRepository(installationId, { name: 'other' }, files);
    await connect({ name: 'data' });
    expect((await refusal({ name: 'other' })).code).toBe('github.already_connected');
    expect((await refusal({ name: 'data', branch: 'trunk' })).code).toBe('github.already_connected');
  });

  it('while it is connected over SSH', async () => {
    host.addRepository(installationId, { name: 'data' }, files);
    await platform.call(admin, 'listBranches', { path });
    const text = `insert into git_remote (tenant_id, deployment_id, kind, url, connected_at)
      values ($1, $2, 'ssh', 'git@github.com:acme/data.git', now()) returning deployment_id`;
    await platform.database.readAsSystem({ name: 'connect-over-ssh', text }, [admin.tenantId, path.deploymentId]);
    expect((await refusal({ name: 'data' })).code).toBe('github.already_connected');
  });

  it('without the name of a repository', async () => {
    expect((await refusal({})).code).toBe('request.invalid');
    expect((await refusal({ name: 'a/b/c' })).code).toBe('request.invalid');
  });
});

describe('a connected deployment', () => {
  it('has the content of the repository as its deploy branch, and builds it', async () => {
    const model = { 'model/cubes/orders.yml': cube('orders') };
    const upstream = host.addRepository(installationId, { name: 'data' }, model);
    expect(await connect({ name: 'data' })).toMatchObject({ id: path.deploymentId, creationStep: 'github' });
    expect(await filesOf('main')).toMatchObject({ '/model/cubes/orders.yml': cube('orders') });
    const status = await eventually(
      () => platform.call(admin, 'buildStatus', { path }),
      ({ status }) => status === 'built',
    );
    expect(status.lastHash).toBe(upstream.head('main'));
  });

  it('takes the branch and the folder of the request, in the words of older clients too', async () => {
    const upstream = host.addRepository(installationId, { name: 'mono' }, { 'README.md': 'mono' });
    upstream.commit('trunk', { 'bi/model/cubes/a.md': 'a' });
    await connect({ owner, repo: 'mono', branch: 'trunk', deployProjectRoot: '/bi/' });
    expect(await filesOf('trunk')).toEqual({ '/bi/model/cubes/a.md': 'a' });
  });

  it('takes a hidden folder for what it is', async () => {
    const upstream = host.addRepository(installationId, { name: 'hidden' }, { 'cube/model/a.md': 'shown' });
    const request = { name: 'hidden', deployProjectRoot: '.cube' };
    expect(await refusal(request)).toMatchObject({ message: 'Data Model folder not found at this location.' });
    upstream.commit('main', { '.cube/model/a.md': 'hidden' });
    await connect(request);
    const listed = await platform.call(admin, 'fileHashes', { path, query: { useDeployProjectRoot: true } });
    expect(Object.keys(listed)).toEqual(['model/a.md']);
  });

  it('stays as it is when it is connected to the same repository again', async () => {
    const upstream = host.addRepository(installationId, { name: 'data' }, files);
    const first = await connect({ name: 'data' });
    expect(await connect({ name: `${owner}/data` })).toEqual(first);
    expect(upstream.head('main')).not.toBeNull();
    const { items } = await platform.call(admin, 'listBranches', { path });
    expect(items).toMatchObject([{ name: 'main', lastHash: upstream.head('main') }]);
  });

  it('answers a repeat under the same key like the first time', async () => {
    host.addRepository(installationId, { name: 'data' }, files);
    const first = await connect({ name: 'data' }, { idempotencyKey: 'connect-1' });
    expect(await connect({ name: 'data' }, { idempotencyKey: 'connect-1' })).toEqual(first);
  });

  it('passes its commits on to the repository', async () => {
    const upstream = host.addRepository(installationId, { name: 'data' }, files);
    await connect({ name: 'data' });
    await platform.call(admin, 'startDevMode', { path });
    const body = { files: [{ path: 'model/cubes/new.md', content: 'new' }] };
    await platform.call(admin, 'updateFiles', { path, body });
    await platform.call(admin, 'commitChanges', { path, body: { message: 'Add new' } });
    const { items } = await platform.call(admin, 'listBranches', { path });
    const deploy = items.find(({ parentBranch }) => parentBranch === null);
    await eventually(
      async () => upstream.head('main'),
      (head) => head === deploy?.lastHash,
    );
    expect(upstream.file('main', 'model/cubes/new.md')).toBe('new');
  });
});

describe('a new repository', () => {
  it('is refused where the account is a person, and where one with commits has the name', async () => {
    host.addRepository(installationId, { name: 'taken' }, files);
    expect((await refusal({ name: 'taken', isNewRepo: true })).code).toBe('github.repository_exists');
    const login = `person-${number}`;
    const own = host.github.install({ login, type: 'User' });
    const { linkUrl } = await platform.call(admin, 'status');
    const state = new URL(linkUrl).searchParams.get('state');
    const code = host.github.authorise(login, {});
    const { linkCode } = await platform.call(admin, 'setUpGitHub', { query: { state, code } });
    await platform.call(admin, 'linkGitHubInstallations', { body: { linkCode } });
    const body = { installationId: own, name: 'new', isNewRepo: true };
    expect((await platform.refusal(admin, 'connect', { path, body })).code).toBe('request.invalid');
  });

  it.each([
    ['the data model that there is', 'upload'],
    ['a starter project', 'github'],
  ] as const)('begins with %s', async (_what, creationMethod) => {
    platform.redescribe(path.deploymentId, { creationMethod });
    await connect({ name: 'fresh', isNewRepo: true, private: true });
    const upstream = host.open(`${owner}/fresh`);
    expect(upstream?.file('main', 'cube.js')).toContain('module.exports');
    expect(Object.keys(await filesOf('main'))).toContain('/cube.js');
  });

  it('that an earlier attempt left empty is taken', async () => {
    const upstream = host.addRepository(installationId, { name: 'left' });
    await connect({ name: 'left', isNewRepo: true });
    expect(upstream.file('main', 'cube.js')).toContain('module.exports');
  });
});

describe('tokens of installations', () => {
  it('never reach a log or a stored row', async () => {
    host.addRepository(installationId, { name: 'data' }, files);
    await connect({ name: 'data' });
    const text = 'select row_to_json(git_remote)::text as row from git_remote';
    const rows = await platform.database.readAsSystem<{ row: string }>({ name: 'remotes', text });
    const written = JSON.stringify(rows) + platform.logged();
    expect(written).toContain(`/${owner}/data.git`);
    for (const secret of [...host.github.secrets, host.github.app.clientSecret]) expect(written).not.toContain(secret);
  });
});
