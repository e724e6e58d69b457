import { type SimpleGit, simpleGit } from 'simple-git';
import { GitError } from './git-error';
import { configArguments } from './git-environment';

/** A flag as this library writes it: lower-case words, with a value only after `=`. */
type Flag = `-${string}`;

const FLAG = /^--?[a-z][a-z-]*(?:=.*)?$/s;

export interface GitCommand {
  subcommand: string;
  flags: readonly Flag[];
  /** What comes after `--end-of-options`: refs, object ids, never flags. */
  revisions?: readonly string[];
}

/** One-shot git commands. The working directory is the bare repository. */
export class GitCommands {
  private readonly git: SimpleGit;

  /** @param abort ends the commands that run */
  constructor(directory: string, binary: string, environment: Record<string, string>, abort?: AbortSignal) {
    this.git = simpleGit({
      baseDir: directory,
      binary,
      trimmed: false,
      maxConcurrentProcesses: 4,
      ...(abort && { abort }),
      allowEnvironment: Object.keys(environment),
      // Both are this library's own constants: no template directory, and no user configuration.
      unsafe: { allowUnsafeTemplateDir: true, allowUnsafeConfigPaths: true },
    }).env(environment);
  }

  /** Standard output of a command that may exit with a status but then says nothing on standard error.
   * @throws GitError when git fails */
  async run({ subcommand, flags, revisions = [] }: GitCommand): Promise<string> {
    for (const flag of flags) if (!FLAG.test(flag)) throw new TypeError(`Not a flag: ${flag}`);
    const operands = revisions.length > 0 ? ['--end-of-options', ...revisions] : [];
    try {
      return await this.git.raw([...configArguments(), subcommand, ...flags, ...operands]);
    } catch (error) {
      throw new GitError(subcommand, 'failed', error instanceof Error ? error.message : String(error));
    }
  }
}
