import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RepositoryStore, branchRef, type BareRepository, type ObjectId } from '@plinth/git';
import { carries, toChange } from './reference-state';

const root = mkdtempSync(join(tmpdir(), 'plinth-references-'));
const store = new RepositoryStore({ root });
let git: BareRepository;
let repositories = 0;
let start: ObjectId;
let next: ObjectId;

afterAll(async () => {
  await store.close();
  rmSync(root, { recursive: true });
});

const author = { name: 'A', email: '', at: new Date(0) };
const commitOn = async (parent: ObjectId | null, message: string): Promise<ObjectId> => {
  const changes = [{ kind: 'put', path: 'a', content: message }] as const;
  return (await git.prepareCommit({ expectedHead: parent, changes, message, author })).commit;
};
const move = (branch: string, oldOid: ObjectId | null, newOid: ObjectId | null) =>
  git.updateRefs([{ ref: branchRef(branch), oldOid, newOid }]);
const change = (branch: string, oldOid: ObjectId | null, newOid: ObjectId | null) =>
  toChange({ ref: branchRef(branch), oldOid, newOid });

beforeEach(async () => {
  repositories += 1;
  git = await store.create(`r${repositories}`);
  start = await commitOn(null, 'start');
  next = await commitOn(start, 'next');
  await move('main', null, start);
  await move('dev', null, start);
});

describe(carries.name, () => {
  it('denies a write of which no reference has moved, and moves none', async () => {
    expect(await carries(git, [change('main', start, next), change('dev', start, null)])).toBe(false);
    expect([await git.head('main'), await git.head('dev')]).toEqual([start, start]);
  });

  it('denies a write when the reference went elsewhere', async () => {
    await move('main', start, await commitOn(start, 'other'));
    expect(await carries(git, [change('main', start, next)])).toBe(false);
  });

  it('denies a merge although its branch was deleted meanwhile', async () => {
    await move('dev', start, null);
    expect(await carries(git, [change('main', start, next), change('dev', start, null)])).toBe(false);
    expect(await git.head('main')).toBe(start);
  });

  it('affirms a write on which others have built', async () => {
    await move('main', start, await commitOn(next, 'more'));
    expect(await carries(git, [change('main', start, next)])).toBe(true);
  });

  it('completes a write that stopped after its first reference', async () => {
    await move('main', start, next);
    expect(await carries(git, [change('main', start, next), change('dev', start, null)])).toBe(true);
    expect(await git.head('dev')).toBeNull();
  });

  it('leaves a reference alone that others have moved meanwhile', async () => {
    await move('main', start, next);
    const other = await commitOn(start, 'other');
    await move('dev', start, other);
    expect(await carries(git, [change('main', start, next), change('dev', start, null)])).toBe(true);
    expect(await git.head('dev')).toBe(other);
  });

  it('affirms a deletion alone once the reference is gone, and a write that moves nothing', async () => {
    await move('dev', start, null);
    expect(await carries(git, [change('dev', start, null)])).toBe(true);
    expect(await carries(git, [])).toBe(true);
  });
});
