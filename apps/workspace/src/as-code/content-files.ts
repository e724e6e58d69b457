import { createHash } from 'node:crypto';
import type { Item } from '../content';

/** Says which layout the files of an archive have. */
export const MANIFEST = { path: 'plinth.yaml', text: 'version: 1\n', version: 1 } as const;

/** Names of the files that stand for things; a report's begins with its public id. */
export const fileNames = {
  folder: 'folder.yaml',
  workbook: 'workbook.yaml',
  draft: 'dashboard.yaml',
  published: 'published.yaml',
  report: '.report.yaml',
} as const;

/** What one archive may hold; the parser of its files needs time and memory for each token. */
export const LIMITS = {
  bytes: 10 << 20,
  files: 10_000,
  directories: 14,
  pathBytes: 1_024,
  segmentBytes: 255,
  tokens: 2_000_000,
  tokensOfFile: 100_000,
  /** As deep as JSON of requests may be. */
  nesting: 256,
};

const MAX_LABEL = 60;

export const directoryOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
export const fileNameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
export const joined = (directory: string, name: string): string => (directory === '' ? name : `${directory}/${name}`);

/** A name for a directory: readable, safe anywhere, and not to be read back. */
export function labelOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, MAX_LABEL)
    .replace(/^-+|-+$/g, '');
  return plain === '' ? 'untitled' : plain;
}

/** The slug of a workbook that has none, which means this workbook alone and never changes. */
export function derivedSlug({ id, deploymentId, createdAt }: Pick<Item, 'id' | 'deploymentId' | 'createdAt'>): string {
  const text = JSON.stringify([deploymentId, id, createdAt.toISOString()]);
  return `untitled-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}

/** Order of directories that have the same label: `sales`, `sales-2`, ..., `sales-10`. */
export const byDirectory = (left: string, right: string): number =>
  left.length - right.length || (left < right ? -1 : Number(left > right));
