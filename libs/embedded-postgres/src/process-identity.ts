import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface ProcessIdentity {
  pid: number;
  startedAt: string;
}

/** Whether that very process still runs, and not a later one that got its pid. */
export function isAlive({ pid, startedAt }: ProcessIdentity): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return startTimeOf(pid) === startedAt;
}

/** When the process started, in an opaque form that no other process with this pid shares; empty when it is gone. */
export function startTimeOf(pid: number): string {
  try {
    if (process.platform !== 'linux')
      return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)])
        .toString()
        .trim();
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const ticksSinceBoot = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    return `${boot}/${ticksSinceBoot}`;
  } catch {
    return '';
  }
}
