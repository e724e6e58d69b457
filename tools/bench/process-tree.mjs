// Processes and what is below them (Linux).
import { readdirSync, readFileSync } from 'node:fs';

/** The process and all below it; with words, those whose command has them. */
export function programsBelow(pid, words = '') {
  const all = running();
  const below = new Set([pid]);
  for (let before = 0; before < below.size;) {
    before = below.size;
    for (const each of all) if (below.has(each.parent)) below.add(each.pid);
  }
  return all.filter((each) => below.has(each.pid) && each.command.includes(words)).map((each) => each.pid);
}

/** What the processes have to themselves, and their share of what several have, in MiB. */
export const residentMbOf = (pids) => pids.reduce((sum, pid) => sum + proportionalMb(pid), 0);

const proportionalMb = (pid) =>
  Number(/Pss:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))[1]) / 1_024;

const running = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return [{ pid: Number(name), parent: Number(parent), command: readFileSync(`/proc/${name}/cmdline`, 'utf8') }];
      } catch {
        // It has ended meanwhile.
        return [];
      }
    });
