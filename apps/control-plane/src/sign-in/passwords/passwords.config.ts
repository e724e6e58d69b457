import { integer, setting, type ConfigOf } from '@plinth/config';

/** Settings of how people come to their passwords. */
export const passwordSettings = {
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
};

export type PasswordConfig = ConfigOf<typeof passwordSettings>;
