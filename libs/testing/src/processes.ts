import { readdirSync, readFileSync } from 'node:fs';

/** A process of this machine (Linux). */
export interface RunningProcess {
  pid: number;
  /** The program and its arguments. */
  command: string[];
}

/** The process and all that are below it, however deep. */
export function processesBelow(pid: number): RunningProcess[] {
  const all = running();
  const below = new Set([pid]);
  for (let before = 0; before < below.size;) {
    before = below.size;
    for (const each of all) if (below.has(each.parent)) below.add(each.pid);
  }
  return all.filter((each) => below.has(each.pid));
}

/** Ids of those that run Node with the words in their arguments; what starts Node has them in its own, too. */
export const programsBelow = (pid: number, words: string): number[] =>
  processesBelow(pid)
    .filter(({ command: [program = '', ...args] }) => program.endsWith('node') && args.join(' ').includes(words))
    .map((each) => each.pid);

/** Whether the process is there and has not ended, though its parent may not have been told. */
export const isRunning = (pid: number): boolean => commandOf(pid).length > 0;

const running = (): (RunningProcess & { parent: number })[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), parent: parentOf(name), command: commandOf(name) }));

/** Of one that has ended there is nothing to read. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

const commandOf = (pid: number | string): string[] => textOf(`/proc/${pid}/cmdline`).split('\0').filter(Boolean);

/** The name of the program, which comes before, may hold anything. */
const parentOf = (pid: string): number => {
  const stat = textOf(`/proc/${pid}/stat`);
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
};
