import { type GitCommands } from './git-commands';
import { type ObjectId, checkObjectId, isObjectId } from './object-id';

export interface LogEntry {
  oid: ObjectId;
  parents: ObjectId[];
  author: { name: string; email: string };
  /** When the change was committed. */
  at: Date;
  message: string;
}

export interface Branch {
  name: string;
  head: ObjectId;
}

const HEADS = 'refs/heads/';
const FIELDS = 6;

/** The newest commits first. */
export async function readLog(git: GitCommands, commit: ObjectId, limit: number): Promise<LogEntry[]> {
  if (!Number.isInteger(limit) || limit < 1) throw new RangeError(`Not a log limit: ${limit}`);
  const output = await git.run({
    subcommand: 'log',
    flags: [
      '-z',
      `--max-count=${limit}`,
      '--no-show-signature',
      '--format=tformat:%H%x00%P%x00%an%x00%ae%x00%ct%x00%B',
    ],
    revisions: [checkObjectId(commit)],
  });
  const fields = output.split('\0');
  return Array.from({ length: Math.floor(fields.length / FIELDS) }, (_, index) => {
    const [oid = '', parents = '', name = '', email = '', at = '', message = ''] = fields.slice(index * FIELDS);
    return {
      oid,
      parents: parents.split(' ').filter(isObjectId),
      author: { name, email },
      at: new Date(Number(at) * 1000),
      message: message.trimEnd(),
    };
  });
}

export async function readBranches(git: GitCommands): Promise<Branch[]> {
  const output = await git.run({
    subcommand: 'for-each-ref',
    flags: ['--format=%(objectname) %(refname)'],
    revisions: [HEADS],
  });
  return lines(output).map((line) => ({ head: line.slice(0, 40), name: line.slice(41 + HEADS.length) }));
}

/** One of the references below a name, however many there are elsewhere. */
export async function readRefBelow(git: GitCommands, ref: string): Promise<string | undefined> {
  const flags = ['--format=%(refname)', '--count=1'] as const;
  return lines(await git.run({ subcommand: 'for-each-ref', flags, revisions: [`${ref}/`] }))[0];
}

/** The best common ancestor, or null for unrelated histories. */
export async function findMergeBase(git: GitCommands, a: ObjectId, b: ObjectId): Promise<ObjectId | null> {
  const output = await git.run({
    subcommand: 'merge-base',
    flags: [],
    revisions: [checkObjectId(a), checkObjectId(b)],
  });
  return lines(output)[0] ?? null;
}

// A reference name holds no white space, so lines are as safe as NUL here.
function lines(output: string): string[] {
  return output.split('\n').filter((line) => line !== '');
}
