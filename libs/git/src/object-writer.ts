import { unlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import { deflate, deflateSync } from 'node:zlib';
import { type Admission, freshen, objectPath, publishObject, temporaryObject, writeNewFile } from './object-files';
import { type ObjectType, frameObject } from './object-format';
import { type ObjectId } from './object-id';

interface StagedObject {
  temporary: string;
  path: string;
  /** On disk. */
  bytes: number;
}

const MAX_OPEN_FILES = 16;
/** Up to here another thread spares a fraction of a millisecond, and handing it over costs more. */
const INLINE_BYTES = 8 * 1024;
const deflateElsewhere = promisify(deflate);

const compress = async (framed: Buffer): Promise<Buffer> =>
  framed.length <= INLINE_BYTES ? deflateSync(framed) : deflateElsewhere(framed);

/**
 * Stores loose objects without a child process. An object is synced under a temporary name and renamed into place, so a
 * reader never sees half of one. What a failure leaves behind has the prefix `tmp_obj_`, which `git prune` clears too.
 */
export class ObjectWriter {
  private free = MAX_OPEN_FILES;
  private readonly waiting: (() => void)[] = [];

  /** @param admission none for what the repository's upkeep stores itself */
  constructor(
    private readonly gitDir: string,
    private readonly admission?: Admission,
  ) {}

  /** Stores an object unless it is there already. */
  async write(type: ObjectType, content: Buffer): Promise<ObjectId> {
    const batch = this.batch();
    const oid = batch.add(type, content);
    await batch.store();
    return oid;
  }

  /** Objects that are stored together. */
  batch(): ObjectBatch {
    return new ObjectBatch((oid, framed) => this.stage(oid, framed), this.admission);
  }

  /** Puts a synced copy beside its final place; undefined when the object exists. */
  private async stage(oid: ObjectId, framed: Buffer): Promise<StagedObject | undefined> {
    const path = objectPath(this.gitDir, oid);
    if (await freshen(path)) return undefined;
    return this.limited(async () => {
      const temporary = temporaryObject(this.gitDir);
      const bytes = await compress(framed);
      await writeNewFile(temporary, async (file) => {
        await file.writeFile(bytes);
        await file.sync();
      });
      return { path, temporary, bytes: bytes.length };
    });
  }

  private async limited<T>(work: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free--;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.free++;
    }
  }
}

/**
 * Synced at the same time, then renamed into place in the order they were added. Added children first, no object ever
 * refers to one that is not there, wherever the process is killed.
 */
export class ObjectBatch {
  private readonly staged: Promise<StagedObject | undefined>[] = [];

  constructor(
    private readonly stage: (oid: ObjectId, framed: Buffer) => Promise<StagedObject | undefined>,
    private readonly admission?: Admission,
  ) {}

  /** The id at once; the object itself after {@link store}. */
  add(type: ObjectType, content: Buffer): ObjectId {
    const { oid, framed } = frameObject(type, content);
    const staged = this.stage(oid, framed);
    // Reported by store(); until then it must not count as unhandled.
    staged.catch(() => undefined);
    this.staged.push(staged);
    return oid;
  }

  /** @throws what the admission throws; nothing is stored then */
  async store(): Promise<void> {
    const objects = (await Promise.all(this.staged)).filter((object) => object !== undefined);
    try {
      if (objects.length > 0) await this.admission?.(objects.reduce((sum, { bytes }) => sum + bytes, 0));
    } catch (error) {
      await Promise.all(objects.map(({ temporary }) => unlink(temporary)));
      throw error;
    }
    for (const { temporary, path } of objects) await publishObject(temporary, path);
  }
}
