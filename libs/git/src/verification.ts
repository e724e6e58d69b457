import { type GitCommands } from './git-commands';
import { GitError } from './git-error';

/** Verifies every object and the links between them.
 * @throws GitError naming what is broken */
export async function verifyObjects(git: GitCommands): Promise<void> {
  const output = await git.run({ subcommand: 'fsck', flags: ['--strict', '--no-dangling', '--no-progress'] });
  const problems = output.split('\n').filter((line) => line !== '' && !line.startsWith('notice:'));
  if (problems.length > 0) throw new GitError('fsck', 'the repository is damaged', problems.join('\n'));
}
