import { addressSettings, integer, setting, type ConfigOf } from '@plinth/config';

/** Settings of how people come to their accounts. */
export const accountSettings = {
  ...addressSettings,
  invitationLifetimeHours: setting(
    'PLINTH_INVITATION_LIFETIME_HOURS',
    integer(1, 720).default(168),
    'How long an invitation link works, in hours.',
  ),
  passwordResetLifetimeHours: setting(
    'PLINTH_PASSWORD_RESET_LIFETIME_HOURS',
    integer(1, 168).default(24),
    'How long a link works by which a person sets a new password, in hours.',
  ),
  passwordHashConcurrency: setting(
    'PLINTH_PASSWORD_HASH_CONCURRENCY',
    integer(1, 64).default(2),
    'Passwords that one process hashes at a time. Each takes 19 MiB and a thread.',
  ),
  signInAttemptsPerAccount: setting(
    'PLINTH_SIGN_IN_ATTEMPTS_PER_ACCOUNT',
    integer(1, 10_000).default(10),
    'Failed sign-ins to one account that are accepted in 15 minutes.',
  ),
  signInAttemptsPerAddress: setting(
    'PLINTH_SIGN_IN_ATTEMPTS_PER_ADDRESS',
    integer(1, 100_000).default(50),
    'Failed sign-ins, and wrong codes of devices, that are accepted from one address in 15 minutes.',
  ),
  signingKeyRotationDays: setting(
    'PLINTH_SIGNING_KEY_ROTATION_DAYS',
    integer(1, 3_650).default(90),
    "Age at which the key that signs a tenant's tokens is replaced, in days.",
  ),
};

export type AccountConfig = ConfigOf<typeof accountSettings>;
