import { filesOf, sourceTree, type SourceFile } from './source-tree';
import { sourceTreeJson, type SourceTreePage } from './source-tree-json';

const file = (path: string): SourceFile => ({ path, oid: `oid of ${path}` });
const leaf = (path: string) => ({ path: `/${path}`, type: 'file', oid: `oid of ${path}` });

describe(sourceTree.name, () => {
  it('is empty for no files', () => {
    expect(sourceTree([])).toEqual([]);
  });

  it('sorts folders before files and both by name, whatever the order of the input', () => {
    const tree = sourceTree(['b.yml', 'a/z', 'B.yml', 'a/b/c', 'a.yml'].map(file));
    const inner = { path: '/a/b', type: 'directory', children: [leaf('a/b/c')] };
    expect(tree).toEqual([
      { path: '/a', type: 'directory', children: [inner, leaf('a/z')] },
      ...['B.yml', 'a.yml', 'b.yml'].map(leaf),
    ]);
    expect(filesOf(tree).map(({ path }) => path)).toEqual(['/a/b/c', '/a/z', '/B.yml', '/a.yml', '/b.yml']);
  });

  it('takes names of object members for names', () => {
    expect(sourceTree([file('__proto__/constructor')])).toEqual([
      { path: '/__proto__', type: 'directory', children: [leaf('__proto__/constructor')] },
    ]);
  });
});

describe(sourceTreeJson.name, () => {
  const pageInfo = { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null };
  const written = async (page: Omit<SourceTreePage, 'pageInfo'>): Promise<Record<string, unknown>> => {
    const chunks: Buffer[] = [];
    for await (const chunk of sourceTreeJson({ ...page, pageInfo })) chunks.push(chunk);
    return JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
  };

  it('holds the same nodes twice, without contents unless they are asked for', async () => {
    const nodes = sourceTree([file('a/"b"'), file('c')]);
    const items = [
      { path: '/a', type: 'directory', children: [{ path: '/a/"b"', type: 'file' }] },
      { path: '/c', type: 'file' },
    ];
    expect(await written({ nodes })).toEqual({ items, data: items, pageInfo });
    expect(await written({ nodes: [] })).toEqual({ items: [], data: [], pageInfo });
  });

  it('gives every file its own content, the empty one too, and none to what is not text', async () => {
    const contents: Record<string, Buffer> = {
      '/a/b': Buffer.from('"b"\n'),
      '/c': Buffer.from([0xff]),
      '/d': Buffer.alloc(0),
    };
    const { items } = await written({
      nodes: sourceTree(['c', 'd', 'a/b'].map(file)),
      async *contentsOf(files) {
        for (const { path } of files) yield contents[path] ?? Buffer.alloc(0);
      },
    });
    expect(items).toEqual([
      { path: '/a', type: 'directory', children: [{ path: '/a/b', type: 'file', content: '"b"\n' }] },
      { path: '/c', type: 'file' },
      { path: '/d', type: 'file', content: '' },
    ]);
  });

  it('reads no further ahead than what has been taken', async () => {
    let read = 0;
    const nodes = sourceTree(Array.from({ length: 100 }, (_, index) => file(`f${index}`)));
    const stream = sourceTreeJson({
      nodes,
      pageInfo,
      async *contentsOf(files) {
        while (read < files.length) {
          read += 1;
          yield Buffer.alloc(100_000, 'x');
        }
      },
    });
    await stream.next();
    expect(read).toBe(1);
    await stream.return(undefined);
  });
});
