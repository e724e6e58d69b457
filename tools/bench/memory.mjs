// Memory of processes, in MiB.
import { readFileSync } from 'node:fs';

const SAMPLE_MS = 20;

/** What the processes have to themselves, and their share of what several have, in MiB. */
export const residentMbOf = (pids) => pids.reduce((sum, pid) => sum + proportionalMb(pid), 0);

const proportionalMb = (pid) =>
  Number(/Pss:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))[1]) / 1_024;

const residentMb = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1_024;

/** What the work answers, and by how much each process grew at most while it ran. */
export async function growthDuring(pids, work) {
  const before = pids.map(residentMb);
  const highest = [...before];
  const sample = () => pids.forEach((pid, at) => (highest[at] = Math.max(highest[at], residentMb(pid))));
  const timer = setInterval(sample, SAMPLE_MS);
  const result = await work().finally(() => clearInterval(timer));
  return { result, growth: highest.map((value, at) => value - before[at]) };
}
