import 'reflect-metadata';
import type { Principal } from '@plinth/auth';
import { startGithubServer, type GithubServer } from '@plinth/testing';
import { startFixture, type Fixture } from '../../testing/fixture';
import { linkAs, settingsFor, stateFor } from '../../testing/github-fixture';
import { grantsOf, userOf } from '../../testing/worker-harness';

let platform: Fixture;
let github: GithubServer;
let admin: Principal;
let installationId: number;
let organisation: string;
let number = 0;

beforeAll(async () => {
  github = await startGithubServer();
  platform = await startFixture(undefined, settingsFor(github));
});
afterAll(async () => {
  await platform?.stop();
  await github?.close();
});
beforeEach(() => {
  ({ admin } = platform.newDeployment());
  organisation = `acme-${++number}`;
  installationId = github.install({ login: organisation });
});

const offerFor = async (principal: Principal): Promise<string> => {
  const state = await stateFor(platform, principal);
  const code = github.authorise('octocat', { [organisation]: 'admin' });
  return (await platform.call(principal, 'setUpGitHub', { query: { state, code } })).linkCode;
};
const linked = async (principal: Principal) => (await platform.call(principal, 'installations')).items;

describe('an account is not linked to GitHub', () => {
  it.each([
    ['by somebody who merely works on a repository', 'member'],
    ['by somebody who has nothing to do with the organisation', undefined],
  ] as const)('%s', async (_who, role) => {
    const state = await stateFor(platform, admin);
    const code = github.authorise('mallory', role ? { [organisation]: role } : {});
    const query = { state, code, installation_id: installationId };
    expect((await platform.refusal(admin, 'setUpGitHub', { query })).code).toBe('github.not_owner');
  });

  it('by the number of an installation alone, or with a code that was used', async () => {
    const state = await stateFor(platform, admin);
    const code = github.authorise('octocat', { [organisation]: 'admin' });
    await platform.call(admin, 'setUpGitHub', { query: { state, code } });
    const query = { state, code, installation_id: installationId };
    expect((await platform.refusal(admin, 'setUpGitHub', { query })).code).toBe('github.link_invalid');
  });

  it('with a state that the platform did not make', async () => {
    const code = github.authorise('octocat', { [organisation]: 'admin' });
    const query = { state: 'bm90IG91cnM', code };
    expect((await platform.refusal(admin, 'setUpGitHub', { query })).code).toBe('github.link_invalid');
  });

  it('by the return from GitHub alone, so that nobody links to the account of whoever led them there', async () => {
    await offerFor(admin);
    expect(await linked(admin)).toEqual([]);
    expect(await platform.call(admin, 'status')).toMatchObject({ connected: false });
  });

  it.each([
    ['another user of the account', () => userOf(admin.tenantId, 7_777)],
    ['a user of another account', () => userOf(admin.tenantId + 50_000, admin.userId ?? 0)],
  ])('by %s than the one who began', async (_who, other) => {
    const body = { linkCode: await offerFor(admin) };
    expect((await platform.refusal(other(), 'linkGitHubInstallations', { body })).code).toBe('github.link_invalid');
  });

  it('twice by one code, nor by somebody who administers nothing', async () => {
    const body = { linkCode: await offerFor(admin) };
    const reader = userOf(admin.tenantId, admin.userId ?? 0, grantsOf('DeploymentUpdate'));
    expect((await platform.refusal(reader, 'linkGitHubInstallations', { body })).code).toBe('access.denied');
    await platform.call(admin, 'linkGitHubInstallations', { body });
    expect((await platform.refusal(admin, 'linkGitHubInstallations', { body })).code).toBe('github.link_invalid');
  });
});

describe('an account is linked to GitHub', () => {
  it('when the owner of the organisation comes back and sends the code', async () => {
    await linkAs(platform, github, admin, organisation);
    expect(await linked(admin)).toEqual([
      {
        installationId: String(installationId),
        id: String(installationId),
        login: organisation,
        accountLogin: organisation,
        accountType: 'Organization',
        avatarUrl: `${github.webUrl}/avatars/${organisation}`,
      },
    ]);
    expect(await platform.call(admin, 'status')).toMatchObject({ connected: true });
  });

  it('for itself and no other account', async () => {
    await linkAs(platform, github, admin, organisation);
    const { admin: stranger } = platform.newDeployment();
    expect(await linked(stranger)).toEqual([]);
    const path = { installationId };
    expect((await platform.refusal(stranger, 'repositories', { path })).code).toBe('github.installation_not_found');
    const branches = { path: { owner: organisation, repo: 'model' }, query: { installationId } };
    expect((await platform.refusal(stranger, 'branches', branches)).code).toBe('github.installation_not_found');
  });

  it('by addresses of the App, which carry the state', async () => {
    const { linkUrl, settingsUrl } = await platform.call(admin, 'status');
    expect(linkUrl).toContain(`${github.webUrl}/login/oauth/authorize?client_id=${github.app.clientId}&state=`);
    expect(settingsUrl).toContain(`${github.webUrl}/github-apps/${github.app.slug}/installations/new?state=`);
  });
});

describe('without a GitHub App', () => {
  let bare: Fixture;
  beforeAll(async () => {
    bare = await startFixture();
  });
  afterAll(() => bare?.stop());

  it('the status says so and everything else is refused', async () => {
    const { admin: user } = bare.newDeployment();
    expect(await bare.call(user, 'status')).toEqual({ connected: false, linkUrl: '', settingsUrl: '' });
    expect((await bare.refusal(user, 'installations')).code).toBe('github.not_configured');
    const path = { installationId: 1 };
    expect((await bare.refusal(user, 'repositories', { path })).code).toBe('github.not_configured');
  });
});
