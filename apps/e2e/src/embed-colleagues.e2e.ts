import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { ApiClient } from './harness/api-client';
import { keepPicture, launchBrowser, seriousProblems } from './harness/browser';
import { joinTopology } from './harness/shared-topology';
import type { Topology } from './harness/topology';

const widgets = [
  { id: 'note', type: 'TEXT' as const, position: { x: 0, y: 0, w: 12, h: 2 }, config: { text: 'Plan' } },
];
const THREADS = 51;

describe('colleagues of an embed tenant, on pages for frames', () => {
  let topology: Topology;
  let admin: ApiClient;
  let deploymentId: number;
  let browser: Browser;
  const contexts: BrowserContext[] = [];

  beforeAll(async () => {
    topology = await joinTopology('one process');
    ({ admin } = topology);
    const body = { name: 'Plans', region: 'local', cloudProvider: 'cubecloud' as const, targetPlatform: 'aws' };
    const rest = { isManaged: true, creationStep: 'project' as const, creationMethod: 'upload' as const };
    deploymentId = (await admin.call('createDeployment', { body: { ...body, ...rest } })).id;
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await topology?.stop();
  });
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close();
  });

  const sessionOf = async (externalId: string, more: object = {}): Promise<string> => {
    const body = { deploymentId, externalId, embedTenantName: 'acme', creatorMode: true, ...more };
    return (await admin.call('generateSession', { body })).sessionId;
  };
  async function clientOf(externalId: string, more: object = {}): Promise<ApiClient> {
    const body = { sessionId: await sessionOf(externalId, more) };
    return admin.as(`Bearer ${(await admin.as(undefined).call('postTokenBySessionId', { body })).token}`);
  }
  /** Content of an embed user, with a dashboard. */
  async function plan(who: ApiClient, name: string) {
    const path = { deploymentId };
    const { id } = await who.call('createWorkbook', { path, body: { name } });
    const body = { workbookId: id, config: { title: name, widgets } };
    const { publicId } = await who.call('publishDashboard', { path: { ...path, workbookId: id }, body });
    return { id, publicId: publicId ?? '' };
  }
  async function open(path: string, sessionId: string, width = 1_280, more = ''): Promise<Page> {
    const context = await browser.newContext({ viewport: { width, height: 900 } });
    contexts.push(context);
    const page = await context.newPage();
    await page.goto(`${admin.baseUrl}${path}?session=${sessionId}${more}`);
    await page.waitForSelector('h1');
    return page;
  }
  const list = () => `/embed/d/${deploymentId}/app`;
  const reloaded = async (page: Page): Promise<string> => {
    await page.reload();
    return page.locator('main').innerText();
  };

  it('share what is theirs with a group, which sees it until that is ended, and nobody else does', async () => {
    const groups = { tenantGroupDefinitions: [{ name: 'Planners' }] };
    const ada = await clientOf('ada', { ...groups, userProfile: { displayName: 'Ada' } });
    await plan(ada, 'Plan of the year');
    const [bo, cy, eve] = await Promise.all([
      sessionOf('bo', { tenantGroups: ['Planners'] }).then((session) => open(list(), session)),
      sessionOf('cy').then((session) => open(list(), session)),
      sessionOf('eve', { embedTenantName: 'globex' }).then((session) => open(list(), session)),
    ]);
    const page = await open(list(), await sessionOf('ada'));
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByLabel('Share with a group').selectOption('Planners');
    await page.getByRole('button', { name: 'Share', exact: true }).first().click();
    await page.getByRole('button', { name: 'Stop sharing: Planners' }).waitFor();
    expect(await reloaded(bo)).toContain('Plan of the year');
    for (const other of [cy, eve]) expect(await reloaded(other)).not.toContain('Plan of the year');
    await page.getByLabel('Share with a colleague').fill('eve');
    await page.getByRole('button', { name: 'Share', exact: true }).last().click();
    expect(await page.getByRole('alert').innerText()).toContain('Nobody has this name');
    await page.getByLabel('Share with a colleague').fill('CY');
    await page.getByRole('button', { name: 'Share', exact: true }).last().click();
    await page.getByRole('button', { name: 'Stop sharing: cy' }).waitFor();
    expect(await reloaded(cy)).toContain('Plan of the year');
    await page.getByRole('button', { name: 'Stop sharing: Planners' }).click();
    await page.getByRole('button', { name: 'Stop sharing: Planners' }).waitFor({ state: 'detached' });
    expect(await reloaded(bo)).not.toContain('Plan of the year');
    expect(await bo.getByRole('button', { name: 'Share', exact: true }).count()).toBe(0);
  });

  it('mention each other in comments, and find older ones', async () => {
    const ada = await clientOf('ada', { userProfile: { displayName: 'Ada' } });
    const { publicId } = await plan(ada, 'Talked about');
    for (let thread = 1; thread <= THREADS; thread += 1)
      await ada.call('createDashboardComment', { path: { publicId }, body: { body: `Thread ${thread}` } });
    const page = await open(`/embed/dashboard/${publicId}`, await sessionOf('ada'));
    expect(await page.locator('.plinth-talk > ol > li').count()).toBe(THREADS - 1);
    await page.getByRole('button', { name: 'Older comments' }).click();
    await page.locator('.plinth-text', { hasText: /^Thread 1$/ }).waitFor();
    expect(await page.locator('.plinth-talk > ol > li').count()).toBe(1);
    await page.getByLabel('New comment').fill('Look at this');
    await page.getByLabel('Mention somebody').first().fill('ada');
    await page.getByRole('button', { name: 'Send' }).first().click();
    await page.locator('.plinth-text', { hasText: 'Look at this' }).waitFor();
    expect(await page.locator('.plinth-mention').innerText()).toBe('@Ada');
    await page.getByLabel('New comment').fill('And this');
    await page.getByLabel('Mention somebody').first().fill('somebody else');
    await page.getByRole('button', { name: 'Send' }).first().click();
    expect(await page.getByRole('alert').innerText()).toContain('Nobody has this name');
  });

  it.each([
    ['phone', 390],
    ['laptop', 1_280],
    ['wall', 3_840],
  ])('see pages without a serious problem of access, in the font of the host: %s', async (name, width) => {
    const theme = { embedTheme: { font: 'Courier New, monospace' } };
    const ada = await clientOf('ada', { userProfile: { displayName: 'Ada' } });
    const { id, publicId } = await plan(ada, `Plan for a ${name}`);
    const everybody = { embedTenantName: 'acme', action: 'read' as const };
    await ada.call('updateEmbedAccess', { path: { deploymentId, workbookId: id }, body: everybody });
    await ada.call('createDashboardComment', { path: { publicId }, body: { body: 'Agreed, @ada' } });
    const pages = [
      ['list', list(), `&share=WORKBOOK.${id}`],
      ['comments', `/embed/dashboard/${publicId}`, ''],
    ] as const;
    for (const [what, path, more] of pages) {
      for (const scheme of ['light', 'dark'] as const) {
        const page = await open(path, await sessionOf('ada', theme), width, `${more}&theme=${scheme}`);
        await page.emulateMedia({ colorScheme: scheme });
        await keepPicture(page, `embed-${what}-${name}-${scheme}`);
        const wide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
        expect(await page.evaluate<number>(wide)).toBeLessThanOrEqual(0);
        expect(await page.evaluate('getComputedStyle(document.body).fontFamily')).toMatch(
          /^"?Courier New"?, monospace/,
        );
        expect([what, scheme, await seriousProblems(page)]).toEqual([what, scheme, []]);
      }
    }
  });
});
