import { sourceTree } from './source-tree';

describe(sourceTree.name, () => {
  it('is empty for no files', () => {
    expect(sourceTree([])).toEqual([]);
  });

  it('sorts folders before files and both by name, whatever the order of the input', () => {
    const files = ['b.yml', 'a/z', 'B.yml', 'a/b/c', 'a.yml'].map((path) => ({ path }));
    expect(sourceTree(files)).toEqual([
      {
        path: '/a',
        type: 'directory',
        children: [
          { path: '/a/b', type: 'directory', children: [{ path: '/a/b/c', type: 'file' }] },
          { path: '/a/z', type: 'file' },
        ],
      },
      { path: '/B.yml', type: 'file' },
      { path: '/a.yml', type: 'file' },
      { path: '/b.yml', type: 'file' },
    ]);
  });

  it('keeps empty content and takes names of object members for names', () => {
    expect(sourceTree([{ path: '__proto__/constructor', content: '' }])).toEqual([
      {
        path: '/__proto__',
        type: 'directory',
        children: [{ path: '/__proto__/constructor', type: 'file', content: '' }],
      },
    ]);
  });
});
