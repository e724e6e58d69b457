import { readFileSync } from 'node:fs';

const PAGE_BYTES = 4_096;
/** Deeper than any engine starts processes. */
const DEPTH = 8;

/** Resident bytes of a process and of those that it has started; undefined where the system does not tell. */
export function residentBytes(pid: number, depth = DEPTH): number | undefined {
  try {
    const [, resident = '0'] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ');
    const children = depth > 0 ? childrenOf(pid) : [];
    const below = children.reduce((sum, child) => sum + (residentBytes(child, depth - 1) ?? 0), 0);
    return Number(resident) * PAGE_BYTES + below;
  } catch {
    return undefined;
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
