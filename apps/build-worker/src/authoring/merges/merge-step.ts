import type { Principal } from '@plinth/auth';
import { branchRef, type RefUpdate } from '@plinth/git';
import { authorOf, type Branch, buildAfter, type DataModel, isBlank, type WriteEffects } from '../../data-models';
import { mergeTrees, type MergeSides } from './three-way-merge';

export interface BranchMerge extends MergeSides {
  source: Branch;
  target: Branch;
}

export interface MergeOptions {
  message?: string | null | undefined;
  /** One commit on the target; otherwise one that keeps the history of the source. */
  squash?: boolean;
}

/** A part of a write: references to move and what follows from it. */
export interface MergeStep {
  updates: RefUpdate[];
  effects: WriteEffects;
}

/** Moves the target to hold what the source holds; nothing when it does already. */
export async function mergeStep(
  principal: Principal,
  { git, settings }: DataModel,
  { source, target, ours, theirs }: BranchMerge,
  { message, squash = false }: MergeOptions,
): Promise<MergeStep> {
  if (await git.isAncestor(theirs, ours)) return { updates: [], effects: {} };
  const tree = await mergeTrees(git, { ours, theirs });
  if (squash && tree === (await git.treeOf(ours))) return { updates: [], effects: {} };
  const text = isBlank(message) ? `Merge branch ${source.name}` : message;
  const parents = squash ? [ours] : [ours, theirs];
  const commit = await git.commitTree({ tree, parents, author: authorOf(principal), message: text });
  const build = buildAfter(settings, target, { commitHash: commit, treeHash: tree });
  return {
    updates: [{ ref: branchRef(target.name), oldOid: ours, newOid: commit }],
    effects: build ? { build } : {},
  };
}

/** The reference goes in the same step as the merge, so that a commit made meanwhile is not lost with the branch. */
export const removalStep = ({ source, theirs }: BranchMerge): MergeStep => ({
  updates: [{ ref: branchRef(source.name), oldOid: theirs, newOid: null }],
  effects: { removedBranchId: source.id },
});
