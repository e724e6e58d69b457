import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { folderSize } from '../folder-size';

const PREFIX = 'incoming-';
// The index goes last: git finds a pack by it.
const ORDER = ['.pack', '.rev', '.idx'];

/**
 * A repository inside another one that borrows its objects: what a fetch brings is checked here and moved over whole, or
 * thrown away.
 */
export class IncomingRepository {
  private constructor(
    readonly directory: string,
    private readonly target: string,
  ) {}

  static async create(target: string): Promise<IncomingRepository> {
    const directory = join(target, `${PREFIX}${randomUUID()}`);
    await mkdir(join(directory, 'objects', 'info'), { recursive: true });
    await mkdir(join(directory, 'refs'));
    await writeFile(join(directory, 'HEAD'), 'ref: refs/heads/main\n');
    await writeFile(join(directory, 'config'), '[core]\n\tbare = true\n');
    await writeFile(join(directory, 'objects', 'info', 'alternates'), `${resolve(target, 'objects')}\n`);
    return new IncomingRepository(directory, target);
  }

  /** Bytes received so far. */
  size(): Promise<number> {
    return folderSize(this.directory);
  }

  /** Bytes that {@link admit} moves. */
  packedBytes(): Promise<number> {
    return folderSize(join(this.directory, 'objects', 'pack'));
  }

  /** Makes the received objects part of the target; without a reference to them nobody sees them yet. */
  async admit(): Promise<void> {
    const source = join(this.directory, 'objects', 'pack');
    const names = await readdir(source).catch(() => []);
    const destination = join(this.target, 'objects', 'pack');
    await mkdir(destination, { recursive: true });
    for (const suffix of ORDER) {
      for (const name of names.filter((each) => each.endsWith(suffix))) {
        await rename(join(source, name), join(destination, name));
      }
    }
  }

  async remove(): Promise<void> {
    await rm(this.directory, { recursive: true, force: true });
  }
}

/** Removes what fetches left behind that were killed, when it is older than `olderThanMs`. */
export async function sweepIncoming(target: string, olderThanMs: number): Promise<void> {
  const names = (await readdir(target)).filter((name) => name.startsWith(PREFIX));
  for (const name of names) {
    const info = await stat(join(target, name)).catch(() => undefined);
    if (info && Date.now() - info.mtimeMs > olderThanMs) await rm(join(target, name), { recursive: true, force: true });
  }
}
