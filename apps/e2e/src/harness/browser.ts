import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContext } from 'playwright-core';

const options = {
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
};

/** The Chromium of the system, without a window. */
export const launchBrowser = (): Promise<Browser> => chromium.launch(options);

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
  return chromium.launchPersistentContext(folder, options);
}
