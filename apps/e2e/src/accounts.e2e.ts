import type { ReplyOf } from '@plinth/contract';
import { until } from '@plinth/testing';
import { type Browser, type Page } from 'playwright-core';
import request from 'supertest';
import { follow, launchBrowser } from './harness/browser';
import { uniqueName } from './harness/story';
import { otherTenant } from './harness/other-tenant';
import { onNats } from './harness/topologies';
import type { Topology } from './harness/topology';

const password = 'correct horse battery staple';

describe.each(onNats)('accounts: %s', (_name, start) => {
  let topology: Topology;

  beforeAll(async () => {
    topology = await start();
  });
  afterAll(() => topology?.stop());

  const newUser = (more: object = {}): Promise<ReplyOf<'createUser'>> => {
    const name = uniqueName('person').toLowerCase().replaceAll(' ', '-');
    return topology.admin.call('createUser', { body: { email: `${name}@acme.test`, username: name, ...more } });
  };
  const pathOf = (user: ReplyOf<'createUser'>): string => new URL(user.invitation?.url ?? '').pathname;

  it("keeps a tenant's users, groups and attributes from every other tenant", async () => {
    const { admin } = topology;
    const user = await newUser();
    const group = await admin.call('createUserGroup', { body: { name: uniqueName('Group') } });
    const attribute = await admin.call('createUserAttribute', { body: { name: uniqueName('fact'), type: 'string' } });
    const { admin: stranger, host } = await otherTenant(topology);
    for (const path of [
      `PUT /api/v1/users/${user.id}`,
      `DELETE /api/v1/users/${user.id}`,
      `POST /api/v1/users/${user.id}/invitation`,
      `GET /api/v1/user-groups/${group.id}`,
      `PUT /api/v1/user-groups/${group.id}`,
      `DELETE /api/v1/user-groups/${group.id}`,
      `DELETE /api/v1/groups/${group.id}`,
      `GET /api/v1/user-groups/${group.id}/users`,
      `PUT /api/v1/user-attributes/${attribute.id}`,
      `DELETE /api/v1/user-attributes/${attribute.id}`,
      `GET /api/v1/user-attribute-values/${user.id}`,
    ]) {
      const [method = '', target = ''] = path.split(' ');
      const body = method === 'PUT' ? { body: {} } : {};
      expect([path, (await stranger.send(method, target, body)).status]).toEqual([path, 404]);
    }
    expect((await stranger.call('getUsers')).items.map(({ email }) => email)).toEqual(['a@acme.test']);
    expect((await stranger.call('getUsers', { query: { search: user.username } })).items).toEqual([]);
    expect((await stranger.call('getUserGroups')).items).toEqual([]);
    expect((await stranger.call('getUserAttributes')).items).toEqual([]);
    expect((await request(admin.baseUrl).get(pathOf(user)).set('Host', host)).status).toBe(404);
    expect((await admin.call('getUserGroup', { path: { id: group.id } })).name).toBe(group.name);
  });

  it('answers the paths and bodies that command-line clients send', async () => {
    const { admin } = topology;
    const { id } = await newUser();
    const attribute = await admin.send('POST', '/api/v1/user-attributes/', {
      body: { name: uniqueName('fact'), type: 'number', defaultValue: '5' },
    });
    const { id: attributeId } = attribute.body as { id: number };
    for (const path of [
      '/api/v1/users/',
      '/api/v1/users/me',
      '/api/v1/users/embed-theme',
      '/api/v1/user-groups/',
      '/api/v1/user-attributes/?offset=0&limit=5&type=number',
      `/api/v1/user-attribute-values/${id}`,
    ]) {
      expect([path, (await admin.send('GET', path)).status]).toEqual([path, 200]);
    }
    const bound = await admin.send('POST', '/api/v1/user-attribute-values/', {
      body: { userId: String(id), userAttributeId: String(attributeId) },
    });
    expect([bound.status, (bound.body as { value: unknown }).value]).toEqual([200, null]);
    expect((await admin.send('POST', `/api/v1/users/${id}/invitation`)).status).toBe(200);
    const mixed = await admin.send('GET', '/api/v1/user-attributes/?offset=0&first=1');
    expect(mixed.status).toBe(400);
  });

  it('refuses the key of a deactivated user within a second, and takes it again after activation', async () => {
    const { admin } = topology;
    const user = await newUser({ isAdmin: true, password });
    const issued = await topology.plinth('api-keys', 'create', '--tenant', topology.tenant, '--email', user.email);
    const own = admin.as(`Bearer ${String(issued['apiKey'])}`);
    const statusBecomes = (expected: number) =>
      until(
        `status ${expected}`,
        () => own.attempt('getCurrentUser'),
        ({ status }) => status === expected,
        1_000,
      );
    expect((await own.call('getCurrentUser')).id).toBe(user.id);
    await admin.call('updateUser', { path: { id: user.id }, body: { isDeactivated: true } });
    await statusBecomes(401);
    await admin.call('bulkUserAction', { body: { action: 'ACTIVATE', userIds: [user.id] } });
    await statusBecomes(200);
    await admin.call('deleteUser', { path: { id: user.id } });
    await statusBecomes(401);
  });

  describe('the page of an invitation', () => {
    let browser: Browser;
    let page: Page;

    beforeAll(async () => {
      browser = await launchBrowser();
      const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 390, height: 780 } });
      page = await context.newPage();
    });
    afterAll(() => browser?.close());

    const open = (user: ReplyOf<'createUser'>) => page.goto(`${topology.admin.baseUrl}${pathOf(user)}`);
    const submit = async (word: string, repetition: string) => {
      await page.getByLabel('New password', { exact: true }).fill(word);
      await page.getByLabel('New password again').fill(repetition);
      await follow(page.getByRole('button', { name: 'Set password' }));
    };
    const heading = () => page.getByRole('heading', { level: 1 }).textContent();
    const shoot = async (name: string) => {
      const folder = process.env['PLINTH_SCREENSHOTS'];
      if (folder) await page.screenshot({ path: `${folder}/invitation-${name}.png` });
    };

    it('lets a person without scripts choose a password, once, after telling what is wrong', async () => {
      const user = await newUser({ firstName: 'Ada' });
      await open(user);
      expect(await heading()).toBe('Welcome, Ada');
      await shoot('form');
      expect(await page.getByRole('textbox').count()).toBe(await page.getByLabel(/^New password/).count());
      await submit(password, `${password}!`);
      expect(await page.getByRole('alert').textContent()).toBe('The two passwords are not the same');
      await submit(password, password);
      expect(await heading()).toBe('Your password is set');
      await shoot('done');
      const { items } = await topology.admin.call('getUsers', { query: { search: user.username } });
      expect(items).toMatchObject([{ id: user.id, status: 'ACTIVE' }]);
      expect((await open(user))?.status()).toBe(404);
      await shoot('used');
    });

    it('is styled by what its policy allows', async () => {
      await open(await newUser());
      expect(await page.evaluate(`getComputedStyle(document.querySelector('main')).borderRadius`)).toBe('8px');
    });
  });
});
