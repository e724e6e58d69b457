import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { anonymousPrincipal, systemPrincipal, type Principal } from '@plinth/auth';
import { startGithubHost, type GithubDelivery, type GithubHost, type UpstreamRepository } from '@plinth/testing';
import { eventually, startFixture, type Fixture } from '../../testing/fixture';
import { linkAs, settingsFor, webhookRequest } from '../../testing/github-fixture';

let platform: Fixture;
let host: GithubHost;
let admin: Principal;
let path: { deploymentId: number };
let installationId: number;
let owner: string;
let upstream: UpstreamRepository;
let number = 0;

/** The tenant of the host that GitHub happens to call: not the one that the events concern. */
const anybody = anonymousPrincipal(999, 'somebody');

beforeAll(async () => {
  host = await startGithubHost();
  platform = await startFixture(undefined, settingsFor(host.github));
});
afterAll(async () => {
  await platform?.stop();
  await host?.stop();
});
beforeEach(async () => {
  ({ admin, path } = platform.newDeployment({ creationMethod: 'github', deployProjectRoot: '' }));
  owner = `wayne-${++number}`;
  installationId = host.github.install({ login: owner });
  await linkAs(platform, host.github, admin, owner);
  // No compiler has to be started for it.
  upstream = host.addRepository(installationId, { name: 'data' }, { 'bi/model/a.md': 'a', 'README.md': '1' });
});

const push = (branch = 'main'): GithubDelivery =>
  host.github.delivery('push', host.pushOf(installationId, `${owner}/data`, branch));
const installation = (action: string): GithubDelivery =>
  host.github.delivery('installation', { action, installation: { id: installationId } });
const deliver = (delivery: GithubDelivery) => platform.call(anybody, 'receiveGitHubWebhook', webhookRequest(delivery));
const refusal = async (delivery: GithubDelivery) =>
  (await platform.refusal(anybody, 'receiveGitHubWebhook', webhookRequest(delivery))).code;
const headOf = async (branch: string) =>
  (await platform.call(admin, 'listBranches', { path })).items.find(({ name }) => name === branch)?.lastHash;
const countOf = async (table: 'build' | 'remote_task'): Promise<number> => {
  const statement = {
    name: `count-${table}`,
    text: `select count(*)::int as count from ${table} where deployment_id = $1`,
  };
  const [row] = await platform.database.readAsSystem<{ count: number }>(statement, [path.deploymentId]);
  return row?.count ?? 0;
};
const builds = () => countOf('build');
/** Waits until nothing is left to be done with the remote repository. */
const settled = () =>
  eventually(
    () => countOf('remote_task'),
    (count) => count === 0,
  );

describe('a webhook is refused', () => {
  it('without the right signature, whatever it says', async () => {
    const { headers, body } = push();
    expect(await refusal({ headers, body: `${body} ` })).toBe('github.signature_invalid');
    expect(await refusal({ headers: { ...headers, 'x-hub-signature-256': '' }, body })).toBe(
      'github.signature_invalid',
    );
  });

  it('without an identity, and when it is no JSON', async () => {
    const { headers, body } = push();
    expect(await refusal({ headers: { ...headers, 'x-github-delivery': 'again' }, body })).toBe('request.invalid');
    const broken = host.github.delivery('push', {});
    const resigned = host.github.sign('{');
    expect(await refusal({ headers: { ...broken.headers, 'x-hub-signature-256': resigned }, body: '{' })).toBe(
      'request.malformed_body',
    );
  });
});

describe('a webhook', () => {
  it('of an unknown kind is taken without effect', async () => {
    expect(await deliver(host.github.delivery('star', { action: 'created' }))).toEqual({ effect: 'ignored' });
  });

  it('of a removal takes the installation away from the account', async () => {
    await deliver(installation('deleted'));
    expect((await platform.call(admin, 'installations')).items).toEqual([]);
    const gone = { path: { installationId } };
    expect((await platform.refusal(admin, 'repositories', gone)).code).toBe('github.installation_not_found');
  });
});

describe('a webhook about the repository of a deployment,', () => {
  beforeEach(async () => {
    const body = { installationId, name: 'data', deployProjectRoot: 'bi' };
    await platform.call(admin, 'connect', { path, body });
    await settled();
  });

  it('that is delivered again, even at the same time, takes effect once', async () => {
    const delivery = push();
    const effects = await Promise.all([deliver(delivery), deliver(delivery), deliver(delivery)]);
    expect(effects.map(({ effect }) => effect).sort()).toEqual(['accepted', 'repeated', 'repeated']);
  });

  it('of a push brings the deploy branch up to date and builds it', async () => {
    const before = await builds();
    const head = upstream.commit('main', { 'bi/model/b.md': 'b' });
    expect(await deliver(push())).toEqual({ effect: 'accepted' });
    await settled();
    expect(await headOf('main')).toBe(head);
    expect(await builds()).toBe(before + 1);
  });

  it('of a push that leaves the project folder alone moves the branch and builds nothing', async () => {
    const before = await builds();
    const head = upstream.commit('main', { 'README.md': '2' });
    await deliver(push());
    await settled();
    expect(await headOf('main')).toBe(head);
    expect(await builds()).toBe(before);
  });

  it('of a push builds no production in cli mode', async () => {
    platform.redescribe(path.deploymentId, { deployMode: 'cli' });
    await platform.call(systemPrincipal(admin.tenantId), 'deliverEventsToBuildWorker', {
      body: {
        tenantId: admin.tenantId,
        events: [
          {
            eventId: randomUUID(),
            type: 'deployment.updated',
            occurredAt: new Date().toISOString(),
            payload: path,
          },
        ],
      },
    });
    const before = await builds();
    const head = upstream.commit('main', { 'bi/model/c.md': 'c' });
    await deliver(push());
    await settled();
    expect(await headOf('main')).toBe(head);
    expect(await builds()).toBe(before);
  });

  it('of a push to a branch that the deployment does not have makes none', async () => {
    upstream.commit('feature', { 'bi/model/d.md': 'd' });
    const head = upstream.commit('main', { 'bi/model/d.md': 'd' });
    await deliver(push('feature'));
    await settled();
    expect(await headOf('main')).toBe(head);
    expect(await headOf('feature')).toBeUndefined();
  });

  it('of a deletion removes a branch that is there in full, and never the deploy branch', async () => {
    await platform.call(admin, 'createBranch', { path, body: { name: 'feature' } });
    await settled();
    expect(upstream.head('feature')).toBe(await headOf('feature'));
    upstream.deleteBranch('feature');
    await deliver(push('feature'));
    await settled();
    expect(await headOf('feature')).toBeUndefined();
    expect(await headOf('main')).toBe(upstream.head('main'));
  });

  it('of a suspension ends the use of the installation until it is resumed, and then catches up', async () => {
    await deliver(installation('suspend'));
    const gone = { path: { installationId } };
    expect((await platform.refusal(admin, 'repositories', gone)).code).toBe('github.installation_suspended');
    expect(await platform.call(admin, 'status')).toMatchObject({ connected: false });
    const head = upstream.commit('main', { 'bi/model/e.md': 'e' });
    await deliver(installation('unsuspend'));
    await settled();
    expect(await headOf('main')).toBe(head);
  });
});
