import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BareRepository, RefMovedError, RepositoryNotFoundError, RepositoryStore } from '.';

const author = { name: 'Ada', email: 'ada@example.com', at: new Date(1_700_000_000_000) };

let root: string;
const stores: RepositoryStore[] = [];
const openStore = (options = {}) => {
  const store = new RepositoryStore({ root, ...options });
  stores.push(store);
  return store;
};

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'plinth-store-'));
});
afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
  rmSync(root, { recursive: true, force: true });
});

/** Commits one file, again from the new head whenever somebody else was first. */
async function commitFile(repository: BareRepository, path: string): Promise<void> {
  for (;;) {
    const expectedHead = await repository.head('main');
    try {
      const changes = [{ kind: 'put' as const, path, content: path }];
      await repository.commitChanges({ branch: 'main', expectedHead, changes, message: path, author });
      return;
    } catch (error) {
      if (!(error instanceof RefMovedError)) throw error;
    }
  }
}

async function expectAllFiles(repository: BareRepository, count: number): Promise<void> {
  const head = (await repository.head('main')) ?? '';
  expect(await repository.readTree(head)).toHaveLength(count);
  expect(await repository.log('main', count + 1)).toHaveLength(count);
  await repository.fsck();
}

describe('parallel writers to one branch', () => {
  it('lose nothing through one store', async () => {
    const repository = await openStore().create('r');
    await Promise.all(Array.from({ length: 20 }, (_, i) => commitFile(repository, `dir${i % 3}/f${i}`)));
    await expectAllFiles(repository, 20);
  });

  it('lose nothing through two stores with children of their own', async () => {
    const first = await openStore().create('r');
    const second = await openStore().open('r');
    await Promise.all(Array.from({ length: 20 }, (_, i) => commitFile(i % 2 ? first : second, `dir${i % 3}/f${i}`)));
    await expectAllFiles(second, 20);
  });
});

describe('leftovers of a killed process', () => {
  const age = (path: string, seconds: number) =>
    utimesSync(path, Date.now() / 1000 - seconds, Date.now() / 1000 - seconds);

  it('vanish when the repository is opened and they are old', async () => {
    const { directory } = await openStore().create('r');
    mkdirSync(join(directory, 'objects', 'ab'));
    const old = [join(directory, 'objects', 'ab', 'tmp_obj_1'), join(directory, 'refs', 'heads', 'main.lock')];
    const young = join(directory, 'objects', 'ab', 'tmp_obj_2');
    for (const path of [...old, young]) writeFileSync(path, 'x');
    for (const path of old) age(path, 120);
    await commitFile(await openStore().open('r'), 'a');
    expect(old.filter((path) => existsSync(path))).toEqual([]);
    expect(existsSync(young)).toBe(true);
  });

  it('of packing vanish after an hour, in which a large pack may still be written', async () => {
    const { directory } = await openStore().create('r');
    const old = join(directory, 'objects', 'pack', 'tmp_pack_1');
    const young = join(directory, 'objects', 'pack', '.tmp-7-pack-0');
    for (const path of [old, young]) writeFileSync(path, 'x');
    age(old, 3_700);
    age(young, 600);
    await openStore().open('r');
    expect(existsSync(old)).toBe(false);
    expect(existsSync(young)).toBe(true);
  });

  it('are looked for also while another process removes a folder that has become empty', async () => {
    const { directory } = await openStore().create('r');
    rmSync(join(directory, 'objects', 'pack'), { recursive: true });
    await commitFile(await openStore().open('r'), 'a');
  });

  it('do not stop a writer that meets a stale lock on an open repository', async () => {
    const repository = await openStore().create('r');
    await commitFile(repository, 'a');
    const lock = join(repository.directory, 'refs', 'heads', 'main.lock');
    writeFileSync(lock, '');
    age(lock, 120);
    await commitFile(repository, 'b');
    await expectAllFiles(repository, 2);
  });

  it('are respected while they may be in use: the writer gives up in time', async () => {
    const repository = await openStore({ lockWaitMs: 150 }).create('r');
    const lock = join(repository.directory, 'refs', 'heads', 'main.lock');
    writeFileSync(lock, '');
    await expect(commitFile(repository, 'a')).rejects.toThrow('git update-ref');
    expect(existsSync(lock)).toBe(true);
    rmSync(lock);
    await commitFile(repository, 'a');
  });
});

describe('a repository store', () => {
  it.each(['', '../x', 'a/b', '.hidden', '-rf', 'x'.repeat(129)])('refuses the id %j', async (id) => {
    await expect(openStore().create(id)).rejects.toThrow(TypeError);
  });

  it('creates once, also when asked at the same time, and leaves no draft', async () => {
    const store = openStore();
    const made = await Promise.all([store.create('r'), openStore().create('r'), store.create('r')]);
    expect(new Set(made.map(({ directory }) => directory)).size).toBe(1);
    expect(readdirSync(join(made[0].directory, '..'))).toEqual(['r.git']);
  });

  it('keeps repositories from other accounts, and takes back one that they could read', async () => {
    const before = process.umask(0);
    await openStore().create('private');
    process.umask(before);
    const paths = (readdirSync(root, { recursive: true }) as string[]).filter((path) =>
      /^..(?:.private.git)?$/.test(path),
    );
    const modes = () => paths.map((path) => statSync(join(root, path)).mode & 0o777);
    expect(modes()).toEqual([0o700, 0o700]);
    const [, repository = ''] = paths.sort();
    chmodSync(join(root, repository), 0o755);
    await openStore().open('private');
    expect(modes()).toEqual([0o700, 0o700]);
  });

  it('does not find a repository that goes while it is opened', async () => {
    const store = openStore();
    // It is still there when it is looked for, and gone a moment later.
    jest.spyOn(store, 'exists').mockResolvedValueOnce(true);
    await expect(store.open('t1-d1')).rejects.toThrow(RepositoryNotFoundError);
  });

  it('removes a repository and everything of it', async () => {
    const store = openStore();
    const { directory } = await store.create('r');
    await store.remove('r');
    await store.remove('r');
    expect(await store.exists('r')).toBe(false);
    expect(readdirSync(join(directory, '..'))).toEqual([]);
    await expect(store.open('r')).rejects.toThrow(RepositoryNotFoundError);
  });

  it('keeps serving a repository that was put out of its cache', async () => {
    const store = openStore({ maxOpen: 1 });
    const first = await store.create('a');
    await commitFile(first, 'x');
    await commitFile(await store.create('b'), 'x');
    await commitFile(first, 'y');
    await expectAllFiles(first, 2);
    await first.close();
  });

  it('starts a child again after it was idle', async () => {
    const repository = await openStore({ idleMs: 1 }).create('r');
    for (const path of ['a', 'b', 'c']) await commitFile(repository, path);
    await expectAllFiles(repository, 3);
  });
});
