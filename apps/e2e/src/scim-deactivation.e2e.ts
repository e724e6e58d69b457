import { deadlineMs, until } from '@plinth/testing';
import { type Browser, type Page } from 'playwright-core';
import { follow, launchBrowser } from './harness/browser';
import { ApiClient } from './harness/api-client';
import type { ChildService } from './harness/child-service';
import { DeviceClient, type Tokens } from './harness/device-client';
import { startSecondGateway } from './harness/separate-services';
import { joinTopology } from './harness/shared-topology';
import type { Topology } from './harness/topology';

const users = '/api/scim/v2/Users';
const email = 'grace@acme.test';
const password = 'correct horse battery staple';
const LIMIT_MS = 1_000;

describe('a user whom an identity provider deactivates, on two gateways', () => {
  let topology: Topology;
  let gateway: ChildService;
  let admin: ApiClient;
  let okta: ApiClient;
  let second: string;
  let browser: Browser;
  let page: Page;
  let device: DeviceClient;

  beforeAll(async () => {
    topology = await joinTopology('separate services on NATS');
    ({ admin } = topology);
    ({ gateway, url: second } = await startSecondGateway(topology));
    const { token } = await admin.call('createScimToken', { body: { name: 'Okta' } });
    okta = admin.as(`Bearer ${token}`);
    device = new DeviceClient(admin.baseUrl);
    browser = await launchBrowser();
    page = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
  }, deadlineMs(180_000));
  afterAll(async () => {
    await browser?.close();
    await gateway?.stop();
  });

  const enterCode = async () => {
    const { body } = await device.authorize();
    await page.goto(body.verification_uri_complete);
    await follow(page.getByRole('button', { name: 'Continue' }));
    return body;
  };
  const signIn = async (address: string) => {
    await page.getByLabel('Email address').fill(address);
    await page.getByLabel('Password').fill(password);
    await follow(page.getByRole('button', { name: 'Sign in' }));
  };
  const connect = async (): Promise<Tokens> => {
    const authorization = await enterCode();
    await signIn(email);
    await follow(page.getByRole('button', { name: 'Approve' }));
    return (await device.waitForTokens(authorization)).body;
  };
  const elsewhere = (token: string) => new ApiClient(second, `Bearer ${token}`).attempt('getCurrentUser');
  const find = async () =>
    (await okta.send('GET', users, { query: { filter: `userName eq "${email}"` } })).body as {
      Resources: { id: string; active: boolean }[];
    };

  it(
    '109 loses API keys, access and refresh tokens and the browser at once, and no sign-in brings the user back',
    async () => {
      const body = { email, username: email, password, isAdmin: true, defaultRoles: ['Admin'] };
      const { id: userId } = await admin.call('createUser', { body });
      const { tenant, plinth } = topology;
      const key = await plinth('api-keys', 'create', '--tenant', tenant, '--email', email, '--role', 'Admin');
      const { accessToken, refreshToken } = await connect();
      for (const token of [String(key['apiKey']), accessToken]) expect((await elsewhere(token)).status).toBe(200);
      const [user] = (await find()).Resources;

      const deactivation = { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: [disable] };
      const { status } = await okta.send('PATCH', `${users}/${String(user?.id)}`, { body: deactivation });
      expect(status).toBe(200);

      for (const token of [String(key['apiKey']), accessToken]) {
        const refused = () => elsewhere(token);
        await until('the second gateway to refuse', refused, (reply) => reply.status === 401, LIMIT_MS);
      }
      const refreshed = await new DeviceClient(second).refresh(refreshToken);
      expect(refreshed).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });

      await enterCode();
      await signIn(email);
      const told = await page.getByRole('alert').innerText();
      await signIn('nobody@acme.test');
      expect(told).toBe(await page.getByRole('alert').innerText());
      expect((await find()).Resources).toEqual([expect.objectContaining({ id: user?.id, active: false })]);
      const { items } = await admin.call('getUsers', { query: { search: email } });
      expect(items).toEqual([expect.objectContaining({ id: userId, isDeactivated: true })]);
    },
    deadlineMs(180_000),
  );

  it('what a gateway has answered just before it stops is in the list of requests', async () => {
    const client = new ApiClient(second, okta.credential);
    await client.send('GET', `${users}/last`, { headers: { 'x-request-id': 'last' } });
    await gateway.stop();
    const { items } = await admin.call('listScimRequests', { query: { failed: true } });
    expect(items.map(({ requestId }) => requestId)).toContain('last');
  });
});

const disable = { op: 'replace', path: 'active', value: false };
