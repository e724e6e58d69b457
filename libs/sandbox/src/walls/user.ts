import { spawnSync } from 'node:child_process';
import { bare, limited } from '../limits';
import { LocalProcess } from '../local-process';
import type { Program, SandboxedProcess } from '../program';
import { quoted } from '../shell';
import type { Wall, WallOptions } from '../wall';
import { leaseUser, STATE_FOLDER } from './user-lease';

const AS_USER = [
  ...['setpriv', '--reuid', '$user', '--regid', '$user', '--clear-groups', '--inh-caps=-all', '--no-new-privs'],
  ...['--pdeathsig', 'KILL', '--'],
];
const SCRATCH = `${STATE_FOLDER}/$user`;

/**
 * For root where namespaces are refused, as in most containers: each program has an unprivileged user of its own. What that
 * user may read by its permission bits is open to it; the platform's own folders are closed to everybody.
 */
export function userWall(options: WallOptions): Wall {
  if (process.getuid?.() !== 0) throw new Error('only root can give programs a user of their own');
  const network = ['unshare', '--net', '--ipc', '--'];
  const hasNetwork = spawnSync('unshare', [...network.slice(1), 'true'], { stdio: 'ignore' }).status === 0;
  return { kind: 'user', start: (program) => start(program, options, hasNetwork ? network : []) };
}

function start(program: Program, options: WallOptions, network: readonly string[]): SandboxedProcess {
  const { command, args, limits } = program;
  const supervisor = ['setpriv', '--pdeathsig', 'TERM', '--', 'sh', '-c', supervise(program, options, network)];
  return new LocalProcess([...supervisor, 'sandbox', command, ...args], { wallMs: limits.wallMs, endsItself: true });
}

/**
 * A shell of root's that outlives the program: it ends whatever the program's user still runs, before it and after it, and
 * also when it is told to end, as it is when the platform dies. It needs no rights but those to change owners and users.
 * Processes that are dead, but that nobody collects, count against the limit of their user, who is then passed over.
 */
const supervise = (program: Program, options: WallOptions, network: readonly string[]): string => `
set -u
exec 8<&0
as_user() { ${AS_USER.join(' ')} "$@"; }
end() {
  as_user sh -c 'kill -KILL -1' 2>/dev/null
  as_user rm -rf ${SCRATCH} 2>/dev/null
  rm -rf ${SCRATCH}
}
alone() {
  as_user true || exit 125
  end
  as_user sh -c 'for each in /proc/[0-9]*; do [ -O $each ] && [ $each != /proc/$$ ] && exit 1; done; exit 0'
}
${leaseUser(options, 'alone')}
trap 'end; exit 137' TERM
scratch=${SCRATCH}
mkdir $scratch
cd $scratch
chmod ${program.scratchBytes ? '700' : '050'} .
chown ${program.scratchBytes ? '$user:$user' : '0:$user'} .
${[...network, ...AS_USER].join(' ')} ${[...limited(program, true), ...bare(program)].map(quoted).join(' ')} "$@" <&8 8<&- 9>&- &
wait $!
status=$?
cd /
end
exit $status
`;
