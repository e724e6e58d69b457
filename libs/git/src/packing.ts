import { type GitCommands } from './git-commands';
import { FILE_MODE, type Signature, encodeCommit, encodeTree } from './object-format';
import { type ObjectId, checkObjectId } from './object-id';
import { type ObjectReader } from './object-reader';
import { type ObjectWriter } from './object-writer';

/** What is to outlive a collection although no branch reaches it. */
export interface KeptObjects {
  commits: readonly ObjectId[];
  blobs: readonly ObjectId[];
}

/** Names the commit that reaches all that a collection keeps. */
export const KEPT_REF = 'refs/plinth/kept';

// The same for the same objects, so that keeping them again changes nothing.
const KEEPER: Signature = { name: 'Plinth', email: '', at: new Date(0) };
const LOOKUPS_AT_ONCE = 500;

/** Everything into one pack, and what no reference reaches into a second one that remembers the age of each object. */
export async function packAll(git: GitCommands): Promise<void> {
  await git.run({ subcommand: 'repack', flags: ['--cruft', '-d', '-q'] });
  await git.run({ subcommand: 'pack-refs', flags: ['--all'] });
}

/** As {@link packAll}, without what no reference reaches and nobody has stored since. */
export async function packUsed(git: GitCommands, unusedSince: Date): Promise<void> {
  const date = unusedSince.toISOString().replace(/\.\d+Z$/, 'Z');
  await git.run({ subcommand: 'repack', flags: ['--cruft', `--cruft-expiration=${date}`, '-d', '-q'] });
  await git.run({ subcommand: 'prune', flags: [`--expire=${date}`] });
  await git.run({ subcommand: 'pack-refs', flags: ['--all'] });
}

/** A commit from which those of the objects can be reached that exist; null when none does. */
export async function storeKeeper(
  reader: ObjectReader,
  writer: ObjectWriter,
  kept: KeptObjects,
): Promise<ObjectId | null> {
  const parents = await existing(reader, kept.commits);
  const blobs = await existing(reader, kept.blobs);
  if (parents.length + blobs.length === 0) return null;
  const batch = writer.batch();
  const tree = batch.add('tree', encodeTree(blobs.map((oid) => ({ mode: FILE_MODE, name: oid, oid }))));
  const commit = batch.add('commit', encodeCommit({ tree, parents, author: KEEPER, message: 'Keep' }));
  await batch.store();
  return commit;
}

async function existing(reader: ObjectReader, oids: readonly ObjectId[]): Promise<ObjectId[]> {
  const sorted = [...new Set(oids)].sort();
  const found: ObjectId[] = [];
  for (let start = 0; start < sorted.length; start += LOOKUPS_AT_ONCE) {
    const part = sorted.slice(start, start + LOOKUPS_AT_ONCE);
    const there = await Promise.all(part.map((oid) => reader.resolve(checkObjectId(oid))));
    found.push(...part.filter((_, index) => there[index] !== null));
  }
  return found;
}
