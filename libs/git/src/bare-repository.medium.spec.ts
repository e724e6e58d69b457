import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type BareRepository,
  InvalidPathError,
  PathExistsError,
  PathNotFoundError,
  PathObstructedError,
  RefMovedError,
  RefNameConflictError,
  RepositoryStore,
  type TreeChange,
} from '.';
import { GitCommands } from './git-commands';

const author = { name: 'Ada', email: 'ada@example.com', at: new Date(1_700_000_000_000) };
const put = (path: string, content: string): TreeChange => ({ kind: 'put', path, content });

let root: string;
let store: RepositoryStore;
let repository: BareRepository;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'plinth-git-'));
  store = new RepositoryStore({ root });
});
afterAll(async () => {
  await store.close();
  rmSync(root, { recursive: true, force: true });
});

let serial = 0;
beforeEach(async () => {
  repository = await store.create(`r${++serial}`);
});

const commitOn = (branch: string, expectedHead: string | null, ...changes: TreeChange[]) =>
  repository.commitChanges({ branch, expectedHead, changes, message: 'change', author });
const prepare = (...changes: TreeChange[]) =>
  repository.prepareCommit({ expectedHead: null, changes, message: 'change', author });
const creation = (name: string, newOid: string) => ({ ref: `refs/heads/${name}`, newOid, oldOid: null });
const paths = async (commit: string) => (await repository.readTree(commit)).map(({ path }) => path);
const text = async (commit: string, path: string) => (await repository.fileAt(commit, path)).toString();

it('an empty repository has no branches, no history and passes fsck', async () => {
  expect(await repository.head('main')).toBeNull();
  expect(await repository.branches()).toEqual([]);
  expect(await repository.log('main', 10)).toEqual([]);
  await repository.fsck();
});

describe('changes', () => {
  it('refuse a moved branch and show nothing of it', async () => {
    const first = await commitOn('main', null, put('a', '1'));
    const second = await commitOn('main', first, put('a', '2'));
    await expect(commitOn('main', first, put('a', '3'))).rejects.toEqual(
      new RefMovedError('refs/heads/main', first, second),
    );
    await expect(commitOn('main', null, put('a', '3'))).rejects.toThrow(RefMovedError);
    expect(await repository.head('main')).toBe(second);
  });

  it.each<[string, TreeChange, new (...args: never[]) => Error]>([
    ['a delete of a missing file', { kind: 'delete', path: 'dir/none' }, PathNotFoundError],
    ['a delete of a directory', { kind: 'delete', path: 'dir' }, PathNotFoundError],
    ['a rename of a missing file', { kind: 'rename', from: 'none', to: 'x' }, PathNotFoundError],
    ['a rename onto a file', { kind: 'rename', from: 'file', to: 'dir/a' }, PathExistsError],
    ['a rename onto itself', { kind: 'rename', from: 'file', to: 'file' }, PathExistsError],
    ['a file in the way of a directory', put('file/below', 'x'), PathObstructedError],
    ['a directory in the way of a file', put('dir', 'x'), PathObstructedError],
    ['a path outside', put('../x', 'x'), InvalidPathError],
  ])('refuse %s', async (_, change, error) => {
    const head = await commitOn('main', null, put('file', '1'), put('dir/a', '2'));
    await expect(commitOn('main', head, put('new', 'x'), change)).rejects.toThrow(error);
    expect(await repository.head('main')).toBe(head);
  });

  it('put, rename and delete in order, and drop directories that become empty', async () => {
    const head = await commitOn('main', null, put('a/b/c', '1'), put('d', '2'), put('keep/e', '3'));
    const next = await commitOn(
      'main',
      head,
      { kind: 'rename', from: 'a/b/c', to: 'x/y' },
      { kind: 'delete', path: '/d' },
      put('x/y', '4'),
    );
    expect(await paths(next)).toEqual(['keep/e', 'x/y']);
    expect(await text(next, 'x/y')).toBe('4');
    await repository.fsck();
  });

  it('keep unicode names and binary contents', async () => {
    const content = Buffer.from([0, 255, 10, 13, 0]);
    const head = await commitOn('main', null, { kind: 'put', path: 'model/日本 語/é.yml', content });
    expect(await paths(head)).toEqual(['model/日本 語/é.yml']);
    expect(await repository.fileAt(head, '/model/日本 語/e\u0301.yml')).toEqual(content);
    await repository.fsck();
  });

  it('write the same history as git would read it', async () => {
    const head = await repository.commitChanges({
      branch: 'main',
      expectedHead: null,
      changes: [put('a', '1')],
      message: 'First\n\nBody',
      author,
      trailers: { 'Request-Id': 'r-1' },
    });
    const [entry] = await repository.log('main', 5);
    const { name, email, at } = author;
    expect(entry).toEqual({
      oid: head,
      parents: [],
      author: { name, email },
      at,
      message: 'First\n\nBody\n\nRequest-Id: r-1',
    });
  });

  it('are invisible between prepareCommit and updateRefs', async () => {
    const { commit } = await prepare(put('a', '1'));
    expect(await repository.head('main')).toBeNull();
    await repository.updateRefs([creation('main', commit)]);
    expect(await repository.head('main')).toBe(commit);
  });

  it('reach single files of a tree of 2,000, which is listed and hashed', async () => {
    const files = Array.from({ length: 2000 }, (_, i) => put(`model/d${i % 50}/f${i}.yml`, `cube ${i}\n`));
    const head = await commitOn('main', null, ...files);
    expect(await paths(head)).toHaveLength(2000);
    expect(await repository.readTree(head, { prefix: '/model/d7/' })).toHaveLength(40);
    const hashes = await repository.contentHashes(head);
    // printf 'cube 7\n' | sha1sum
    expect(hashes.get('model/d7/f7.yml')).toBe('c66150860c306cf47d3a88ba6371ba4d81385ab7');
    const next = await commitOn('main', head, put('model/d7/f7.yml', 'changed'));
    expect((await repository.contentHashes(next)).get('model/d8/f8.yml')).toBe(hashes.get('model/d8/f8.yml'));
    expect(await text(next, 'model/d7/f7.yml')).toBe('changed');
    await repository.fsck();
  });
});

