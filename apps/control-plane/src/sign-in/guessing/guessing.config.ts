import { integer, setting, type ConfigOf } from '@plinth/config';

/** Settings of how often people may be wrong. */
export const guessingSettings = {
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
};

export type GuessingConfig = ConfigOf<typeof guessingSettings>;
