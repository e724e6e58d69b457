import 'reflect-metadata';
import type { Principal } from '@plinth/auth';
import { startGithubServer, type GithubServer } from '@plinth/testing';
import { startFixture, type Fixture } from '../../testing/fixture';
import { linkAs, settingsFor } from '../../testing/github-fixture';
import { grantsOf, userOf } from '../../testing/worker-harness';

let platform: Fixture;
let github: GithubServer;
let admin: Principal;
let installationId: number;
let path: { installationId: number };
let owner: string;
let number = 0;

beforeAll(async () => {
  github = await startGithubServer();
  platform = await startFixture(undefined, settingsFor(github));
});
afterAll(async () => {
  await platform?.stop();
  await github?.close();
});
beforeEach(async () => {
  ({ admin } = platform.newDeployment());
  owner = `globex-${++number}`;
  installationId = github.install({ login: owner });
  path = { installationId };
  await linkAs(platform, github, admin, owner);
});

const branchesOf = (repo: string, more: object = {}) => ({ path: { owner, repo }, query: { installationId, ...more } });

describe('repositories of an installation', () => {
  it('are refused to who may not change deployments', async () => {
    const reader = userOf(admin.tenantId, 5, grantsOf('DeploymentRead'));
    expect((await platform.refusal(reader, 'repositories', { path })).code).toBe('access.denied');
  });

  it('are refused while the installation is suspended', async () => {
    github.suspend(installationId);
    expect((await platform.refusal(admin, 'repositories', { path })).code).toBe('github.installation_suspended');
  });

  it('are paged by our cursors over the pages of GitHub, each once', async () => {
    const names = Array.from({ length: 130 }, (_none, index) => `model-${String(index).padStart(3, '0')}`);
    for (const name of names) github.addRepository(installationId, { name });
    const seen: string[] = [];
    for (let after: string | undefined; ;) {
      const query = { first: 45, ...(after !== undefined && { after }) };
      const { items, pageInfo } = await platform.call(admin, 'repositories', { path, query });
      seen.push(...items.map(({ name }) => name));
      expect(pageInfo?.hasPreviousPage).toBe(after !== undefined);
      if (!pageInfo?.hasNextPage) break;
      after = pageInfo.endCursor ?? '';
    }
    expect(seen).toEqual(names);
    const all = await platform.call(admin, 'repositories', { path, query: { first: 5_000 } });
    expect(all.items).toHaveLength(130);
  });

  it('refuse a cursor of another list', async () => {
    github.addRepository(installationId, { name: 'model', branches: ['a', 'b'] });
    const { pageInfo } = await platform.call(admin, 'branches', branchesOf('model', { first: 1 }));
    const query = { after: pageInfo?.endCursor };
    expect((await platform.refusal(admin, 'repositories', { path, query })).code).toBe('request.cursor_invalid');
  });
});

describe('branches of a repository', () => {
  it('are refused for a public repository that the installation does not cover', async () => {
    const elsewhere = github.install({ login: `${owner}-other` });
    github.addRepository(elsewhere, { name: 'public', private: false });
    const request = { path: { owner: `${owner}-other`, repo: 'public' }, query: { installationId } };
    expect((await platform.refusal(admin, 'branches', request)).code).toBe('github.repository_not_found');
  });

  it('are refused for the same name below another owner', async () => {
    const elsewhere = github.install({ login: `${owner}-other` });
    github.addRepository(elsewhere, { name: 'model', private: false });
    github.addRepository(installationId, { name: 'model' });
    const request = { path: { owner: `${owner}-other`, repo: 'model' }, query: { installationId } };
    expect((await platform.refusal(admin, 'branches', request)).code).toBe('github.repository_not_found');
  });

  it('name the default branch', async () => {
    github.addRepository(installationId, { name: 'model', branches: ['trunk', 'feature'], defaultBranch: 'trunk' });
    expect((await platform.call(admin, 'branches', branchesOf('model'))).items).toEqual([
      { name: 'feature', isDefault: false },
      { name: 'trunk', isDefault: true },
    ]);
  });
});

describe('GitHub', () => {
  const refused = { status: 429, body: { message: 'slow down' } };

  it('that fails for a moment is asked again', async () => {
    const down = { status: 502, body: { message: 'bad gateway' } };
    await platform.call(admin, 'repositories', { path });
    github.answerNext(down, down);
    expect((await platform.call(admin, 'repositories', { path })).items).toEqual([]);
  });

  it('that asks for a short pause gets it', async () => {
    await platform.call(admin, 'repositories', { path });
    github.answerNext({ ...refused, headers: { 'retry-after': '1' } });
    expect((await platform.call(admin, 'repositories', { path })).items).toEqual([]);
  });

  it.each([
    ['a long pause', { ...refused, headers: { 'retry-after': '120' } }, 120],
    ['a pause of no length', refused, 60],
  ])('that asks for %s is left alone, and the client hears for how long', async (_what, answer, seconds) => {
    await platform.call(admin, 'repositories', { path });
    const before = github.requests.length;
    github.answerNext(answer);
    const error = await platform.refusal(admin, 'repositories', { path });
    expect(error).toMatchObject({ code: 'github.unavailable', status: 503, retryAfterSeconds: seconds });
    expect(github.requests).toHaveLength(before + 1);
  });

  it('that does not accept the App is told apart from one that is down', async () => {
    github.answerNext({ status: 401, body: { message: 'Bad credentials' } });
    const error = await platform.refusal(admin, 'repositories', { path });
    expect(error.code).toBe('github.refused');
  });

  it('that cannot be reached is a retriable error without any secret', async () => {
    const other = await startGithubServer();
    const alone = await startFixture(undefined, settingsFor(other));
    try {
      const { admin: user } = alone.newDeployment();
      const id = other.install({ login: 'initech' });
      await linkAs(alone, other, user, 'initech');
      await other.close();
      const error = await alone.refusal(user, 'repositories', { path: { installationId: id } });
      expect(error).toMatchObject({ code: 'github.unavailable', status: 503 });
      for (const secret of [...other.secrets, other.app.clientSecret]) {
        expect(JSON.stringify([error.message, error.cause])).not.toContain(secret);
      }
    } finally {
      await alone.stop();
    }
  });
});
