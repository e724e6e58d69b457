import { spawnSync } from 'node:child_process';

/** What the operating system adds to the sandbox; each part is used where it is to be had. */
export interface Confinement {
  /** The kernel refuses memory beyond the limit, on the heap and off it. */
  limitsMemory: boolean;
  /** A child dies with its parent, whatever it is doing. */
  diesWithParent: boolean;
  /** A network of its own, in which nothing is reachable. */
  hasOwnNetwork: boolean;
}

const SHELL = '/bin/sh';
const NETWORK = ['unshare', '--map-current-user', '--net', '--'];
const PARENT = ['setpriv', '--pdeathsig', 'KILL', '--no-new-privs', '--'];
/** Off the heap: the program itself, its threads, and buffers of a reasonable size. */
const OFF_HEAP_MB = 256;

/** Finds out by trying: containers and distributions differ in what they allow. */
export function probeConfinement(): Confinement {
  if (process.platform !== 'linux') return { limitsMemory: false, diesWithParent: false, hasOwnNetwork: false };
  const works = (script: string) => spawnSync(SHELL, ['-c', script], { env: {}, stdio: 'ignore' }).status === 0;
  return {
    limitsMemory: works('ulimit -d 1048576'),
    diesWithParent: works(`${PARENT.join(' ')} true`),
    hasOwnNetwork: works(`${NETWORK.join(' ')} true`),
  };
}

/** The command with its confinement around it, which leaves no process of its own behind. */
export function confine(
  { limitsMemory, diesWithParent, hasOwnNetwork }: Confinement,
  heapMb: number,
  command: readonly string[],
): [file: string, arguments: string[]] {
  // Changing the user's mapping undoes the wish to die with the parent, which therefore comes last.
  const wrapped = [...(hasOwnNetwork ? NETWORK : []), ...(diesWithParent ? PARENT : []), ...command];
  const limit = limitsMemory ? `ulimit -d ${(heapMb + OFF_HEAP_MB) * 1024} && ` : '';
  return [SHELL, ['-c', `ulimit -c 0; ${limit}exec "$0" "$@"`, ...wrapped]];
}
