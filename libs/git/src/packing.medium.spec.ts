import { mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BareRepository, ObjectNotFoundError, RepositoryStore } from '.';

const HOUR_MS = 3_600_000;
const author = { name: 'Ada', email: 'ada@example.com', at: new Date(1_700_000_000_000) };
const running = new AbortController().signal;
const packed = { looseObjects: 0, packs: 0 };
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS);
const commitOf = (path: string) => ({
  expectedHead: null,
  changes: [{ kind: 'put' as const, path, content: path }],
  message: path,
  author,
});

let root: string;
let store: RepositoryStore;
let repository: BareRepository;
let admitted: number[];
let limit: number;

beforeEach(async () => {
  [admitted, limit] = [[], Infinity];
  root = mkdtempSync(join(tmpdir(), 'plinth-packing-'));
  const admit = async (id: string, bytes: number) => {
    if (bytes > limit) throw new Error(`no room in ${id}`);
    admitted.push(bytes);
  };
  store = new RepositoryStore({ root, admit });
  repository = await store.create('r');
});
afterEach(async () => {
  await store.close();
  rmSync(root, { recursive: true, force: true });
});

const write = (content: string) => repository.writeBlob(Buffer.from(content));
const read = async (oid: string) => String(await repository.readBlob(oid));
const objects = () => readdirSync(join(repository.directory, 'objects'), { recursive: true });
async function* chunks(...contents: string[]) {
  for (const content of contents) yield Buffer.from(content);
}

describe('a collection', () => {
  it('drops what nothing refers to, wherever it lies, once it is old', async () => {
    const head = await repository.commitChanges({ ...commitOf('a'), branch: 'main' });
    const inPack = await write('in a pack');
    await repository.tidy(running, packed);
    const loose = await write('loose');
    const kept = { commits: [], blobs: [] };
    await repository.collect(running, { kept, unusedSince: inHours(-1) });
    expect([await read(inPack), await read(loose)]).toEqual(['in a pack', 'loose']);
    await repository.collect(running, { kept, unusedSince: inHours(1) });
    for (const oid of [inPack, loose]) await expect(read(oid)).rejects.toBeInstanceOf(ObjectNotFoundError);
    expect(String(await repository.fileAt(head, 'a'))).toBe('a');
    await repository.fsck();
  });

  it('keeps what it is told to, also in later packings, until it is told otherwise', async () => {
    const { commit } = await repository.prepareCommit(commitOf('a'));
    const blob = await write('of an open upload');
    const kept = { commits: [commit, '0'.repeat(40)], blobs: [blob, blob, 'f'.repeat(40)] };
    for (let round = 0; round < 2; round++) await repository.collect(running, { kept, unusedSince: inHours(1) });
    expect(await read(blob)).toBe('of an open upload');
    expect(String(await repository.fileAt(commit, 'a'))).toBe('a');
    await repository.fsck();
    await repository.collect(running, { kept: { commits: [], blobs: [] }, unusedSince: inHours(1) });
    await expect(read(blob)).rejects.toBeInstanceOf(ObjectNotFoundError);
  });

  it.each([
    ['at once', write],
    ['as it arrives', async (content: string) => (await repository.storeBlob(chunks(content), 100)).oid],
  ])('leaves alone what is stored again %s', async (_, store) => {
    const oid = await write('again');
    const file = join(repository.directory, 'objects', oid.slice(0, 2), oid.slice(2));
    utimesSync(file, inHours(-3), inHours(-3));
    await store('again');
    await repository.collect(running, { kept: { commits: [], blobs: [] }, unusedSince: inHours(-1) });
    expect(await read(oid)).toBe('again');
  });

  it('does not make younger what lay in a pack before', async () => {
    const oid = await write('old');
    const file = join(repository.directory, 'objects', oid.slice(0, 2), oid.slice(2));
    utimesSync(file, inHours(-3), inHours(-3));
    await repository.tidy(running, packed);
    await write('more');
    await repository.tidy(running, packed);
    await repository.collect(running, { kept: { commits: [], blobs: [] }, unusedSince: inHours(-1) });
    await expect(read(oid)).rejects.toBeInstanceOf(ObjectNotFoundError);
  });
});

describe('a repository whose store refuses more', () => {
  it('keeps nothing of a file or of a commit', async () => {
    await write('before');
    const before = objects();
    limit = 10;
    await expect(write('a file')).rejects.toThrow('no room in r');
    await expect(repository.storeBlob(chunks('x'.repeat(1_000)), 10_000)).rejects.toThrow('no room in r');
    await expect(repository.commitChanges({ ...commitOf('a'), branch: 'main' })).rejects.toThrow('no room in r');
    expect(objects()).toEqual(before);
    expect(await repository.head('main')).toBeNull();
  });

  it('has asked for exactly the bytes that its objects take, and not again for those that are there', async () => {
    await repository.commitChanges({ ...commitOf('a'), branch: 'main' });
    await repository.storeBlob(chunks('x'.repeat(1_000)), 10_000);
    await repository.storeBlob(chunks('x'.repeat(1_000)), 10_000);
    await write('x'.repeat(1_000));
    expect(admitted).toHaveLength(2);
    expect(await repository.storedBytes()).toBe(admitted.reduce((sum, each) => sum + each, 0));
  });
});
