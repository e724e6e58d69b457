import { integer, setting, type ConfigOf } from '@plinth/config';
import { z } from 'zod';

/** Settings of how people come to their accounts. */
export const accountSettings = {
  publicUrlTemplate: setting(
    'PLINTH_PUBLIC_URL_TEMPLATE',
    z.string().startsWith('http').includes('{host}').default('https://{host}'),
    "Base URL of a tenant in links that people follow, with `{host}` for the tenant's host name.",
  ),
  invitationLifetimeHours: setting(
    'PLINTH_INVITATION_LIFETIME_HOURS',
    integer(1, 720).default(168),
    'How long an invitation link works, in hours.',
  ),
  passwordHashConcurrency: setting(
    'PLINTH_PASSWORD_HASH_CONCURRENCY',
    integer(1, 64).default(2),
    'Passwords that one process hashes at a time. Each takes 19 MiB and a thread.',
  ),
};

export type AccountConfig = ConfigOf<typeof accountSettings>;
