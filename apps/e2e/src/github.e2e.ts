import { startGithubHost, type GithubDelivery, type GithubHost, type UpstreamRepository, until } from '@plinth/testing';
import type { ApiClient } from './harness/api-client';
import { githubSettings, linkToGithub, sendWebhook } from './harness/github';
import { startSeparateServices, type SeparateServices } from './harness/separate-services';
import { buildEnd, createDeployment } from './harness/story';

const model = (name: string) => `cubes:\n  - name: ${name}\n    sql_table: ${name}\n`;

/** A deployment that is connected to a repository of an organisation. */
interface Connected {
  installationId: number;
  path: { deploymentId: number };
  upstream: UpstreamRepository;
  push(): GithubDelivery;
  headIs(commit: string): Promise<unknown>;
}

async function connect(admin: ApiClient, host: GithubHost): Promise<Connected> {
  const organisation = 'acme';
  const installationId = host.github.install({ login: organisation });
  await linkToGithub(admin, host.github, organisation);
  const upstream = host.addRepository(installationId, { name: 'data' }, { 'model/orders.yml': model('orders') });
  const path = { deploymentId: (await createDeployment(admin)).id };
  await admin.call('connect', { path, body: { installationId, name: 'data' } });
  const heads = async () => (await admin.call('listBranches', { path })).items.map(({ lastHash }) => lastHash);
  return {
    path,
    upstream,
    installationId,
    push: () => host.github.delivery('push', host.pushOf(installationId, `${organisation}/data`, 'main')),
    headIs: (commit) => until('the pushed commit', heads, (seen) => seen.includes(commit)),
  };
}

/** Id of the request in whose middle the worker dies. */
const doomed = 'doomed-1';
let host: GithubHost;
let topology: SeparateServices;
let admin: ApiClient;
let deployment: Connected;

beforeAll(async () => {
  host = await startGithubHost();
  const environment = githubSettings(host.github);
  const settings = { 'build-worker-1': { PLINTH_FAILPOINT: `github.before-receipt@${doomed}` } };
  topology = await startSeparateServices({ buildWorkers: 1, runtimes: 0, services: [], environment, settings });
  ({ admin } = topology);
  deployment = await connect(admin, host);
});
afterAll(async () => {
  await topology?.stop();
  await host?.stop();
});

describe('a deployment whose data model is at GitHub', () => {
  it('refuses webhooks with a wrong signature, too large ones, and takes a repeated one once', async () => {
    const delivery = deployment.push();
    const forged = { ...delivery, body: delivery.body.replace('main', 'evil') };
    expect(await sendWebhook(admin, forged)).toMatchObject({ status: 401, body: { code: 'github.signature_invalid' } });
    const large = host.github.delivery('push', { padding: 'x'.repeat(6 * 1024 * 1024) });
    expect(await sendWebhook(admin, large)).toMatchObject({ status: 413, body: { code: 'request.too_large' } });
    expect(await sendWebhook(admin, delivery)).toMatchObject({ status: 200, body: { effect: 'accepted' } });
    expect(await sendWebhook(admin, delivery)).toMatchObject({ status: 200, body: { effect: 'repeated' } });
  });

  it('hides the installation from other tenants, until the operator links it to them', async () => {
    const made = await topology.plinth(
      ...['tenants', 'create', '--name', 'other', '--host', 'other.localhost', '--admin-email', 'o@other.test'],
    );
    const stranger = admin.at('other.localhost', `Bearer ${String(made['apiKey'])}`);
    const path = { installationId: deployment.installationId };
    expect(await stranger.refusal('repositories', { path })).toMatchObject({ status: 404 });
    const installation = String(deployment.installationId);
    await topology.plinth('github', 'link', '--tenant', 'other', '--installation', installation);
    expect((await stranger.call('repositories', { path })).items).toMatchObject([{ name: 'data' }]);
  });

  it('is built from the repository, and again when somebody pushes', async () => {
    const { path, upstream, headIs, push } = deployment;
    expect(await buildEnd(admin, path.deploymentId)).toMatchObject({ lastHash: upstream.head('main') });
    const commit = upstream.commit('main', { 'model/customers.yml': model('customers') });
    expect(await sendWebhook(admin, push())).toMatchObject({ status: 200 });
    await headIs(commit);
    await until(
      'the build of the pushed commit',
      () => admin.call('buildStatus', { path }),
      ({ lastHash, status }) => lastHash === commit && status === 'built',
    );
    const settings = await admin.call('getDeploymentSettings', { path });
    expect(settings).toMatchObject({ creationMethod: 'github', creationStep: 'github', repoType: 'git' });
  });

  it('answers with a retriable error while GitHub is down, and never writes a token to a log', async () => {
    const path = { installationId: deployment.installationId };
    const refusal = await host.github.outage(() => admin.refusal('repositories', { path }));
    expect(refusal).toMatchObject({ status: 503, code: 'github.unavailable' });
    const logged = [...topology.processes.values()].flatMap(({ lines }) => lines).join('\n');
    expect(logged).toContain('receiveGitHubWebhook');
    for (const secret of [...host.github.secrets, host.github.app.clientSecret]) expect(logged).not.toContain(secret);
  });
});

describe('a webhook of GitHub, when the only build worker dies', () => {
  it('after it was accepted, at its claim and again before its end, takes effect once a worker stays', async () => {
    const commit = deployment.upstream.commit('main', { 'model/more.yml': model('more') });
    const claims = await topology.restart('build-worker-1', { PLINTH_FAILPOINT: 'remote.after-claim' });
    const send = () => sendWebhook(admin, deployment.push());
    await until('the receipt', send, ({ status }) => status === 200);
    await claims.ended();
    const finishes = await topology.restart('build-worker-1', { PLINTH_FAILPOINT: 'remote.before-finish' });
    await finishes.ended();
    await topology.restart('build-worker-1');
    await deployment.headIs(commit);
  });

  it('before it was accepted, is taken when GitHub sends it again', async () => {
    const commit = deployment.upstream.commit('main', { 'model/last.yml': model('last') });
    const delivery = deployment.push();
    const lost = sendWebhook(admin, delivery, { 'x-request-id': doomed });
    await topology.processes.get('build-worker-1')?.ended();
    await topology.restart('build-worker-1');
    expect((await lost).status).toBeGreaterThanOrEqual(500);
    const again = await until(
      'the receipt',
      () => sendWebhook(admin, delivery),
      ({ status }) => status === 200,
    );
    expect(again.body).toEqual({ effect: 'accepted' });
    await deployment.headIs(commit);
  });
});
