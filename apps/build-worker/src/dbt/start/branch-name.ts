import { randomBytes } from 'node:crypto';

const MAX_SEGMENT = 40;

/** The name for a new branch: `dbt-sync/<ref>-<time>-<random>`, by which clients recognise what was synchronised. */
export function syncBranchName(ref: string, at = new Date()): string {
  const time = at.toISOString().replace(/\D/g, '').slice(0, 14);
  return `dbt-sync/${segmentOf(ref)}-${time}-${randomBytes(4).toString('hex')}`;
}

/** Two dots, and one at the start, have a meaning for git. */
const segmentOf = (ref: string): string =>
  ref
    .replace(/^#/, '')
    .replace(/[^A-Za-z0-9_.-]/g, '-')
    .slice(0, MAX_SEGMENT)
    .replace(/\.{2,}/g, '-')
    .replace(/^\./, '-');
