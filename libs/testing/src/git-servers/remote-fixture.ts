import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const environment = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Grace',
  GIT_AUTHOR_EMAIL: 'grace@example.com',
  GIT_COMMITTER_NAME: 'Grace',
  GIT_COMMITTER_EMAIL: 'grace@example.com',
};

/** Runs git in a folder, as somebody else than the platform would; answers its output without white space at the ends. */
export function gitIn(directory: string, args: readonly string[], input?: string | Buffer): string {
  const options = { cwd: directory, env: environment, input: input ?? '', maxBuffer: 64 * 1024 * 1024 };
  return execFileSync('git', ['-c', 'safe.directory=*', ...args], { ...options, stdio: ['pipe', 'pipe', 'pipe'] })
    .toString()
    .trim();
}

/** A bare repository of somebody else, to be served by one of the git servers. */
export class UpstreamRepository {
  readonly directory: string;

  constructor(folder: string, name: string) {
    this.directory = join(folder, `${name}.git`);
    gitIn(folder, ['init', '--quiet', '--bare', '--initial-branch=main', this.directory]);
  }

  /** Commits files (null: deleted) on top of a branch, which is created as needed. Returns the commit's id. */
  commit(branch: string, files: Readonly<Record<string, string | null>>, message = 'upstream change'): string {
    const lines = Object.entries(files).map(([path, content]) =>
      content === null ? `D ${path}\n` : `M 100644 inline ${path}\ndata ${Buffer.byteLength(content)}\n${content}\n`,
    );
    const parent = this.head(branch);
    const head = [
      `commit refs/heads/${branch}\n`,
      'committer Grace <grace@example.com> now\n',
      `data ${Buffer.byteLength(message)}\n${message}\n`,
      parent ? `from ${parent}\n` : '',
    ];
    const stream = [...head, ...lines, '\n'].join('');
    gitIn(this.directory, ['fast-import', '--quiet', '--date-format=now', '--force'], stream);
    return this.head(branch) ?? '';
  }

  head(branch: string): string | null {
    const line = gitIn(this.directory, ['for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`]);
    return line === '' ? null : line;
  }

  /** The content of a file on a branch. */
  file(branch: string, path: string): string {
    return gitIn(this.directory, ['show', `refs/heads/${branch}:${path}`]);
  }

  deleteBranch(branch: string): void {
    gitIn(this.directory, ['update-ref', '-d', `refs/heads/${branch}`]);
  }
}
