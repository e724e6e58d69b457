import { RemoteRejectedError } from './remote-error';

const MOVED =
  /stale info|fetch first|non-fast-forward|already exists|remote ref updated since checkout|cannot lock ref/;

/**
 * Reads what `git push --porcelain` says of the references: `<flag>\t<from>:<to>\t<summary> (<reason>)`.
 *
 * @returns the first refusal, or undefined when every reference is as wanted
 */
export function pushRefusal(output: string): RemoteRejectedError | undefined {
  const refused = output.split('\n').find((line) => line.startsWith('!\t'));
  if (!refused) return undefined;
  const summary = refused.split('\t')[2] ?? '';
  const reason = /\(([^()]*)\)\s*$/.exec(summary)?.[1] ?? summary;
  const moved = MOVED.test(summary);
  return new RemoteRejectedError(
    moved ? 'The branch has moved in the remote repository.' : `The git server refuses the change: ${reason}.`,
    moved,
    refused,
  );
}
