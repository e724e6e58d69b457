import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

/** Reads a bare repository with git's own commands, independently of the platform's code. */
export class Repository {
  constructor(folder) {
    this.folder = folder;
  }

  /** What is wrong with the repository, in git's words; empty when nothing is. */
  async problems() {
    try {
      const { stdout, stderr } = await run('git', [...this.#arguments, 'fsck', '--strict', '--no-dangling']);
      return `${stdout}${stderr}`.trim();
    } catch (error) {
      return `${error.stdout}${error.stderr}`.trim() || String(error);
    }
  }

  /** Heads by branch. */
  async heads() {
    const lines = await this.#lines('for-each-ref', '--format=%(refname:lstrip=2) %(objectname)', 'refs/heads');
    return new Map(lines.map((line) => line.split(' ')));
  }

  /** How many commits of all branches add each path. */
  async additions() {
    const lines = await this.#lines('log', '--all', '--no-renames', '--diff-filter=A', '--name-only', '--format=');
    const counts = new Map();
    for (const path of lines) counts.set(path, (counts.get(path) ?? 0) + 1);
    return counts;
  }

  /** Text of the files of a branch by path, joined lines without their ends. */
  async files(branch, folder) {
    const lines = await this.#lines('grep', '-z', '-e', '', branch, '--', folder);
    return new Map(lines.map((line) => line.split('\0')).map(([name, text]) => [name.slice(branch.length + 1), text]));
  }

  /** Lines that the commits of a branch added to the file, in the order of history. */
  async linesAdded(branch, path) {
    const lines = await this.#lines('log', '--reverse', '--topo-order', '-p', '-U0', '--format=', branch, '--', path);
    return lines.filter((line) => /^\+(?!\+\+ )/.test(line)).map((line) => line.slice(1));
  }

  /** Merge commits on the branch itself. */
  mergeCommits(branch) {
    return this.#lines('log', '--first-parent', '--merges', '--format=%H', branch);
  }

  get #arguments() {
    return ['-c', 'safe.directory=*', '-c', 'core.quotePath=false', '--git-dir', this.folder];
  }

  async #lines(...words) {
    const { stdout } = await run('git', [...this.#arguments, ...words], { maxBuffer: MAX_OUTPUT_BYTES }).catch(noMatch);
    return stdout.split('\n').filter(Boolean);
  }
}

/** `git grep` ends with 1 when it finds nothing. */
function noMatch(error) {
  if (error.code === 1 && error.stderr === '') return { stdout: '' };
  throw error;
}