describe('references', () => {
  it('change all together or not at all', async () => {
    const head = await commitOn('main', null, put('a', '1'));
    const create = creation('dev', head);
    await expect(
      repository.updateRefs([create, { ref: 'refs/heads/main', newOid: null, oldOid: '1'.repeat(40) }]),
    ).rejects.toThrow(RefMovedError);
    expect(await repository.branches()).toEqual([{ name: 'main', head }]);
    await repository.updateRefs([create, { ref: 'refs/heads/main', newOid: null, oldOid: head }]);
    expect(await repository.branches()).toEqual([{ name: 'dev', head }]);
  });

  it('refuse a name above or below an existing one', async () => {
    const head = await commitOn('main', null, put('a', '1'));
    await expect(repository.createBranch('main/sub', head)).rejects.toThrow(RefNameConflictError);
    await repository.createBranch('team/x', head);
    await expect(repository.createBranch('team', head)).rejects.toThrow(RefNameConflictError);
    await repository.deleteBranch('team/x', head);
    await repository.createBranch('team', head);
  });

  it('cost the same among hundreds of others: what is in the way of a name is looked for there alone', async () => {
    const head = await commitOn('main', null, put('a', '1'));
    const many = Array.from({ length: 300 }, (_, index) => creation(`b${index}`, head));
    await repository.updateRefs([...many, creation('team/x', head)]);
    const run = jest.spyOn(GitCommands.prototype, 'run');
    try {
      await repository.createBranch('one-more', head);
      expect(run).not.toHaveBeenCalled();
      await expect(repository.createBranch('b7/sub', head)).rejects.toThrow(RefNameConflictError);
      await expect(repository.createBranch('team', head)).rejects.toThrow(RefNameConflictError);
      const outputs = await Promise.all(run.mock.results.map(({ value }) => value as Promise<string>));
      expect(outputs).toEqual(['refs/heads/team/x\n']);
    } finally {
      run.mockRestore();
    }
  });

  it('refuse a target that is not stored', async () => {
    await expect(repository.createBranch('x', '1'.repeat(40))).rejects.toThrow('git update-ref');
    expect(await repository.head('x')).toBeNull();
  });
});

