import { randomInt } from 'node:crypto';
import type { WallOptions } from '../wall';

/** Open to root alone, so that no program can take or hold a lock; scratch folders lie beside the locks. */
export const STATE_FOLDER = '/run/plinth-sandbox';

/**
 * Shell code for root that finds a user id which no running program has, and holds it by a lock on descriptor 9 for as long
 * as the shell lives. Sets `user`, before it runs the command `suits`, which says whether that user will do. Begins anywhere
 * in the range: containers beside this one have locks of their own, and the kernel counts a user's processes in all of them.
 */
export function leaseUser({ users: { first, last } }: WallOptions, suits = 'true'): string {
  const start = randomInt(first, last + 1);
  return `
umask 077
mkdir -p -m 0711 ${STATE_FOLDER}
user=${start}
while exec 9>${STATE_FOLDER}/$user.lock && ! { flock --nonblock 9 && ${suits}; }; do
  if [ $user -lt ${last} ]; then user=$((user + 1)); else user=${first}; fi
  [ $user -ne ${start} ] || { echo 'every user of the sandbox is taken' >&2; exit 125; }
done
`;
}
