import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deadlineMs } from '@plinth/testing';
import { chromium, type Browser, type BrowserContext, type Locator } from 'playwright-core';

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
