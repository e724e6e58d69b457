import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ObjectWriter } from './object-writer';

let root: string;
const git = (args: readonly string[], input = ''): Buffer =>
  execFileSync('git', [`--git-dir=${root}`, ...args], {
    env: { PATH: process.env['PATH'] },
    maxBuffer: 1 << 24,
    input,
  });

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'plinth-objects-'));
  git(['init', '--quiet', '--bare', root]);
});
afterAll(() => rmSync(root, { recursive: true }));

describe(ObjectWriter, () => {
  it.each([0, 8_000, 8_192, 1_000_000])('stores %i bytes as git reads them', async (size) => {
    const content = randomBytes(size);
    const oid = await new ObjectWriter(root).write('blob', content);
    expect(git(['cat-file', 'blob', oid]).equals(content)).toBe(true);
  });

  it('stores many at once, also where another one is in its folder already', async () => {
    const batch = new ObjectWriter(root).batch();
    const oids = Array.from({ length: 600 }, (_none, index) => batch.add('blob', Buffer.from(`${index}`)));
    await batch.store();
    const read = git(['cat-file', '--batch-check=%(objectname) %(objecttype)'], oids.join('\n')).toString();
    expect(read.trim().split('\n')).toEqual(oids.map((oid) => `${oid} blob`));
    git(['fsck', '--strict']);
  });
});
