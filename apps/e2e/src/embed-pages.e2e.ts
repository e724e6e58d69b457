import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { boundMs, until, type TestDatabase } from '@plinth/testing';
import type { Browser, BrowserContext, Frame, Page } from 'playwright-core';
import type { ApiClient } from './harness/api-client';
import { keepPicture, launchBrowser, launchBrowserWithoutCookies, seriousProblems } from './harness/browser';
import { createShopDatabase, Shop } from './harness/shop';
import { joinTopology } from './harness/shared-topology';
import type { Topology } from './harness/topology';

const bar = {
  $schema: 'https://vega.github.io/schema/vega-lite/v5.json',
  mark: 'bar',
  encoding: {
    x: { field: 'orders\\.status', type: 'nominal' },
    y: { field: 'orders\\.count', type: 'quantitative' },
  },
};
const byStatus = { measures: ['orders.count'], dimensions: ['orders.status'] };

interface Messages {
  messages: { type: string; height?: number }[];
}

describe('dashboards in frames of a host on another origin', () => {
  let topology: Topology;
  let admin: ApiClient;
  let database: TestDatabase;
  let shop: Shop;
  let publicId: string;
  let workbookId: number;
  let browser: Browser;
  let context: BrowserContext;
  let host: Server;
  const complaints: string[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'plinth-browser-'));

  beforeAll(async () => {
    topology = await joinTopology('one process');
    ({ admin } = topology);
    database = await createShopDatabase();
    shop = await Shop.open(admin, database);
    ({ publicId, workbookId } = await publish());
    host = createServer((request, response) => {
      const frame = new URL(request.url ?? '/', 'http://host').searchParams.get('frame') ?? '';
      response.setHeader('content-type', 'text/html');
      response.end(`<!doctype html><html lang="en"><title>Host</title><h1>Our application</h1>
        <script>messages = []; addEventListener('message', (event) => messages.push(event.data));</script>
        <iframe title="Orders" src="${frame.replaceAll('&', '&amp;')}" style="width:100%;height:1500px;border:0"></iframe>`);
    });
    await new Promise<void>((resolve) => host.listen(0, resolve));
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    host?.close();
    await database?.drop();
    await topology?.stop();
  });
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    complaints.length = 0;
  });
  afterEach(() => context.close());

  async function publish(): Promise<{ publicId: string; workbookId: number }> {
    const { id } = await admin.call('createWorkbook', { path: shop.path, body: { name: 'Orders' } });
    const report = async (title: string, query: object, meta: Record<string, unknown>): Promise<number> => {
      const body = { name: title, workbookId: id, jsonQuery: JSON.stringify(query), meta: { title, ...meta } };
      return (await admin.call('createReport', { path: shop.path, body })).id;
    };
    const total = await report('All orders', { measures: ['orders.count'] }, { kind: 'kpi' });
    const table = await report('By status', byStatus, { kind: 'table' });
    const drawing = await report('Drawn', byStatus, { kind: 'vega', spec: bar });
    const widget = (name: string, type: string, config: object, [x, y, w, h]: readonly number[]) => ({
      ...{ id: name, type: type as 'CHART', position: { x: x ?? 0, y: y ?? 0, w: w ?? 1, h: h ?? 1 } },
      config: { ...config },
    });
    const widgets = [
      widget('status', 'FILTER', { member: 'orders.status' }, [0, 0, 4, 2]),
      widget('when', 'FILTER', { member: 'orders.created_at' }, [4, 0, 4, 2]),
      widget('step', 'TIME_GRAIN', { member: 'orders.created_at', title: 'Step' }, [8, 0, 4, 2]),
      widget('total', 'CHART', { reportId: total }, [0, 2, 4, 5]),
      widget('table', 'CHART', { reportId: table }, [4, 2, 8, 5]),
      widget('drawing', 'CHART', { reportId: drawing }, [0, 7, 12, 7]),
      widget('note', 'TEXT', { text: '**Notes** of the month' }, [0, 14, 12, 2]),
    ];
    const body = { workbookId: id, allowEmbed: true, config: { title: 'Orders', widgets } };
    const { publicId: made } = await admin.call('publishDashboard', { path: { ...shop.path, workbookId: id }, body });
    const path = { ...shop.path, workbookId: id };
    await admin.call('updateEmbedAccess', { path, body: { allEmbedUsers: true, action: 'read', allowEmbed: true } });
    return { publicId: made ?? '', workbookId: id };
  }

  const session = async (body: object = {}): Promise<string> => {
    const who = { deploymentId: shop.deploymentId, externalId: 'ada', embedTenantName: 'acme' };
    const profile = { userProfile: { displayName: 'Ada' } };
    return (await admin.call('generateSession', { body: { ...who, ...profile, ...body } })).sessionId;
  };
  const address = (sessionId: string, more = ''): string =>
    `${admin.baseUrl}/embed/dashboard/${publicId}?session=${sessionId}${more}`;

  async function open(target: string): Promise<{ page: Page; frame: Frame; asked: string[] }> {
    const page = await context.newPage();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    const { port } = host.address() as AddressInfo;
    await page.goto(`http://localhost:${port}/?frame=${encodeURIComponent(target)}`);
    const element = await page.waitForSelector('iframe');
    const frame = await element.contentFrame();
    if (!frame) throw new Error('there is no frame');
    await frame.waitForSelector('h1');
    return { page, frame, asked };
  }
  const told = (page: Page, type: string): Promise<number> =>
    page.evaluate(
      (wanted) => (globalThis as unknown as Messages).messages.filter((each) => each.type === wanted).length,
      type,
    );
  const count = (frame: Frame): Promise<string> => frame.locator('.plinth-value').innerText();
  const comment = async (frame: Frame, text: string): Promise<void> => {
    await frame.getByLabel('New comment').fill(text);
    await frame.getByRole('button', { name: 'Send' }).first().click();
    await frame.locator('.plinth-talk li', { hasText: text }).waitFor();
  };

  it.each([
    ['no session at all', () => `${admin.baseUrl}/embed/dashboard/${publicId}`],
    ['a session that there is not', () => address('none')],
    ['a session of the list', () => `${admin.baseUrl}/embed/d/${shop.deploymentId}/app?session=none`],
  ])('say that the session has ended, with 401, for %s', async (_what, target) => {
    const reply = await fetch(target());
    expect(reply.status).toBe(401);
    expect(reply.headers.get('x-frame-options')).toBeNull();
    expect(await reply.text()).toContain('This session has ended.');
  });

  it('show nothing of a dashboard that is not shared, and of one that is not there', async () => {
    const reply = await fetch(`${admin.baseUrl}/embed/dashboard/nothing00000?session=${await session()}`);
    expect(reply.status).toBe(404);
    expect(await reply.text()).not.toContain('Orders');
  });

  it('let a session be used once, and leave it in no address', async () => {
    const sessionId = await session();
    const { frame } = await open(address(sessionId));
    await frame.waitForURL((url) => !url.href.includes(sessionId));
    expect((await fetch(address(sessionId))).status).toBe(401);
    expect(await frame.locator('h1').innerText()).toBe('Orders');
    expect(complaints).toEqual([]);
  });

  it('are filtered and commented on by forms, and stay so when the frame is loaded again', async () => {
    const { page, frame } = await open(address(await session()));
    const all = await count(frame);
    await frame.locator('summary', { hasText: 'Status' }).click();
    await frame.getByLabel('shipped').check();
    await frame.getByRole('button', { name: 'Apply' }).click();
    await frame.waitForURL(/chosen=1/);
    const some = await count(frame);
    expect(some).not.toBe(all);
    await comment(frame, 'Why <b>so few</b>?');
    expect(await count(frame)).toBe(some);
    expect(await frame.locator('.plinth-talk .plinth-text').first().innerText()).toBe('Why <b>so few</b>?');
    expect(await frame.locator('.plinth-talk strong').first().innerText()).toBe('Ada');
    await frame.goto(frame.url());
    expect(await count(frame)).toBe(some);
    await frame.getByRole('button', { name: 'Reset' }).click();
    await until(
      'all orders',
      () => count(frame),
      (now) => now === all,
    );
    await until(
      'the host to be told the height',
      () => told(page, 'height'),
      (times) => times > 0,
    );
    expect(complaints).toEqual([]);
  });

  it('work the same where the browser refuses cookies', async () => {
    await context.close();
    context = await launchBrowserWithoutCookies(folder);
    const { frame } = await open(address(await session()));
    const all = await count(frame);
    await frame.locator('summary', { hasText: 'Status' }).click();
    await frame.getByLabel('shipped').check();
    await frame.getByRole('button', { name: 'Apply' }).click();
    await until(
      'fewer orders',
      () => count(frame),
      (now) => now !== all,
    );
    await comment(frame, 'Without cookies');
    expect(frame.url()).not.toMatch(/token|session/);
  });

  it('are listed with what is shared, and opened from the list', async () => {
    const { frame } = await open(`${admin.baseUrl}/embed/d/${shop.deploymentId}/app?session=${await session()}`);
    await frame.getByRole('button', { name: 'Orders' }).click();
    await frame.waitForSelector('.plinth-grid');
    await frame.getByRole('button', { name: 'All content' }).click();
    await frame.waitForSelector('.plinth-list');
  });

  it.each([
    ['phone', 390],
    ['laptop', 1_280],
    ['wall', 3_840],
  ])('have no serious problem of access in either theme: %s', async (name, width) => {
    for (const theme of ['light', 'dark']) {
      const page = await context.newPage();
      await page.setViewportSize({ width, height: 900 });
      await page.goto(address(await session(), `&theme=${theme}`));
      await page.waitForSelector('h1');
      await keepPicture(page, `embed-${name}-${theme}`);
      const wide = await page.evaluate<number>(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      expect(wide).toBeLessThanOrEqual(0);
      expect(await seriousProblems(page)).toEqual([]);
      await page.close();
    }
  });

  it('may be framed by the origins of the account alone', async () => {
    await admin.call('updateTenantSettings', { body: { embedOrigins: ['https://app.example.com'] } });
    const reply = await fetch(address(await session()));
    expect(reply.headers.get('content-security-policy')).toContain('frame-ancestors https://app.example.com');
    await admin.call('updateTenantSettings', { body: { embedOrigins: [] } });
  });

  describe('that are open end within a second, by a sentence and no error page, and tell the host,', () => {
    /** What happens to whose session. */
    const ends: [string, string, (sessionId: string) => Promise<unknown>][] = [
      ['when the session is revoked', 'acme', (sessionId) => admin.call('revokeSession', { body: { sessionId } })],
      [
        'when the embed tenant is deleted',
        'leaving',
        () => admin.call('deleteEmbedTenant', { path: { embedTenantName: 'leaving' } }),
      ],
      ['when embedding is switched off', 'acme', () => switchEmbedding(false)],
      [
        'when the workbook is deleted',
        'acme',
        () => admin.call('deleteWorkbook', { path: { ...shop.path, workbookId } }),
      ],
    ];
    const switchEmbedding = (embeddingEnabled: boolean) =>
      admin.call('updateTenantSettings', { body: { embeddingEnabled } });
    afterEach(() => switchEmbedding(true));

    it.each(ends)('%s', async (_what, embedTenantName, end) => {
      const sessionId = await session({ embedTenantName });
      const { page, frame, asked } = await open(address(sessionId));
      await until(
        'the page to ask whether the session goes on',
        () => asked,
        (urls) => urls.some((url) => url.includes('/status?') && !url.includes('wait=0')),
      );
      await end(sessionId);
      const since = performance.now();
      await until(
        'the end',
        () => told(page, 'ended'),
        (now) => now === 1,
      );
      expect(performance.now() - since).toBeLessThan(boundMs(1_000));
      expect(await frame.locator('body').innerText()).toBe('This session has ended.');
      expect(frame.url()).toContain(`/embed/dashboard/${publicId}`);
      expect(complaints.filter((text) => !/the server responded with a status of 40[14]/.test(text))).toEqual([]);
    });
  });
});
