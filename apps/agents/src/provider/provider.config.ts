import { flag, integer, secretSetting, setting, type ConfigOf } from '@plinth/config';
import { z } from 'zod';

/** What an operator can set on language models. */
export const providerSettings = {
  aiProvider: setting(
    'PLINTH_AI_PROVIDER',
    z.enum(['openai-compatible', 'anthropic']).default('openai-compatible'),
    'Protocol of the provider at PLINTH_AI_BASE_URL: openai-compatible or anthropic.',
  ),
  aiBaseUrl: setting(
    'PLINTH_AI_BASE_URL',
    z.url({ protocol: /^https?$/ }).optional(),
    'Address of a provider of language models for accounts that have set none of their own, such as https://llm.example.com/v1. Without it these have no agents.',
  ),
  aiModel: setting('PLINTH_AI_MODEL', z.string().default('default'), 'Model of the provider at PLINTH_AI_BASE_URL.'),
  aiKey: secretSetting('PLINTH_AI_KEY', z.string().optional(), 'Key for the provider at PLINTH_AI_BASE_URL.'),
  aiMonthlyTokens: setting(
    'PLINTH_AI_MONTHLY_TOKENS',
    integer(0, 1_000_000_000_000).optional(),
    'Tokens that an account may use in a month of the provider at PLINTH_AI_BASE_URL. Without it there is no limit.',
  ),
  aiAllowInsecureProviders: setting(
    'PLINTH_AI_ALLOW_INSECURE_PROVIDERS',
    flag().default(false),
    'Allows providers of language models over plain HTTP and on the machine itself. In one process they may be there unless this says no.',
  ),
  aiAllowPrivateProviders: setting(
    'PLINTH_AI_ALLOW_PRIVATE_PROVIDERS',
    flag().default(false),
    'Allows providers of language models in private networks (10/8, 172.16/12, 192.168/16, 100.64/10, fc00::/7). In one process they may be there unless this says no.',
  ),
  aiProviderTimeoutMs: setting(
    'PLINTH_AI_PROVIDER_TIMEOUT_MS',
    integer(100, 300_000).default(60_000),
    'Longest silence of a provider of language models, in milliseconds.',
  ),
};

export type ProviderConfig = ConfigOf<typeof providerSettings>;

export const addressPolicyOf = ({ aiAllowInsecureProviders, aiAllowPrivateProviders }: ProviderConfig) => ({
  allowInsecure: aiAllowInsecureProviders,
  allowPrivate: aiAllowPrivateProviders,
});
