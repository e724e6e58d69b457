import { type ChildProcessByStdio } from 'node:child_process';
import { type Readable, type Writable } from 'node:stream';
import { spawnOwned } from '@plinth/streams';
import { configArguments, gitEnvironment } from '../git-environment';
import { GitError } from '../git-error';

/** A git command in a bare repository, whose streams the caller connects. */
export interface GitChild {
  stdin: Writable;
  stdout: Readable;
  /** @throws GitError, when it ended otherwise than well, with what it wrote */
  ended: Promise<void>;
}

const MAX_ERROR_TEXT = 4_096;

/** The command ends when `signal` says so. */
export function startGit(gitDir: string, words: readonly string[], signal: AbortSignal): GitChild {
  const child = spawnOwned('git', [...configArguments(), ...words], {
    cwd: gitDir,
    env: { ...gitEnvironment(), GIT_DIR: '.' },
    stdio: ['pipe', 'pipe', 'pipe'],
    signal,
  }) as ChildProcessByStdio<Writable, Readable, Readable>;
  const ended = endOf(child, words[0] ?? '');
  // Whoever waits for it is told; nobody may be waiting yet.
  ended.catch(() => undefined);
  return { stdin: child.stdin, stdout: child.stdout, ended };
}

function endOf(child: ChildProcessByStdio<Writable, Readable, Readable>, subcommand: string): Promise<void> {
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    text = (text + part).slice(-MAX_ERROR_TEXT);
  });
  return new Promise((resolve, reject) => {
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new GitError(subcommand, 'failed', text.trim()));
    });
  });
}
