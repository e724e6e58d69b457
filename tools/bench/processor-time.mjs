// Processor time of processes (Linux). Unlike requests per second it says the same when other programs are busy too.
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const LOOK_EVERY_MS = 100;
const LOOKS_WITHOUT_WORK = 5;

/** Microseconds of a tick of `/proc/PID/stat`, which is a hundredth of a second everywhere that node runs. */
const TICK = 10_000;

/** Microseconds that the processes have spent so far, in their own code and in system calls for them. */
export const spentBy = (pids) => pids.reduce((sum, pid) => sum + ticksOf(pid) * TICK, 0);

function ticksOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the program, in parentheses, may hold blanks.
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return Number(user) + Number(system);
}

/** What the work answers, and the microseconds of processor time that the processes spent meanwhile. */
export async function spentDuring(pids, work) {
  const before = spentBy(pids);
  const result = await work();
  return { result, microseconds: spentBy(pids) - before };
}

/** Resolves when as many processes as that have done nothing for half a second. `pids` is asked for them each time. */
export async function untilIdle(pids, count) {
  for (let before = -1, looks = 0; looks < LOOKS_WITHOUT_WORK;) {
    await delay(LOOK_EVERY_MS);
    const present = pids();
    const spent = spentBy(present);
    looks = present.length >= count && spent === before ? looks + 1 : 0;
    before = spent;
  }
}

/** How many programs have been running or ready to run in the last minute. */
export const loadNow = () => Number(readFileSync('/proc/loadavg', 'utf8').split(' ')[0]);
