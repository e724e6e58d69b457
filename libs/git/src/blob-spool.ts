import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat, unlink, writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createDeflate } from 'node:zlib';
import { type Admission, freshen, objectPath, publishObject, temporaryObject, writeNewFile } from './object-files';
import { type ObjectId } from './object-id';

/** A file's content that was stored without being held in memory. */
export interface StoredBlob {
  oid: ObjectId;
  /** SHA-1 of the raw content, in hexadecimal; git's own id covers a header too. */
  contentHash: string;
  /** Bytes. */
  size: number;
}

/** A file is larger than the caller allows; nothing was stored. */
export class BlobTooLargeError extends Error {
  override readonly name = 'BlobTooLargeError';

  constructor(readonly maxBytes: number) {
    super(`The file is larger than ${maxBytes} bytes`);
  }
}

/**
 * Stores a blob of unknown length. Git's header begins with the length, so the bytes are spooled to the object folder
 * first and hashed and compressed from there; whatever a killed process leaves is named as git's own leftovers are.
 *
 * @throws BlobTooLargeError, and what the source or the admission throws; nothing is stored then
 */
export async function storeBlob(
  gitDir: string,
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
  admission?: Admission,
): Promise<StoredBlob> {
  const spool = temporaryObject(gitDir);
  try {
    const { contentHash, size } = await fill(spool, source, maxBytes);
    const oid = await hashOf(spool, size);
    await place(gitDir, oid, spool, { size, admission });
    return { oid, contentHash, size };
  } finally {
    await unlink(spool).catch(() => undefined);
  }
}

async function fill(
  path: string,
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<{ contentHash: string; size: number }> {
  const hash = createHash('sha1');
  let size = 0;
  const measured = async function* () {
    for await (const chunk of source) {
      size += chunk.length;
      if (size > maxBytes) throw new BlobTooLargeError(maxBytes);
      hash.update(chunk);
      yield chunk;
    }
  };
  await writeNewFile(path, (file) => writeFile(file, measured()));
  return { contentHash: hash.digest('hex'), size };
}

async function hashOf(spool: string, size: number): Promise<ObjectId> {
  const hash = createHash('sha1').update(header(size));
  for await (const chunk of createReadStream(spool)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** Synced under a temporary name and renamed, so that a reader never sees half of an object. */
async function place(
  gitDir: string,
  oid: ObjectId,
  spool: string,
  { size, admission }: { size: number; admission: Admission | undefined },
): Promise<void> {
  const path = objectPath(gitDir, oid);
  if (await freshen(path)) return;
  const temporary = temporaryObject(gitDir);
  await writeNewFile(temporary, async (file) => {
    await pipeline(framed(spool, size), createDeflate(), (compressed) =>
      writeFile(file, compressed as AsyncIterable<Buffer>),
    );
    await file.sync();
  });
  try {
    await admission?.((await stat(temporary)).size);
  } catch (error) {
    await unlink(temporary);
    throw error;
  }
  await publishObject(temporary, path);
}

async function* framed(spool: string, size: number): AsyncGenerator<Buffer> {
  yield header(size);
  for await (const chunk of createReadStream(spool)) yield chunk as Buffer;
}

const header = (size: number): Buffer => Buffer.from(`blob ${size}\0`);
