import type { Principal } from '@plinth/auth';
import type { Signature } from '@plinth/git';

/** The caller as the author of a commit made now. */
export const authorOf = ({ userName, email }: Principal): Signature => ({
  name: userName,
  email: email ?? '',
  at: new Date(),
});
