import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { TokenFolder, whileInFiles } from './token-folder';

const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe(TokenFolder.name, () => {
  let parent: string;
  let folder: TokenFolder;
  const path = (name: string): string => join(folder.path, name);
  const read = (name: string): string => readFileSync(path(name), 'utf8');

  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'plinth-tokens-'));
    folder = new TokenFolder(join(parent, 'tokens'));
  });
  afterEach(() => rmSync(parent, { recursive: true }));

  it('does not come back when it has been removed', () => {
    folder.remove();
    expect(() => folder.replace([{ fileName: 'a', token: 'one' }])).toThrow('ENOENT');
    expect(existsSync(folder.path)).toBe(false);
  });

  it('is read by its user alone, whatever the mask of the process', () => {
    const before = process.umask(0);
    try {
      folder = new TokenFolder(join(parent, 'others'));
      folder.replace([{ fileName: 'a', token: 'one' }]);
    } finally {
      process.umask(before);
    }
    expect([mode(folder.path), mode(path('a'))]).toEqual(['700', '600']);
  });

  it('leaves whoever reads a file the whole of the token that it began with', () => {
    folder.replace([{ fileName: 'a', token: 'the first token' }]);
    const open = openSync(path('a'), 'r');
    folder.replace([{ fileName: 'a', token: 'the second one' }]);
    expect(readFileSync(open, 'utf8')).toBe('the first token');
    closeSync(open);
    expect(read('a')).toBe('the second one');
  });

  it('holds the tokens that there are, and nothing else', () => {
    folder.replace(['a', 'b'].map((fileName) => ({ fileName, token: fileName })));
    folder.replace([{ fileName: 'b', token: 'another' }]);
    expect(readdirSync(folder.path)).toEqual(['b']);
    folder.replace([]);
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it.each([
    ['done', async () => undefined],
    ['failed', async () => Promise.reject(new Error('failed'))],
  ])('is gone when the work is %s that it was made for', async (_, end) => {
    let seen = '';
    const work = whileInFiles([{ fileName: 'a', token: 'one' }], async (given) => {
      seen = given;
      expect(readFileSync(join(given, 'a'), 'utf8')).toBe('one');
      return end();
    });
    await work.catch(() => undefined);
    expect(existsSync(dirname(seen))).toBe(false);
  });
});
