import { InvalidPathError, normaliseFolder, normalisePath } from './paths';

describe('normalisePath', () => {
  const refused: [string, string][] = [
    ['empty', ''],
    ['only a slash', '/'],
    ['two leading slashes', '//model/a.yml'],
    ['a trailing slash', 'model/'],
    ['an empty segment', 'model//a.yml'],
    ['a dot segment', './model/a.yml'],
    ['a dot-dot segment', 'model/../../etc/passwd'],
    ['an escaped parent', '/../a'],
    ['.git', '.git/config'],
    ['.GIT', 'model/.GIT/config'],
    ['.git with a trailing space', '.git /config'],
    ['.git with trailing dots', '.git. ./config'],
    ['the NTFS short name', 'GIT~1/config'],
    ['an NTFS stream', '.git::$INDEX_ALLOCATION/config'],
    ['.git with an ignorable code point', '.g\u200cit/config'],
    ['.git with a byte order mark', '\ufeff.git'],
    ['a backslash', 'model\\a.yml'],
    ['NUL', 'model/a\0.yml'],
    ['a new line', 'model/a\n.yml'],
    ['DEL', 'model/a\x7f.yml'],
    ['a C1 control', 'model/a\x85.yml'],
    ['a lone surrogate', 'model/\ud800.yml'],
    ['a segment of 256 bytes', `${'é'.repeat(128)}`],
    ['a path of 1,025 bytes', `${'a'.repeat(200)}/`.repeat(5) + 'b'.repeat(20)],
  ];

  it.each(refused)('refuses %s', (_, path) => {
    expect(() => normalisePath(path)).toThrow(InvalidPathError);
  });

  it('says in a sentence what is wrong', () => {
    expect(() => normalisePath('a/../b')).toThrow('Invalid path "a/../b": ".." is not allowed as a segment.');
  });

  it.each([
    ['/model/cubes/orders.yml', 'model/cubes/orders.yml'],
    ['model/.gitignore', 'model/.gitignore'],
    ['model/.github/x.git', 'model/.github/x.git'],
    ['-rf', '-rf'],
    ['model/日本 語.yml', 'model/日本 語.yml'],
    ['model/e\u0301.yml', 'model/\u00e9.yml'],
    ['é'.repeat(127), 'é'.repeat(127)],
  ])('stores %s as %s', (path, stored) => {
    expect(normalisePath(path)).toBe(stored);
  });

  it('measures the length after normalisation', () => {
    expect(normalisePath('e\u0301'.repeat(100))).toBe('é'.repeat(100));
  });
});

describe('normaliseFolder', () => {
  it.each(['..', '../a', 'a/../b', 'a//b', '.git', 'a\\b'])('refuses %j', (path) => {
    expect(() => normaliseFolder(path)).toThrow(InvalidPathError);
  });

  it.each([
    ['', ''],
    ['/', ''],
    ['.', ''],
    ['./', ''],
    [' ', ''],
    ['.cube/model', '.cube/model'],
    ['/.cube/', '.cube'],
    ['cube/model', 'cube/model'],
    ['./shop/', 'shop'],
    ['//shop//', 'shop'],
    ['...', '...'],
    ['bi/e\u0301', 'bi/\u00e9'],
  ])('stores %j as %j', (path, stored) => {
    expect(normaliseFolder(path)).toBe(stored);
  });
});
