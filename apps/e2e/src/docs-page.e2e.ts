import { dataDocument, publicDocument } from '@plinth/contract';
import { until } from '@plinth/testing';
import axe, { type AxeResults } from 'axe-core';
import { type Browser, type Page } from 'playwright-core';
import { launchBrowser } from './harness/browser';
import { createDeployment } from './harness/story';
import { joinTopology } from './harness/shared-topology';
import type { Topology } from './harness/topology';

describe('the API reference at /docs', () => {
  let topology: Topology;
  let browser: Browser;
  let page: Page;
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
    await page.goto(`${topology.admin.baseUrl}/docs`);
    await page.getByRole('heading', { name: 'Plinth Platform API' }).waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await topology?.stop();
  });

  it('shows every tag of the document in the side bar', async () => {
    const shown = await page.getByRole('navigation').first().innerText();
    for (const { name } of publicDocument.tags ?? []) expect(shown).toContain(name);
    for (const area of ['Data models', 'Rights and credentials']) expect(shown).toContain(area);
    expect(shown).not.toContain('More\n');
  });

  const createBranch = () => page.getByRole('region', { name: 'Create a shared branch' });

  it('finds an operation by its id, and shows who may call it', async () => {
    await page.getByPlaceholder('Token').first().fill(topology.admin.credential.replace('Bearer ', ''));
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Enter search query' }).fill('createBranch');
    await page.getByRole('option', { name: /Create a shared branch/ }).click();
    await createBranch().getByText('SchemaUpdateDevBranches').first().waitFor();
    expect(await createBranch().innerText()).toContain('Idempotency-Key');
  });

  it('shows samples for curl, TypeScript and Python', async () => {
    await createBranch().getByRole('button', { name: /Curl/ }).click();
    const choices = (await page.getByRole('option').allInnerTexts()).join(' ');
    for (const sample of ['Curl', 'TypeScript', 'Requests']) expect(choices).toContain(sample);
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
    await until('the id in the sample', sample, (text) => text.includes(`/deployments/${id}/branches`));
    const replied = page.waitForResponse((response) => response.request().method() === 'POST');
    await client.getByRole('button', { name: /^Send post request/ }).click();
    expect((await replied).status()).toBe(200);
    const { items } = await topology.admin.call('listBranches', { path: { deploymentId: id } });
    expect(items.map(({ name }) => name)).toContain('new-metrics');
    await client.getByRole('button', { name: 'Close Client' }).click();
  });

  it('fits a telephone, in the colours that the reader prefers', async () => {
    const telephone = await browser.newPage({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
    await telephone.goto(`${topology.admin.baseUrl}/docs`);
    await telephone.getByRole('heading', { name: 'Plinth Platform API' }).waitFor();
    const width = await telephone.evaluate('document.documentElement.scrollWidth');
    const dark = await telephone.evaluate("document.body.classList.contains('dark-mode')");
    expect({ width, dark }).toEqual({ width: 390, dark: true });
    await telephone.close();
  });

  it.each(['light', 'dark'] as const)('has nothing serious that keeps people out, in %s', async (colorScheme) => {
    const looked = await browser.newPage({ viewport: { width: 1280, height: 900 }, colorScheme });
    for (const path of ['/docs', '/', '/auth/device', '/auth/authorize?client_id=nobody']) {
      await looked.goto(`${topology.admin.baseUrl}${path}`);
      await looked.getByRole('heading', { level: 1 }).first().waitFor();
      const { violations } = await looked.evaluate<AxeResults>(`${axe.source}; axe.run(document)`);
      const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      expect([path, serious.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)]).toEqual([path, []]);
    }
    await looked.close();
  });

  it('shows the data API beside it', async () => {
    await page.goto(`${topology.admin.baseUrl}/docs/data`);
    await page.getByRole('heading', { name: 'Plinth Data API' }).waitFor();
    const shown = await page.getByRole('navigation').first().innerText();
    for (const { name } of dataDocument.tags ?? []) expect(shown).toContain(name);
  });

  it('asks nobody but the platform for anything, and nothing in it fails', () => {
    expect(strangers).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
