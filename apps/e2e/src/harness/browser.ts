import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { deadlineMs } from '@plinth/testing';
import axe, { type AxeResults } from 'axe-core';
import { chromium, type Browser, type BrowserContext, type Locator, type Page } from 'playwright-core';

/** Without what only windows need, Chromium takes half of a processor's time. */
const withoutWindows = '/usr/bin/chromium-headless-shell';

const options = {
  executablePath: existsSync(withoutWindows) ? withoutWindows : '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
};

/** The Chromium of the system, without a window. */
export async function launchBrowser(): Promise<Browser> {
  const browser = await chromium.launch(options);
  browser.on('context', setDeadline);
  return browser;
}

const BLOCKED = 2;

/**
 * As {@link launchBrowser}, of somebody who has refused all cookies in the settings of the browser.
 *
 * @param folder an empty one, for the browser's files
 */
export async function launchBrowserWithoutCookies(folder: string): Promise<BrowserContext> {
  mkdirSync(join(folder, 'Default'));
  const preferences = { profile: { default_content_setting_values: { cookies: BLOCKED } } };
  writeFileSync(join(folder, 'Default', 'Preferences'), JSON.stringify(preferences));
  const context = await chromium.launchPersistentContext(folder, options);
  setDeadline(context);
  return context;
}

/** Of everything that waits in its pages. */
const setDeadline = (context: BrowserContext): void => context.setDefaultTimeout(deadlineMs(30_000));

/**
 * Presses what leads to another page, and waits until that one is there: what is read next is of that page. A click alone
 * may be over before the browser has begun to leave.
 */
export async function follow(button: Locator): Promise<void> {
  await Promise.all([button.page().waitForEvent('load'), button.click()]);
}

const pictures = resolve(__dirname, '../../../../node_modules/.cache/plinth-pictures');

/** Keeps a picture of the whole page for whoever wants to look at it: `PLINTH_TEST_PICTURES=1`. No test reads it. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  if (process.env['PLINTH_TEST_PICTURES'] === undefined) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
}

/** Of what is in order nobody reads anything, and to name each of its elements takes longer than to look at them. */
const PROBLEMS_ALONE = JSON.stringify({ resultTypes: ['violations'], selectors: false });

/** What on the page keeps people out, by the rule and the HTML of the first element. */
export async function seriousProblems(page: Page): Promise<string[]> {
  const { violations } = await page.evaluate<AxeResults>(`${axe.source}; axe.run(document, ${PROBLEMS_ALONE})`);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}
