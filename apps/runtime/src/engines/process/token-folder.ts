import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TokenFile } from '../engine-driver';
import { newEngineFolder } from './engine-folder';

/** No token's file is called so. */
const UNFINISHED = '.unfinished';

/** The files of OIDC tokens of one engine, which the platform's user alone reads. */
export class TokenFolder {
  /** @param path of a folder that is not there yet */
  constructor(readonly path: string) {
    mkdirSync(path, { mode: 0o700 });
  }

  /**
   * Whoever opens a file finds one whole token, the old one or the new one. Files of other tokens are removed.
   *
   * @throws Error when a file cannot be written, as after {@link remove}
   */
  replace(tokens: readonly TokenFile[]): void {
    const unfinished = join(this.path, UNFINISHED);
    for (const { fileName, token } of tokens) {
      writeFileSync(unfinished, token, { mode: 0o600 });
      renameSync(unfinished, join(this.path, fileName));
    }
    const names = new Set(tokens.map(({ fileName }) => fileName));
    for (const name of readdirSync(this.path)) if (!names.has(name)) rmSync(join(this.path, name));
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** Has the tokens in files while the work runs, which gets the path of their folder. */
export async function whileInFiles<T>(tokens: readonly TokenFile[], work: (folder: string) => Promise<T>): Promise<T> {
  const parent = newEngineFolder();
  try {
    const folder = new TokenFolder(join(parent, 'tokens'));
    folder.replace(tokens);
    return await work(folder.path);
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}
