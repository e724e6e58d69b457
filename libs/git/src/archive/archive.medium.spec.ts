import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RepositoryStore } from '../repository-store';
import { packEverything, readEveryRef, setReferences, unpackObjects, type References } from '.';

const unpack = async (gitDir: string, refs: References, file: string): Promise<void> => {
  await unpackObjects(gitDir, createReadStream(file));
  await setReferences(gitDir, refs);
};

describe('the archive of a repository', () => {
  const author = { name: 'A', email: 'a@example.com', at: new Date(0) };
  let folder: string;
  let store: RepositoryStore;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'plinth-archive-'));
    store = new RepositoryStore({ root: join(folder, 'store') });
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  const filled = async () => {
    const git = await store.create('one');
    let head: string | null = null;
    for (let number = 1; number <= 3; number += 1) {
      const content = randomBytes(200_000);
      const changes = [{ kind: 'put' as const, path: `file-${number}`, content }];
      const { commit } = await git.prepareCommit({ expectedHead: head, changes, message: `${number}`, author });
      if (head === null) await git.createBranch('main', commit);
      else await git.updateRefs([{ ref: 'refs/heads/main', oldOid: head, newOid: commit }]);
      head = commit;
    }
    return { git, head: head ?? '' };
  };
  const packed = async (directory: string, wanted: string[] = []) => {
    const file = join(folder, 'pack');
    return { file, ...(await packEverything(directory, createWriteStream(file), wanted)) };
  };

  it('says which wanted objects are gone', async () => {
    const { git, head } = await filled();
    const absent = 'a'.repeat(40);
    expect((await packed(git.directory, [head, absent])).missing).toEqual(new Set([absent]));
  });

  it('is refused when a byte of the pack is another', async () => {
    const { git } = await filled();
    const { file } = await packed(git.directory);
    const bytes = readFileSync(file);
    bytes[300_000]! ^= 1;
    writeFileSync(file, bytes);
    const refs = await readEveryRef(git.directory);
    await expect(unpack(join(folder, 'copy.git'), refs, file)).rejects.toThrow('index-pack');
  });

  it('is refused when a reference leads to what the pack does not have', async () => {
    const { git } = await filled();
    const { file } = await packed(git.directory);
    const refs = { head: 'refs/heads/main', refs: new Map([['refs/heads/main', 'b'.repeat(40)]]) };
    await expect(unpack(join(folder, 'copy.git'), refs, file)).rejects.toThrow('rev-list');
  });

  it('brings back every reference, loose and packed, and objects that none reaches', async () => {
    const { git, head } = await filled();
    const { commit: lost } = await git.prepareCommit({ expectedHead: head, changes: [], message: 'lost', author });
    await git.createBranch('packed', head);
    await git.collect(AbortSignal.timeout(60_000), { kept: { commits: [], blobs: [] }, unusedSince: new Date(0) });
    await git.createBranch('side/loose', head);
    const refs = await readEveryRef(git.directory);
    expect([...refs.refs.keys()].sort()).toEqual(['refs/heads/main', 'refs/heads/packed', 'refs/heads/side/loose']);

    const { file, objects } = await packed(git.directory);
    expect(objects).toBe(10);
    const copy = join(folder, 'copy.git');
    await unpack(copy, refs, file);
    expect(await readEveryRef(copy)).toEqual(refs);
    expect(await git.at(copy).resolveRef('refs/heads/main')).toBe(head);
    expect((await git.at(copy).readTree(lost)).map(({ path }) => path)).toEqual(['file-1', 'file-2', 'file-3']);
  });

  it('brings back a repository that has no commit yet', async () => {
    const git = await store.create('empty');
    const { file, objects } = await packed(git.directory);
    expect(objects).toBe(0);
    const copy = join(folder, 'copy.git');
    await unpack(copy, await readEveryRef(git.directory), file);
    expect(await readEveryRef(copy)).toEqual({ head: 'refs/heads/main', refs: new Map() });
  });
});
