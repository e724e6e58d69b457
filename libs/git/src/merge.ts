import { type GitCommands } from './git-commands';
import { type ObjectId, checkObjectId } from './object-id';

/** A file that both sides changed in ways that exclude each other. */
export interface MergeConflict {
  path: string;
  /**
   * The places in dispute, each from `<<<<<<< ours` to `>>>>>>> theirs`. A file that one side deleted is one hunk with
   * nothing on that side; a binary file has none.
   */
  hunks: string[];
}

export type MergeResult = { clean: true; tree: ObjectId } | { clean: false; conflicts: MergeConflict[] };

interface Stages {
  base?: ObjectId;
  ours?: ObjectId;
  theirs?: ObjectId;
}

export interface MergeOutput {
  tree: ObjectId;
  conflicts: Map<string, Stages>;
}

const STAGES = ['base', 'ours', 'theirs'] as const;

/** Three-way merge of two commits without a work tree; the base is theirs in common. */
export async function mergeCommits(git: GitCommands, ours: ObjectId, theirs: ObjectId): Promise<MergeOutput> {
  const output = await git.run({
    subcommand: 'merge-tree',
    flags: ['--write-tree', '-z', '--no-messages', '--allow-unrelated-histories'],
    revisions: [checkObjectId(ours), checkObjectId(theirs)],
  });
  const [tree = '', ...entries] = output.split('\0').filter((record) => record !== '');
  return { tree: checkObjectId(tree), conflicts: stagesByPath(entries) };
}

/** Reads records of the form `<mode> <oid> <stage>\t<path>`. */
function stagesByPath(entries: readonly string[]): Map<string, Stages> {
  const conflicts = new Map<string, Stages>();
  for (const entry of entries) {
    const tab = entry.indexOf('\t');
    const [, oid = '', stage = ''] = entry.slice(0, tab).split(' ');
    const path = entry.slice(tab + 1);
    const side = STAGES[Number(stage) - 1];
    if (side) conflicts.set(path, { ...conflicts.get(path), [side]: oid });
  }
  return conflicts;
}

/** The hunks of one conflicting path; `read` gives a blob's text, or undefined for a binary one. */
export async function conflictHunks(
  stages: Stages,
  merged: () => Promise<string | undefined>,
  read: (oid: ObjectId) => Promise<string | undefined>,
): Promise<string[]> {
  if (stages.ours && stages.theirs) return hunksOf((await merged()) ?? '');
  const survivor = stages.ours ?? stages.theirs;
  const text = survivor && (await read(survivor));
  if (text === undefined) return [];
  const body = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  return [`<<<<<<< ours\n${stages.ours ? body : ''}=======\n${stages.theirs ? body : ''}>>>>>>> theirs\n`];
}

/** Cuts the disputed places out of a text with conflict markers, and names the sides instead of commit ids. */
function hunksOf(text: string): string[] {
  const hunks = text.match(/^<{7} [^\n]*\n.*?^>{7} [^\n]*$/gms) ?? [];
  return hunks.map((hunk) =>
    `${hunk}\n`.replace(/^<{7} [^\n]*\n/, '<<<<<<< ours\n').replace(/>{7} [^\n]*\n$/, '>>>>>>> theirs\n'),
  );
}
