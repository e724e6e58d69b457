import { spawnSync } from 'node:child_process';

const isRoot = process.getuid?.() === 0;
const works = (...[command = '', ...args]: string[]): boolean => spawnSync(command, args).status === 0;

/** Settings for a machine on which nothing keeps programs of users from the platform; none on any other. */
export const wallSettings = (): Record<string, string> =>
  isRoot || works('unshare', '--user', '--mount', 'true') ? {} : { PLINTH_SANDBOX: 'none' };

/** A command that runs the command after it without whatever walls are made of. */
export function withoutWall(): string[] {
  if (isRoot) return ['setpriv', '--bounding-set=-sys_admin,-setuid,-setgid', '--inh-caps=-all', '--'];
  // A root of one user, which has no others to give away.
  return works('unshare', '--user', 'true') ? ['unshare', '--user', '--map-root-user', '--'] : [];
}
