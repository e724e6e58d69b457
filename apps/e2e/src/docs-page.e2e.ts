import { dataDocument, publicDocument } from '@plinth/contract';
import { type Browser, type Page } from 'playwright-core';
import { launchBrowser } from './harness/browser';
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
    await page.waitForSelector('.opblock-tag');
  });
  afterAll(async () => {
    await browser?.close();
    await topology?.stop();
  });

  it('shows every area of the document', async () => {
    const shown = await page.locator('.opblock-tag').allTextContents();
    for (const { name } of publicDocument.tags ?? []) expect(shown.join('\n')).toContain(name);
    expect(await page.locator('h1, h2').first().textContent()).toContain('Plinth');
  });

  it('opens an operation with its parameters and replies', async () => {
    await page.locator('.opblock-tag', { hasText: 'Deployments' }).first().click();
    const operation = page.locator('.opblock', { hasText: '/api/v1/deployments/{deploymentId}' }).first();
    await operation.locator('.opblock-summary').click();
    await operation.locator('.responses-table').waitFor();
    expect(await operation.textContent()).toContain('deploymentId');
    if (process.env['PLINTH_SCREENSHOT']) await page.screenshot({ path: process.env['PLINTH_SCREENSHOT'] });
  });

  it('shows the data API beside it', async () => {
    await page.locator('nav a', { hasText: 'Data API' }).click();
    await page.waitForSelector('.opblock-tag');
    const shown = (await page.locator('.opblock-tag').allTextContents()).join('\n');
    for (const { name } of dataDocument.tags ?? []) expect(shown).toContain(name);
  });

  it('asks nobody but the platform for anything, and nothing in it fails', () => {
    expect(strangers).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
