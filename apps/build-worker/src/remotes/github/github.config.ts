import { integer, secretSetting, setting } from '@plinth/config';
import { z } from 'zod';

const address = () => z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, ''));

/** The GitHub App of the installation; without its id and key, nothing can be connected to GitHub. */
export const githubSettings = {
  githubAppId: setting(
    'PLINTH_GITHUB_APP_ID',
    integer(1, Number.MAX_SAFE_INTEGER).optional(),
    'Numeric id of the GitHub App. Without it and its private key, GitHub cannot be connected.',
  ),
  githubAppPrivateKey: secretSetting(
    'PLINTH_GITHUB_APP_PRIVATE_KEY',
    z.string().includes('PRIVATE KEY', { error: 'takes a private key as PEM' }).optional(),
    'Private key of the GitHub App, PEM; usually given as a file.',
  ),
  githubAppSlug: setting(
    'PLINTH_GITHUB_APP_SLUG',
    z
      .string()
      .regex(/^[a-z0-9-]+$/i)
      .default('plinth'),
    'Name of the GitHub App in its addresses.',
  ),
  githubClientId: setting(
    'PLINTH_GITHUB_CLIENT_ID',
    z.string().optional(),
    'Client id of the GitHub App. Without it and its secret, only an operator links accounts to GitHub.',
  ),
  githubClientSecret: secretSetting(
    'PLINTH_GITHUB_CLIENT_SECRET',
    z.string().optional(),
    'Client secret of the GitHub App.',
  ),
  githubWebhookSecret: secretSetting(
    'PLINTH_GITHUB_WEBHOOK_SECRET',
    z.string().min(16).optional(),
    'Secret that GitHub signs webhooks with. Without it, webhooks are refused.',
  ),
  githubBaseUrl: setting(
    'PLINTH_GITHUB_BASE_URL',
    address().default('https://api.github.com'),
    'Base URL of the REST API; https://HOST/api/v3 for GitHub Enterprise Server.',
  ),
  githubWebUrl: setting(
    'PLINTH_GITHUB_WEB_URL',
    address().default('https://github.com'),
    'Base URL of the web pages; https://HOST for GitHub Enterprise Server.',
  ),
  githubTimeoutMs: setting(
    'PLINTH_GITHUB_TIMEOUT_MS',
    integer(500, 60_000).default(10_000),
    'Longest time that GitHub may take to answer one call, repeats included, in milliseconds.',
  ),
};
