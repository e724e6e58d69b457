import { type GitCommands } from './git-commands';
import { type MergeResult, conflictHunks, mergeCommits } from './merge';
import { type Signature, encodeCommit } from './object-format';
import { type ObjectId, checkObjectId } from './object-id';
import { type ObjectReader } from './object-reader';
import { type ObjectWriter } from './object-writer';
import { type TreeStore } from './tree-store';

const SYNTHETIC: Signature = { name: 'merge', email: '', at: new Date(0) };

/** Merges commits of one repository against any base, and shows what is in dispute. */
export class TreeMerger {
  constructor(
    private readonly git: GitCommands,
    private readonly trees: TreeStore,
    private readonly reader: ObjectReader,
    private readonly writer: ObjectWriter,
  ) {}

  /** @param base whose tree the merge is against: null for nothing, undefined for the commits' own merge base */
  async merge(base: ObjectId | null | undefined, ours: ObjectId, theirs: ObjectId): Promise<MergeResult> {
    const [left, right] = base === undefined ? [ours, theirs] : await this.rebased(base, ours, theirs);
    const merged = await mergeCommits(this.git, left, right);
    if (merged.conflicts.size === 0) return { clean: true, tree: merged.tree };
    const conflicts = [...merged.conflicts].map(async ([path, stages]) => {
      const mergedText = async () => {
        const entry = await this.trees.find(merged.tree, path);
        return entry && this.textOf(entry.oid);
      };
      return { path, hunks: await conflictHunks(stages, mergedText, (oid) => this.textOf(oid)) };
    });
    return { clean: false, conflicts: await Promise.all(conflicts) };
  }

  /** Git 2.39 takes no merge base as an argument, so commits with the wanted base as parent stand in for the sides. */
  private async rebased(base: ObjectId | null, ours: ObjectId, theirs: ObjectId): Promise<[ObjectId, ObjectId]> {
    const parents = base === null ? [] : [checkObjectId(base)];
    const standIn = async (side: ObjectId): Promise<ObjectId> => {
      const tree = await this.trees.treeOf(side);
      return this.writer.write('commit', encodeCommit({ tree, parents, author: SYNTHETIC, message: side }));
    };
    return Promise.all([standIn(ours), standIn(theirs)]);
  }

  private async textOf(oid: ObjectId): Promise<string | undefined> {
    const content = await this.reader.read(oid, 'blob');
    return content.includes(0) ? undefined : content.toString('utf8');
  }
}
