import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BareRepository, BlobTooLargeError, RepositoryStore } from '.';

const author = { name: 'Ada', email: 'ada@example.com', at: new Date(1_700_000_000_000) };

let root: string;
let store: RepositoryStore;
let repository: BareRepository;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'plinth-git-'));
  store = new RepositoryStore({ root });
  repository = await store.create('r');
});
afterAll(async () => {
  await store.close();
  rmSync(root, { recursive: true, force: true });
});

async function* pieces(count: number, size: number) {
  for (let index = 0; index < count; index++) yield Buffer.alloc(size, index);
}
const objects = () =>
  readdirSync(join(repository.directory, 'objects'), { recursive: true }).filter(
    (name) => !/^(info|pack)/.test(String(name)),
  );

describe('a blob of unknown length', () => {
  it('leaves nothing behind when it is too large or its source fails', async () => {
    const before = objects();
    await expect(repository.storeBlob(pieces(11, 10), 100)).rejects.toEqual(new BlobTooLargeError(100));
    const failing = async function* () {
      yield Buffer.from('half');
      throw new Error('gone');
    };
    await expect(repository.storeBlob(failing(), 100)).rejects.toThrow('gone');
    expect(objects()).toEqual(before);
  });

  it('is what git stores for the same bytes, from nothing up to the limit', async () => {
    for (const [count, size] of [
      [0, 0],
      [10, 10],
    ] as const) {
      const content = Buffer.concat(Array.from({ length: count }, (_, index) => Buffer.alloc(size, index)));
      const stored = await repository.storeBlob(pieces(count, size), 100);
      expect(stored).toEqual({
        oid: await repository.writeBlob(content),
        contentHash: createHash('sha1').update(content).digest('hex'),
        size: content.length,
      });
      expect(await repository.readBlob(stored.oid)).toEqual(content);
    }
  });

  it('of 64 MiB is stored in flat memory, and can be committed by its id', async () => {
    const piece = Buffer.alloc(64 * 1_024);
    const before = process.memoryUsage().arrayBuffers;
    let highest = 0;
    const watched = async function* () {
      for (let index = 0; index < 1_024; index++) {
        highest = Math.max(highest, process.memoryUsage().arrayBuffers);
        yield piece;
      }
    };
    const { oid, size } = await repository.storeBlob(watched(), 1e9);
    expect(size).toBe(64 * 2 ** 20);
    expect(highest - before).toBeLessThan(16 * 2 ** 20);
    const change = { kind: 'link', path: 'a/large', oid } as const;
    const head = await repository.commitChanges({
      branch: 'main',
      expectedHead: null,
      changes: [change],
      message: 'Add',
      author,
    });
    expect(await repository.readTree(head)).toEqual([{ path: 'a/large', oid, mode: '100644' }]);
    await repository.fsck();
  });
});
