import { dataDocument, publicDocument } from '@plinth/contract';
import { until } from '@plinth/testing';
import { type Browser, type Page } from 'playwright-core';
import { follow, launchBrowser, seriousProblems } from './harness/browser';
import { DeviceClient } from './harness/device-client';
import { createDeployment } from './harness/story';
import { joinTopology } from './harness/shared-topology';
import type { Topology } from './harness/topology';

describe('the API reference at /docs', () => {
  let topology: Topology;
  let browser: Browser;
  let page: Page;
  /** The same on a telephone, for who prefers dark colours. */
  let telephone: Page;
  const complaints: string[] = [];
  const strangers: string[] = [];

  beforeAll(async () => {
    topology = await joinTopology('one process');
    browser = await launchBrowser();
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith(topology.admin.baseUrl) && !request.url().startsWith('data:')) {
        strangers.push(request.url());
      }
    });
    telephone = await browser.newPage({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
    for (const each of [page, telephone]) {
      await each.goto(`${topology.admin.baseUrl}/docs`);
      await each.getByRole('heading', { name: 'Plinth Platform API' }).waitFor();
    }
  });
  afterAll(async () => {
    await browser?.close();
    await topology?.stop();
  });

  it('fits a telephone, in the colours that the reader prefers', async () => {
    await telephone.locator('body.dark-mode').waitFor();
    expect(await telephone.evaluate('document.documentElement.scrollWidth')).toBe(390);
  });

  it('has nothing serious that keeps people out, in light and in dark', async () => {
    await telephone.setViewportSize({ width: 1280, height: 900 });
    expect(await seriousProblems(page)).toEqual([]);
    expect(await seriousProblems(telephone)).toEqual([]);
    await telephone.close();
  });

  it.each(['light', 'dark'] as const)('nor have the pages beside it, in %s', async (colorScheme) => {
    const looked = await browser.newPage({ viewport: { width: 1280, height: 900 }, colorScheme });
    for (const path of ['/', '/auth/device', '/auth/authorize?client_id=nobody']) {
      await looked.goto(`${topology.admin.baseUrl}${path}`);
      await looked.getByRole('heading', { level: 1 }).first().waitFor();
      expect([path, await seriousProblems(looked)]).toEqual([path, []]);
    }
    await looked.close();
  });

  it('shows every tag of the document in the side bar', async () => {
    const tags = (publicDocument.tags ?? []).map(({ name }) => name);
    const shown = await sideBarWith([...tags, 'Data models', 'Rights and credentials']);
    expect(shown).not.toContain('More\n');
  });

  /** The text of the side bar as soon as the names are in it. */
  const sideBarWith = (names: readonly string[]): Promise<string> =>
    until(
      'the side bar',
      () => page.getByRole('navigation').first().innerText(),
      (text) => names.every((name) => text.includes(name)),
    );
  const createBranch = () => page.getByRole('region', { name: 'Create a shared branch' });

  it('finds an operation by its id, and shows who may call it', async () => {
    await page.getByPlaceholder('Token').first().fill(topology.admin.credential.replace('Bearer ', ''));
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Enter search query' }).fill('createBranch');
    await page.getByRole('option', { name: /Create a shared branch/ }).click();
    await createBranch().getByText('SchemaUpdateDevBranches').first().waitFor();
    await createBranch().getByText('Idempotency-Key').first().waitFor();
  });

  it('shows samples for curl, TypeScript and Python', async () => {
    await createBranch().getByRole('button', { name: /Curl/ }).click();
    for (const sample of ['Curl', 'TypeScript', 'Requests']) {
      await page.getByRole('option', { name: sample }).first().waitFor();
    }
    await page.keyboard.press('Escape');
  });

  it('sends it with the key that was pasted', async () => {
    const { id } = await createDeployment(topology.admin, 'Tried out');
    await createBranch()
      .getByRole('button', { name: /Test Request/ })
      .click();
    const client = page.getByRole('dialog', { name: 'API Client' });
    await client.getByRole('button', { name: /Code Snippet/ }).click();
    // The form is drawn again while it opens, and then forgets what was typed.
    const value = client.getByRole('region', { name: 'Variables' }).getByRole('textbox').last();
    const sample = async (): Promise<string> => {
      await value.fill(String(id));
      return client.innerText();
    };
    const address = `/deployments/${id}/branches`;
    await until('the id in the sample', sample, (text) => text.includes(address));
    // It may forget once more before it is sent: then that goes nowhere, and the id is typed again.
    const strays = ({ pathname }: URL) => pathname.endsWith('/branches') && !pathname.endsWith(address);
    await page.route(strays, (route) => route.fulfill({ status: 204 }));
    const send = async (): Promise<{ url: string; status: number }> => {
      await value.fill(String(id));
      const replied = page.waitForResponse((response) => response.request().method() === 'POST');
      await client.getByRole('button', { name: /^Send post request/ }).click();
      const reply = await replied;
      return { url: reply.url(), status: reply.status() };
    };
    const { status } = await until('the request with the id', send, ({ url }) => url.endsWith(address));
    expect(status).toBe(200);
    const { items } = await topology.admin.call('listBranches', { path: { deploymentId: id } });
    expect(items.map(({ name }) => name)).toContain('new-metrics');
    await client.getByRole('button', { name: 'Close Client' }).click();
  });

  it.each(['light', 'dark'] as const)('nor have the pages that people sign in on, in %s', async (colorScheme) => {
    const person = { email: `${colorScheme}@signin.test`, password: 'correct horse battery staple' };
    await topology.admin.call('createUser', { body: { ...person, username: colorScheme } });
    const context = await browser.newContext({ colorScheme });
    const looked = await context.newPage();
    const { body } = await new DeviceClient(topology.admin.baseUrl).authorize();
    await looked.goto(body.verification_uri_complete);
    await follow(looked.getByRole('button', { name: 'Continue' }));
    for (const [password, heading] of [
      ['not the password', 'Sign in to'],
      [person.password, 'Approve this request?'],
    ] as const) {
      expect(await seriousProblems(looked)).toEqual([]);
      await looked.getByLabel('Email address').fill(person.email);
      await looked.getByLabel('Password').fill(password);
      await follow(looked.getByRole('button', { name: 'Sign in' }));
      await looked.getByRole('heading', { name: heading }).waitFor();
    }
    expect(await seriousProblems(looked)).toEqual([]);
    await follow(looked.getByRole('button', { name: 'Approve' }));
    await looked.getByRole('heading', { name: 'The device is connected' }).waitFor();
    expect(await seriousProblems(looked)).toEqual([]);
    await context.close();
  });

  it('shows the data API beside it', async () => {
    await page.goto(`${topology.admin.baseUrl}/docs/data`);
    await page.getByRole('heading', { name: 'Plinth Data API' }).waitFor();
    await sideBarWith((dataDocument.tags ?? []).map(({ name }) => name));
  });

  it('asks nobody but the platform for anything, and nothing in it fails', () => {
    expect(strangers).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
