import { createHash } from 'node:crypto';
import { type LRUCache } from 'lru-cache';
import { type ObjectId } from './object-id';

/** SHA-1 of the raw content of each blob; reads only those that `known` lacks, and adds them there. */
export async function hashContents(
  blobs: Iterable<ObjectId>,
  known: LRUCache<ObjectId, string>,
  read: (oids: readonly ObjectId[]) => AsyncIterable<Buffer>,
): Promise<Map<ObjectId, string>> {
  const hashes = new Map<ObjectId, string>();
  const unknown: ObjectId[] = [];
  for (const oid of blobs) {
    const hash = known.get(oid);
    if (hash) hashes.set(oid, hash);
    else unknown.push(oid);
  }
  let index = 0;
  for await (const content of read(unknown)) {
    const oid = unknown[index++] ?? '';
    const hash = createHash('sha1').update(content).digest('hex');
    known.set(oid, hash);
    hashes.set(oid, hash);
  }
  return hashes;
}
