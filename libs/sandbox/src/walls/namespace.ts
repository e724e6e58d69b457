import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { bare, limited } from '../limits';
import { LocalProcess } from '../local-process';
import type { Program, SandboxedProcess } from '../program';
import { sharedLibraries } from '../shared-libraries';
import { quoted } from '../shell';
import type { Wall, WallOptions } from '../wall';
import { leaseUser } from './user-lease';

/** Hidden by the program's file system while that is built, so it has to exist, and to hold nothing that programs read. */
const MOUNT_POINT = __dirname;
/** Folders of the system in which the tools are that build the wall, and what these need. */
const TOOLS = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/usr'];
const DEVICES = ['/dev/null', '/dev/zero', '/dev/urandom'];
const SCRATCH = '/scratch';

const isRoot = (): boolean => process.getuid?.() === 0;

/**
 * The strongest wall: user, mount, pid, network, ipc and uts namespaces with nothing in them but what is named. The tools
 * are those of util-linux, which every distribution has.
 *
 * Changing the user's mapping undoes the wish to die with the parent, which therefore comes after it.
 */
export function namespaceWall(options: WallOptions): Wall {
  if (process.platform !== 'linux') throw new Error('namespaces are a part of Linux');
  const own = isRoot() ? [] : ['unshare', '--user', '--map-root-user', '--'];
  const command = [
    ...own,
    ...['setpriv', '--pdeathsig', 'KILL', '--'],
    ...['unshare', '--mount', '--pid', '--net', '--ipc', '--uts', '--fork', '--kill-child', '--'],
  ];
  return { kind: 'namespace', start: (program) => start(program, options, command) };
}

function start(program: Program, options: WallOptions, command: readonly string[]): SandboxedProcess {
  const script = setUp(program, options);
  return new LocalProcess([...command, 'sh', '-c', script, 'sandbox', program.command, ...program.args], {
    wallMs: program.limits.wallMs,
  });
}

/**
 * The first process of the namespaces. It builds a root of the system's tools alone (`/usr` and the like), leaves the old
 * root, and runs the program below that in `jail`, where only what is named can be seen. In a changed root no user
 * namespace can be made, so the program gets no rights over anything, and no memory of file systems of its own. The shell
 * stays behind as the namespace's init: it cannot be signalled from inside, and everything ends with it.
 */
function setUp(program: Program, options: WallOptions): string {
  const shown = [...visible(program)].map((path) => ({ path, isFolder: statSync(path).isDirectory() }));
  const folders = shown.map(({ path, isFolder }) => `jail${isFolder ? path : dirname(path)}`);
  const files = shown.filter(({ isFolder }) => !isFolder).map(({ path }) => `jail${path}`);
  const tools = TOOLS.filter((path) => existsSync(path));
  const mounts = [
    ...tools.map((path): Mount => ({ source: path, target: path, options: ['bind'] })),
    ...shown.map(({ path }): Mount => ({ source: path, target: `/jail${path}`, options: optionsOf(path) })),
  ];
  return `
set -eu
${isRoot() ? leaseUser(options) : 'user=0'}
umask 022
mount -t tmpfs -o size=4m,mode=0755 plinth ${quoted(MOUNT_POINT)}
cd ${quoted(MOUNT_POINT)}
mkdir -p old proc ${[...tools.map((path) => path.slice(1)), `jail${SCRATCH}`, ...folders].map(quoted).join(' ')}
${files.map((file) => `: > ${quoted(file)}`).join('\n')}
printf '%s\\n' ${quoted(mounts.map(line).join('\n'))} > mounts
mount --all --fstab ${quoted(`${MOUNT_POINT}/mounts`)} 2>/dev/null || {
${mounts.map(alone).join('\n')}
}
mount -t tmpfs -o ${scratch(program.scratchBytes)},uid=$user,gid=$user plinth jail${SCRATCH}
mount -t proc proc proc 2>/dev/null || mount --rbind /proc proc
pivot_root . old
cd /
umount -l /old
mount -o remount,bind,ro /
setpriv --no-new-privs -- ${limited(program, true).map(quoted).join(' ')} ${bare(program).map(quoted).join(' ')} \
unshare ${isRoot() ? '--setgid $user --setuid $user' : '--user --map-user=1000 --map-group=1000'} \
--root=/jail --wd=${SCRATCH} -- "$@" 9>&-
`;
}

function visible({ command, readable }: Program): Set<string> {
  const named = [command, ...readable];
  return new Set([...DEVICES, ...named, ...named.flatMap((path) => sharedLibraries(path))]);
}

interface Mount {
  source: string;
  /** Below the mount point. */
  target: string;
  options: readonly string[];
}

const optionsOf = (path: string): string[] => (DEVICES.includes(path) ? ['bind'] : ['bind', 'ro', 'nosuid', 'nodev']);

const scratch = (bytes = 0): string =>
  `size=${Math.max(bytes, 4096)},nr_inodes=10k,mode=0700,nosuid,nodev${bytes === 0 ? ',ro' : ''}`;

/** A line of a table of file systems: fstab(5). */
const line = ({ source, target, options }: Mount): string =>
  [inTable(source), inTable(MOUNT_POINT + target), 'none', options.join(), '0', '0'].join(' ');

const inTable = (path: string): string =>
  path.replace(/[\s\\]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);

/** Flags that a file system already has may not be taken from it in a user namespace, and are named where that fails. */
function alone({ source, target, options }: Mount): string {
  const places = `${quoted(source)} ${quoted(MOUNT_POINT + target)}`;
  const mount = `mount -o ${options.join()}`;
  return options.includes('ro') ? `${mount} ${places} 2>/dev/null || ${mount},noexec ${places}` : `${mount} ${places}`;
}
