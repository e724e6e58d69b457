import { AppError } from '@plinth/errors';
import type { BareRepository, MergeConflict, ObjectId, Signature, TreeChange } from '@plinth/git';

export interface MergeSides {
  /** The branch that receives. */
  ours: ObjectId;
  /** The branch that is merged in. */
  theirs: ObjectId;
}

/**
 * The tree of both sides together.
 *
 * @throws AppError `merge.conflict` (409) with one detail a hunk
 */
export async function mergeTrees(git: BareRepository, { ours, theirs }: MergeSides): Promise<ObjectId> {
  const merged = await git.mergeTrees(undefined, ours, theirs);
  if (merged.clean) return merged.tree;
  throw conflictError(merged.conflicts);
}

/** As `mergeTrees`, with the version of `theirs` of every file in conflict. */
export async function mergePreferringTheirs(
  git: BareRepository,
  { ours, theirs }: MergeSides,
  author: Signature,
): Promise<ObjectId> {
  const merged = await git.mergeTrees(undefined, ours, theirs);
  if (merged.clean) return merged.tree;
  const base = await git.mergeBase(ours, theirs);
  const changes = await Promise.all(merged.conflicts.map(({ path }) => withdrawal(git, { base, ours }, path)));
  const yielding = { expectedHead: ours, changes: changes.flat(), message: 'Yield', author };
  const { commit } = await git.prepareCommit(yielding);
  return mergeTrees(git, { ours: commit, theirs });
}

/** Undoes what `ours` did to a file since the base, so that the other side's change meets no resistance. */
async function withdrawal(
  git: BareRepository,
  { base, ours }: { base: ObjectId | null; ours: ObjectId },
  path: string,
): Promise<TreeChange[]> {
  const content = async (commit: ObjectId | null): Promise<Buffer | undefined> => {
    const file = commit === null ? undefined : (await git.readTree(commit)).find((each) => each.path === path);
    return file && git.readBlob(file.oid);
  };
  const [before, now] = await Promise.all([content(base), content(ours)]);
  if (before) return [{ kind: 'put', path, content: before }];
  return now ? [{ kind: 'delete', path }] : [];
}

function conflictError(conflicts: readonly MergeConflict[]): AppError {
  const files = conflicts.map(({ path }) => path).join(', ');
  const details = conflicts.flatMap(({ path, hunks }) =>
    (hunks.length > 0 ? hunks : ['Both sides changed this file, which is not text']).map((message) => ({
      path,
      message,
    })),
  );
  return new AppError('merge.conflict', `Both sides changed the same places. Conflicts in: ${files}`, { details });
}
