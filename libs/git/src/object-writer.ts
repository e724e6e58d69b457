import { randomBytes } from 'node:crypto';
import { access, mkdir, open, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { ObjectType, frameObject } from './object-format';
import { ObjectId } from './object-id';

const MAX_OPEN_FILES = 16;
const compress = promisify(deflate);

/**
 * Stores loose objects without a child process. An object is synced under a temporary name and renamed into place, so a
 * reader never sees half of one; `tmp_obj_` is the prefix that `git prune` clears as well.
 */
export class ObjectWriter {
  private free = MAX_OPEN_FILES;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly gitDir: string) {}

  /** Stores an object unless it is there already. */
  async write(type: ObjectType, content: Buffer): Promise<ObjectId> {
    const { oid, framed } = frameObject(type, content);
    const directory = join(this.gitDir, 'objects', oid.slice(0, 2));
    const path = join(directory, oid.slice(2));
    if (await exists(path)) return oid;
    await this.limited(async () => {
      await mkdir(directory, { recursive: true });
      await writeDurably(directory, path, await compress(framed));
    });
    return oid;
  }

  private async limited(work: () => Promise<void>): Promise<void> {
    if (this.free > 0) this.free--;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.free++;
    }
  }
}

async function writeDurably(directory: string, path: string, bytes: Buffer): Promise<void> {
  const temporary = join(directory, `tmp_obj_${randomBytes(8).toString('hex')}`);
  try {
    const file = await open(temporary, 'wx', 0o444);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
