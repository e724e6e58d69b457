import { secretSetting, setting } from '@plinth/config';
import { z } from 'zod';

/** Settings of the first tenant. */
export const operatorSettings = {
  bootstrapApiKey: secretSetting(
    'PLINTH_BOOTSTRAP_API_KEY',
    z
      .string()
      .regex(/^sk-[0-9A-Za-z]{20,200}$/, 'takes sk- and at least 20 letters or digits')
      .optional(),
    'API key of the first administrator. When there is no tenant yet, the tenant `local` is made with it.',
  ),
  bootstrapHosts: setting(
    'PLINTH_BOOTSTRAP_HOSTS',
    z.string().default('localhost,127.0.0.1,::1'),
    'Host names of the tenant `local`, comma-separated.',
  ),
};
