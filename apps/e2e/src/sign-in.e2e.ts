import { deadlineMs, until } from '@plinth/testing';
import { type Browser, type BrowserContext, type Page } from 'playwright-core';
import { follow, launchBrowser } from './harness/browser';
import { DeviceClient, type DeviceAuthorization, type Tokens } from './harness/device-client';
import { onNats } from './harness/topologies';
import type { Topology } from './harness/topology';

const email = 'ada@signin.test';
const password = 'correct horse battery staple';

describe.each(onNats)('signing in a device (%s)', (_name, start) => {
  let topology: Topology;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let device: DeviceClient;
  let userId: number;
  const complaints: string[] = [];

  beforeAll(async () => {
    topology = await start();
    device = new DeviceClient(topology.admin.baseUrl);
    browser = await launchBrowser();
    const body = { email, password, username: 'ada', firstName: 'Ada', isAdmin: false, defaultRoles: ['Developer'] };
    const created = await topology.admin.call('createUser', { body });
    userId = created.id;
  }, deadlineMs(180_000));
  beforeEach(async () => {
    context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 800, height: 900 } });
    page = await context.newPage();
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  });
  afterEach(() => context.close());
  afterAll(async () => {
    await browser?.close();
    await topology?.stop();
  });

  const shoot = async (name: string) => {
    const folder = process.env['PLINTH_SCREENSHOTS'];
    if (folder) await page.screenshot({ path: `${folder}/${name}.png` });
  };
  const heading = () => page.locator('h1').innerText();
  const begin = async (): Promise<DeviceAuthorization> => (await device.authorize()).body;
  const enterCode = async ({ verification_uri_complete }: DeviceAuthorization) => {
    await page.goto(verification_uri_complete);
    await follow(page.getByRole('button', { name: 'Continue' }));
  };
  const signIn = async (word = password) => {
    await page.getByLabel('Email address').fill(email);
    await page.getByLabel('Password').fill(word);
    await follow(page.getByRole('button', { name: 'Sign in' }));
  };
  const connect = async (): Promise<Tokens> => {
    const authorization = await begin();
    await enterCode(authorization);
    await signIn();
    await follow(page.getByRole('button', { name: 'Approve' }));
    expect(await heading()).toBe('The device is connected');
    const { status, body } = await device.waitForTokens(authorization);
    expect([status, body.error]).toEqual([200, undefined]);
    return body;
  };
  /** As {@link connect}, in a browser that is signed in already. */
  const connectAgain = async (): Promise<Tokens> => {
    const authorization = await begin();
    await enterCode(authorization);
    await follow(page.getByRole('button', { name: 'Approve' }));
    return (await device.waitForTokens(authorization)).body;
  };
  const refusedSoon = (token: string) =>
    until(
      'the token is refused',
      () => me(token),
      ({ status }) => status === 401,
      1_000,
    );
  const me = (token: string, scheme = 'Bearer') => topology.admin.as(`${scheme} ${token}`).attempt('getCurrentUser');

  it('refuses clients, codes and tokens that it does not know', async () => {
    const stranger = new DeviceClient(topology.admin.baseUrl, 'somebody');
    expect(await stranger.authorize()).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    expect(await device.poll('nonsense')).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await device.refresh('nonsense')).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await device.post('/auth/device/token', { client_id: 'cube-cli' })).toMatchObject({ status: 400 });
  });

  it('lets a device wait, and tells one that asks too often to slow down', async () => {
    const authorization = await begin();
    expect(authorization).toMatchObject({ expires_in: 900, interval: 5, verification_uri: expect.any(String) });
    const { device_code } = authorization;
    expect(await device.poll(device_code)).toMatchObject({ status: 400, body: { error: 'authorization_pending' } });
    expect(await device.poll(device_code)).toMatchObject({ status: 400, body: { error: 'slow_down' } });
  });

  it(
    'tells the device when the person refuses',
    async () => {
      const authorization = await begin();
      await enterCode(authorization);
      await signIn();
      await follow(page.getByRole('button', { name: 'Deny' }));
      expect(await heading()).toBe('The device was not connected');
      await shoot('denied');
      expect(await device.waitForTokens(authorization)).toMatchObject({
        status: 400,
        body: { error: 'access_denied' },
      });
    },
    deadlineMs(120_000),
  );

  it(
    'says the same of a wrong password and of an account that is not there, and takes no wrong code',
    async () => {
      await page.goto(`${topology.admin.baseUrl}/auth/device`);
      await page.getByLabel('Code shown on the device').fill('BBBB-BBBB');
      await follow(page.getByRole('button', { name: 'Continue' }));
      expect(await page.getByRole('alert').innerText()).toContain('There is no such code');
      await shoot('wrong-code');
      await enterCode(await begin());
      await signIn('not the password');
      const wrong = await page.getByRole('alert').innerText();
      await shoot('wrong-password');
      await page.getByLabel('Email address').fill('nobody@signin.test');
      await page.getByLabel('Password').fill(password);
      await follow(page.getByRole('button', { name: 'Sign in' }));
      expect(await page.getByRole('alert').innerText()).toBe(wrong);
    },
    deadlineMs(120_000),
  );

  it(
    'connects a device that a person approves, with either scheme of the header',
    async () => {
      const authorization = await begin();
      await page.goto(authorization.verification_uri_complete);
      expect(await page.getByLabel('Code shown on the device').inputValue()).toBe(authorization.user_code);
      await shoot('code');
      await follow(page.getByRole('button', { name: 'Continue' }));
      await shoot('sign-in');
      await signIn();
      expect(await heading()).toBe('Approve this request?');
      const text = await page.locator('main').innerText();
      for (const part of [authorization.user_code, 'Command-line client', email]) expect(text).toContain(part);
      await shoot('consent');
      await follow(page.getByRole('button', { name: 'Approve' }));
      expect(await heading()).toBe('The device is connected');
      await shoot('connected');
      const { body } = await device.waitForTokens(authorization);
      expect(body.tenantUrl).toBe(topology.admin.baseUrl);
      for (const scheme of ['Bearer', 'Api-Key']) {
        expect(await me(body.accessToken, scheme)).toMatchObject({ status: 200, body: { email } });
      }
      expect(await device.poll(authorization.device_code)).toMatchObject({ status: 400 });
      expect(complaints.filter((line) => !line.includes('400 (Bad Request)'))).toEqual([]);
    },
    deadlineMs(120_000),
  );

  it(
    'gives two processes that refresh at once new tokens each, and ends both when the account is deactivated',
    async () => {
      const { refreshToken } = await connect();
      const [one, two] = await Promise.all([device.refresh(refreshToken), device.refresh(refreshToken)]);
      expect([one.status, two.status]).toEqual([200, 200]);
      expect(await me(one.body.accessToken)).toMatchObject({ status: 200 });
      expect(await me(two.body.accessToken)).toMatchObject({ status: 200 });
      await topology.admin.call('updateUser', { path: { id: userId }, body: { isDeactivated: true } });
      await refusedSoon(one.body.accessToken);
      expect(await device.refresh(two.body.refreshToken)).toMatchObject({
        status: 400,
        body: { error: 'invalid_grant' },
      });
      await topology.admin.call('updateUser', { path: { id: userId }, body: { isDeactivated: false } });
    },
    deadlineMs(120_000),
  );

  it(
    'shows people where they are signed in, and ends what they name, refresh token included, within a second',
    async () => {
      const [doomed, kept] = [await connect(), await connectAgain()];
      const own = topology.admin.as(`Bearer ${doomed.accessToken}`);
      const { items } = await own.call('listMySessions');
      const [, current] = items.filter(({ kind }) => kind === 'client');
      expect(current).toMatchObject({ clientName: 'Command-line client', address: '127.0.0.1', isCurrent: true });
      expect(items.map(({ kind }) => kind)).toContain('browser');
      await own.call('endMySession', { path: { sessionId: current?.id ?? 0 } });
      await refusedSoon(doomed.accessToken);
      expect(await device.refresh(doomed.refreshToken)).toMatchObject({
        status: 400,
        body: { error: 'invalid_grant' },
      });
      expect(await me(kept.accessToken)).toMatchObject({ status: 200 });
      await topology.admin.call('endUserSessions', { path: { id: userId } });
      await refusedSoon(kept.accessToken);
      await enterCode(await begin());
      expect(await heading()).toBe(`Sign in to ${topology.tenant}`);
    },
    deadlineMs(120_000),
  );

  it(
    'ends the session of the browser, and shows so without a script',
    async () => {
      await enterCode(await begin());
      await signIn();
      await follow(page.getByRole('link', { name: 'Sign out' }));
      await shoot('sign-out');
      await follow(page.getByRole('button', { name: 'Sign out' }));
      expect(await heading()).toBe('You are signed out');
      await enterCode(await begin());
      expect(await heading()).toBe(`Sign in to ${topology.tenant}`);
    },
    deadlineMs(120_000),
  );
});
