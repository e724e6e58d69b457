import { isValidBranchName } from '../branch-names';
import { RemoteRejectedError } from './remote-error';
import { type RemoteProcess, runToSuccess } from './remote-process';

const OBJECT_ID = /^([0-9a-f]{40}|[0-9a-f]{64})$/;

/**
 * The full name of a branch or tag of a remote repository, or of its default branch (null). The id of a commit is its own.
 *
 * @throws RemoteRejectedError when there is none, and RemoteError for a server that cannot be asked
 */
export async function locateRef(url: string, run: Omit<RemoteProcess, 'args'>, wanted: string | null): Promise<string> {
  if (wanted !== null && OBJECT_ID.test(wanted)) return wanted;
  const candidates = wanted === null ? ['HEAD'] : fullNames(wanted);
  const output = await runToSuccess({ ...run, args: ['ls-remote', '--quiet', '--symref', '--', url, ...candidates] });
  const lines = output.split('\n').map((line) => line.split('\t'));
  const target = lines.find(([value, name]) => name === 'HEAD' && value?.startsWith('ref: '))?.[0]?.slice(5);
  const found = wanted === null ? target : candidates.find((name) => lines.some(([, ref]) => ref === name));
  if (found !== undefined) return found;
  const what = wanted === null ? 'default branch' : `branch or tag ${wanted}`;
  throw new RemoteRejectedError(`The remote repository has no ${what}.`, false);
}

/** Branches come before tags. */
function fullNames(name: string): string[] {
  const short = name.replace(/^refs\/(heads|tags)\//, '');
  if (!isValidBranchName(short)) throw new RemoteRejectedError(`${name} can be neither a branch nor a tag.`, false);
  return short === name ? [`refs/heads/${name}`, `refs/tags/${name}`] : [name];
}
