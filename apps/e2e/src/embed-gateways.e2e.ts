import { boundMs } from '@plinth/testing';
import type { BodyOf } from '@plinth/contract';
import { ApiClient, type ApiReply } from './harness/api-client';
import { startSecondGateway, type SecondGateway } from './harness/separate-services';
import { joinTopology } from './harness/shared-topology';
import { createDeployment } from './harness/story';
import { timeTo } from './harness/time-to';

const LIMIT_MS = 1_000;
/** What every session may ask for, so that the answer is about the credential alone. */
const ANYWHERE = '/api/scim/v2/ServiceProviderConfig';

describe('sessions of a host application on two gateways', () => {
  let second: SecondGateway;
  let admin: ApiClient;
  let elsewhere: ApiClient;
  let deploymentId: number;
  const measured: string[] = [];

  beforeAll(async () => {
    const topology = await joinTopology('separate services on NATS');
    ({ admin } = topology);
    second = await startSecondGateway(topology);
    elsewhere = new ApiClient(second.url, admin.credential);
    ({ id: deploymentId } = await createDeployment(admin));
  });
  afterAll(async () => {
    process.stdout.write(`${measured.join('\n')}\n`);
    await second?.gateway.stop();
  });

  const generate = async (body: Partial<BodyOf<'generateSession'>> = {}): Promise<string> =>
    (await admin.call('generateSession', { body: { deploymentId, externalId: 'ada', ...body } })).sessionId;
  const exchange = (sessionId: string, at: ApiClient): Promise<ApiReply> =>
    at.as(undefined).send('POST', '/api/v1/embed/session/token', { body: { sessionId } });

  it('are exchanged once, whichever gateways are asked at the same moment', async () => {
    const sessionId = await generate();
    const tries = Array.from({ length: 20 }, (_try, index) => exchange(sessionId, index % 2 ? admin : elsewhere));
    const statuses = (await Promise.all(tries)).map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array<number>(19).fill(401)]);
  });

  it.each<[string, (sessionId: string) => Promise<unknown>]>([
    ['a revoke', (sessionId) => admin.call('revokeSession', { body: { sessionId } })],
    ['the end of an embed tenant', () => admin.call('deleteEmbedTenant', { path: { embedTenantName: 'acme' } })],
    ['another secret', () => admin.call('rotateEmbedSecret')],
    ['switching embedding off', () => admin.call('updateTenantSettings', { body: { embeddingEnabled: false } })],
  ])('end on the other gateway within a second of %s', async (what, end) => {
    const sessionId = await generate({ embedTenantName: 'acme' });
    const { body } = await exchange(sessionId, admin);
    const frame = elsewhere.as(`Bearer ${(body as { token: string }).token}`);
    const status = async () => (await frame.send('GET', ANYWHERE)).status;
    expect(await status()).toBe(200);
    await end(sessionId);
    const elapsed = await timeTo(401, status, 2 * LIMIT_MS);
    measured.push(`${what}: 401 on the other gateway after ${elapsed.toFixed(1)} ms`);
    expect(elapsed).toBeLessThan(boundMs(LIMIT_MS));
  });
});
