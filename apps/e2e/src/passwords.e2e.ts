import { deadlineMs, until } from '@plinth/testing';
import { type Browser, type Page } from 'playwright-core';
import { follow, launchBrowser } from './harness/browser';
import { FormBrowser } from './harness/form-browser';
import { onNats } from './harness/topologies';
import type { Topology } from './harness/topology';

const email = 'grace@passwords.test';
const first = 'correct horse battery staple';
const second = 'incorrect donkey accumulator';
const third = 'unlikely mule generator clip';

describe.each(onNats)('passwords: %s', (_name, start) => {
  let topology: Topology;
  let browser: Browser;
  let userId: number;

  beforeAll(async () => {
    topology = await start();
    browser = await launchBrowser();
    const body = { email, password: first, username: 'grace', defaultRoles: ['Developer'] };
    userId = (await topology.admin.call('createUser', { body })).id;
  }, deadlineMs(180_000));
  afterAll(async () => {
    await browser?.close();
    await topology?.stop();
  });

  /** In a browser of its own, without scripts. */
  const browse = async <T>(work: (page: Page) => Promise<T>): Promise<T> => {
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 390, height: 780 } });
    try {
      return await work(await context.newPage());
    } finally {
      await context.close();
    }
  };
  /** Client of the API that the user approved after signing in with the password. */
  const connect = async (password: string) => {
    const { access_token: token } = await new FormBrowser(topology.admin.baseUrl).connect(email, password);
    return topology.admin.as(`Bearer ${token}`);
  };
  const setPassword = (url: string, password: string) =>
    browse(async (page) => {
      await page.goto(`${topology.admin.baseUrl}${new URL(url).pathname}`);
      const greeting = await page.getByRole('heading', { level: 1 }).textContent();
      const folder = process.env['PLINTH_SCREENSHOTS'];
      if (folder) await page.screenshot({ path: `${folder}/password-reset.png` });
      await page.getByLabel('New password', { exact: true }).fill(password);
      await page.getByLabel('New password again').fill(password);
      await follow(page.getByRole('button', { name: 'Set password' }));
      return [greeting, await page.getByRole('heading', { level: 1 }).textContent()];
    });
  const refusedSoon = (client: Topology['admin']) =>
    until(
      'the session is refused',
      () => client.attempt('getCurrentUser'),
      ({ status }) => status === 401,
      1_000,
    );

  it('are reset by a link from an administrator, and nothing of before is left within a second', async () => {
    const session = await connect(first);
    const { url } = await topology.admin.call('resetUserPassword', { path: { id: userId } });
    expect((await session.call('getCurrentUser')).email).toBe(email);
    expect(await setPassword(url, second)).toEqual(['Choose a new password', 'Your password is set']);
    await refusedSoon(session);
    expect((await (await connect(second)).call('getCurrentUser')).email).toBe(email);
  });

  it('are changed by their owners, whose other sessions end within a second', async () => {
    const [here, there] = [await connect(second), await connect(second)];
    const body = { currentPassword: first, newPassword: third };
    expect(await here.refusal('changeMyPassword', { body })).toMatchObject({ status: 403, code: 'password.wrong' });
    await here.call('changeMyPassword', { body: { ...body, currentPassword: second } });
    await refusedSoon(there);
    expect((await here.call('getCurrentUser')).email).toBe(email);
  });

  it('are reset by the operator when nobody else can', async () => {
    const line = await topology.plinth(
      'users',
      'reset-password',
      '--tenant',
      topology.tenant,
      '--email',
      'admin@localhost',
    );
    expect(line).toEqual({ email: 'admin@localhost', url: expect.any(String), expiresAt: expect.any(String) });
    expect(await setPassword(String(line['url']), first)).toEqual(['Choose a new password', 'Your password is set']);
    expect((await topology.admin.call('getCurrentUser')).lastLogin).toBeNull();
  });
});