describe('merging', () => {
  const lines = (...middle: string[]) => ['top', ...middle, 'bottom', ''].join('\n');
  const fork = async (ours: TreeChange[], theirs: TreeChange[]) => {
    const base = await commitOn('main', null, put('a.yml', lines('x')), put('b.yml', lines('y', 'z', 'w')));
    await repository.createBranch('dev', base);
    return [base, await commitOn('main', base, ...ours), await commitOn('dev', base, ...theirs)] as const;
  };
  const merged = async (...parents: [string, string]) => {
    const result = await repository.mergeTrees(undefined, ...parents);
    if (!result.clean) throw new Error('expected a clean merge');
    return { result, commit: await repository.commitTree({ tree: result.tree, parents, message: 'merge', author }) };
  };

  it('joins changes to different files', async () => {
    const [base, ours, theirs] = await fork([put('a.yml', lines('X'))], [put('b.yml', lines('Y'))]);
    const { result, commit } = await merged(ours, theirs);
    expect([await text(commit, 'a.yml'), await text(commit, 'b.yml')]).toEqual([lines('X'), lines('Y')]);
    expect(await repository.mergeTrees(base, ours, theirs)).toEqual(result);
    expect(await repository.mergeBase(ours, theirs)).toBe(base);
    expect(await repository.isAncestor(base, theirs)).toBe(true);
    expect(await repository.isAncestor(ours, theirs)).toBe(false);
    await repository.fsck();
  });

  it.each<[string, TreeChange, string]>([
    ['changed on both sides', put('a.yml', lines('ours')), '<<<<<<< ours\nours\n=======\ntheirs\n>>>>>>> theirs\n'],
    [
      'deleted on one side and changed on the other',
      { kind: 'delete', path: 'a.yml' },
      '<<<<<<< ours\n=======\ntop\ntheirs\nbottom\n>>>>>>> theirs\n',
    ],
  ])('names a file that was %s with its hunks, and leaves the branches alone', async (_what, change, hunk) => {
    const [, ours, theirs] = await fork([change], [put('a.yml', lines('theirs'))]);
    expect(await repository.mergeTrees(undefined, ours, theirs)).toEqual({
      clean: false,
      conflicts: [{ path: 'a.yml', hunks: [hunk] }],
    });
    expect(await repository.head('main')).toBe(ours);
  });

  it('follows a rename', async () => {
    const long = (line: string) => Array.from({ length: 30 }, (_, i) => (i === 15 ? line : `line ${i}`)).join('\n');
    const base = await commitOn('main', null, put('old.yml', long('x')));
    await repository.createBranch('dev', base);
    const ours = await commitOn('main', base, { kind: 'rename', from: 'old.yml', to: 'sub/new.yml' });
    const theirs = await commitOn('dev', base, put('old.yml', long('y')));
    const { commit } = await merged(ours, theirs);
    expect(await paths(commit)).toEqual(['sub/new.yml']);
    expect(await text(commit, 'sub/new.yml')).toBe(long('y'));
  });

  it('works without a common history when the base is null', async () => {
    const ours = await commitOn('main', null, put('a', '1'));
    const theirs = await commitOn('other', null, put('b', '2'));
    expect(await repository.mergeTrees(null, ours, theirs)).toMatchObject({ clean: true });
    expect(await repository.mergeBase(ours, theirs)).toBeNull();
  });
});

describe('a repository that is packed', () => {
  const running = new AbortController().signal;
  const few = { looseObjects: -1, packs: 16 };
  const many = { looseObjects: 100_000, packs: 16 };
  const looseObjects = () =>
    readdirSync(join(repository.directory, 'objects')).filter((name) => /^[0-9a-f]{2}$/.test(name)).length;

  it('by git itself is read and written as before', async () => {
    const head = await commitOn('main', null, put('a', '1'));
    execFileSync('git', ['-C', repository.directory, '-c', 'safe.directory=*', 'gc', '--quiet'], {
      env: { PATH: '/usr/bin:/bin' },
    });
    const next = await commitOn('main', head, put('b', '2'));
    expect(await paths(next)).toEqual(['a', 'b']);
    await repository.fsck();
  });

  it('is packed by itself when its objects are many, and keeps what no branch reaches', async () => {
    const unreached = await repository.writeBlob(Buffer.from('of an upload that is under way'));
    const { commit } = await prepare(put('c', '3'));
    const head = await commitOn('main', null, put('a', '1'));
    expect(await repository.tidy(running, many)).toBe(false);
    expect(await repository.tidy(running, few)).toBe(true);
    await repository.writeBlob(Buffer.from('more'));
    expect(await repository.tidy(running, few)).toBe(true);
    expect(looseObjects()).toBe(0);
    expect(await repository.head('main')).toBe(head);
    expect(String(await repository.readBlob(unreached))).toBe('of an upload that is under way');
    expect(await paths(commit)).toEqual(['c']);
    await repository.fsck();
  });

  it('is packed while others write and read, and they notice nothing', async () => {
    const other = repository.at(repository.directory);
    let head = await commitOn('main', null, put('f', 'first'));
    for (let round = 0; round < 8; round++) {
      const packing = other.tidy(running, few);
      for (let i = 0; i < 10; i++) head = await commitOn('main', head, put(`d${i}/f${round}`, `${round}-${i}`));
      expect((await repository.readTree(head)).length).toBe(1 + (round + 1) * 10);
      expect(await text(head, `d9/f${round}`)).toBe(`${round}-9`);
      await packing;
    }
    await other.close();
    expect(await repository.log('main', 100)).toHaveLength(81);
    await repository.fsck();
  });

  it('stays as it was when packing is stopped', async () => {
    const head = await commitOn('main', null, put('a', '1'));
    await expect(repository.tidy(AbortSignal.abort(new Error('stop')), few)).rejects.toThrow('git repack');
    expect(await text(head, 'a')).toBe('1');
    await repository.fsck();
  });
});
