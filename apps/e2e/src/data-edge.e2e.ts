import { until } from '@plinth/testing';
import type { ApiClient, ApiReply } from './harness/api-client';
import { otherTenant } from './harness/other-tenant';
import { createDeployment, openDevBranch, uniqueName } from './harness/story';
import { topologies } from './harness/topologies';
import type { Topology } from './harness/topology';

const LIMIT_MS = 1_000;

/** The body is looked at behind the last gate, and one that is no JSON troubles no engine. */
const passed = ({ body }: ApiReply): boolean => codeOf(body) === 'request.unsupported_media_type';
const codeOf = (body: unknown): string => (body as { code?: string } | undefined)?.code ?? '';

describe.each(topologies)('the way in to the data of a deployment: %s', (_name, start) => {
  let topology: Topology;
  let admin: ApiClient;
  let deploymentId: number;
  let address: string;

  beforeAll(async () => {
    topology = await start();
    ({ admin } = topology);
    ({ id: deploymentId } = await createDeployment(admin));
    address = `/deployments/${deploymentId}`;
  });
  afterAll(() => topology?.stop());

  const environments = async () =>
    (await admin.call('getDeploymentEnvironments', { path: { deploymentId } })).items.map(
      ({ type, id, api_credentials: [rest] }) => ({ type, id: Number(id), url: new URL(rest?.url ?? '') }),
    );
  const token = async () => (await admin.call('deploymentToken', { path: { deploymentId } })).cubeApiToken;
  const environmentToken = async (environmentId: number) => {
    const request = { path: { deploymentId, environmentId }, body: { security_context: {} } };
    return (await admin.call('createDeploymentEnvironmentToken', request)).data.token;
  };
  const load = (credential: string | undefined, path = address, at = admin, headers = {}) => {
    const body = { query: { measures: ['orders.count'] } };
    return at.as(credential).send('POST', `${path}/cubejs-api/v1/load`, { body, headers });
  };
  const knock = (credential: string | undefined, path = address, at = admin) =>
    load(credential, path, at, { 'content-type': 'text/plain' });

  it('is closed to who has no token, an API key, or a token of another deployment', async () => {
    const { id } = await createDeployment(admin, uniqueName('other'));
    const foreign = (await admin.call('deploymentToken', { path: { deploymentId: id } })).cubeApiToken;
    for (const credential of [undefined, admin.credential, foreign]) {
      expect(await knock(credential)).toMatchObject({ status: 403, body: { error: expect.any(String) } });
    }
  });

  it('is not there for another tenant, by path and with a token of their own', async () => {
    const stranger = await otherTenant(topology);
    expect(await knock(await token(), address, stranger.admin)).toMatchObject({ status: 404 });
    const { id } = await createDeployment(stranger.admin);
    const path = { deploymentId: id };
    const theirs = (await stranger.admin.call('deploymentToken', { path })).cubeApiToken;
    expect(await knock(theirs)).toMatchObject({ status: 403 });
  });

  it('has the address that the client has used, at which it answers', async () => {
    const { deploymentUrl } = await admin.call('getDeployment', { path: { deploymentId } });
    expect(deploymentUrl).toBe(`${admin.baseUrl}${address}`);
    expect((await fetch(`${deploymentUrl}/livez`)).status).toBe(200);
    const own = await token();
    // It is the runtime that knows what the deployment lacks.
    await until(
      'the answer of the runtime',
      async () => (await load(own)).body,
      (body) => (body as { error?: string }).error?.includes('CUBEJS_DB_TYPE') ?? false,
    );
    expect((await environments()).map(({ url }) => url.href)).toEqual([`${deploymentUrl}/cubejs-api/v1`]);
  });

  it('has a host of its own, under which there is nothing else', async () => {
    const host = `deployment-${deploymentId}.local.localhost`;
    expect(await admin.at(host).send('GET', '/livez')).toMatchObject({ status: 200 });
    expect(passed(await knock(await token(), '', admin.at(host)))).toBe(true);
    const platform = await admin.at(host).send('GET', `/api/v1/deployments/${deploymentId}`);
    expect(platform).toMatchObject({ status: 404, body: { code: 'request.not_found' } });
  });

  it('has its own domain as soon as it is set, and no longer than it is', async () => {
    const customDomain = `data-${deploymentId}.acme.example`;
    const alive = async () => (await admin.at(customDomain).send('GET', '/livez')).status;
    expect(await alive()).toBe(404);
    const set = (domain: string | null) =>
      admin.call('updateDeployment', { path: { deploymentId }, body: { customDomain: domain } });
    expect(await set(customDomain)).toMatchObject({ deploymentUrl: `https://${customDomain}` });
    await until('the domain answers', alive, (status) => status === 200, LIMIT_MS);
    await set(null);
    await until('the domain is gone', alive, (status) => status === 404, LIMIT_MS);
  });

  it('of a dev branch is there at once for who has it, and for nobody else', async () => {
    const gone = await knock(await token(), `${address}/dev-mode/nothing`);
    expect(gone).toMatchObject({ status: 404, body: { error: expect.stringContaining('"nothing"') } });
    const branch = await openDevBranch(admin, deploymentId);
    const dev = (await environments()).find(({ type }) => type === 'development');
    expect(dev?.url.pathname).toBe(`${address}/dev-mode/${encodeURIComponent(branch)}/cubejs-api/v1`);
    const own = await environmentToken(dev?.id ?? 0);
    expect(passed(await knock(own, `${address}/dev-mode/${branch}`))).toBe(true);
    expect(await knock(await token(), `${address}/dev-mode/${branch}`)).toMatchObject({ status: 404 });
    expect(await knock(own)).toMatchObject({ status: 403 });
  });

  it('is closed within a second after the secret was replaced', async () => {
    const old = await token();
    expect(passed(await knock(old))).toBe(true);
    await admin.call('rotateDeploymentSecret', { path: { deploymentId } });
    await until(
      'the token is refused',
      () => knock(old),
      ({ status }) => status === 403,
      LIMIT_MS,
    );
    expect(passed(await knock(await token()))).toBe(true);
  });
});
