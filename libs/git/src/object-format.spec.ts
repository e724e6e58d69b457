import { decodeTree, encodeCommit, encodeTree, frameObject } from './object-format';

const oid = 'ce013625030ba8dba906f756967f9e9ca394464a';

describe('object format', () => {
  it('names an object as git does', () => {
    expect(frameObject('blob', Buffer.from('hello\n')).oid).toBe(oid);
    expect(frameObject('tree', encodeTree([])).oid).toBe('4b825dc642cb6eb9a060e54bf8d69288fbee4904');
  });

  it('sorts a directory as if its name ended in a slash', () => {
    const entries = [
      { mode: '100644', name: 'a.b', oid },
      { mode: '40000', name: 'a', oid },
      { mode: '100644', name: 'a0', oid },
    ];
    expect(decodeTree(encodeTree(entries)).map(({ name }) => name)).toEqual(['a.b', 'a', 'a0']);
  });

  it('sorts by bytes, not by UTF-16 units', () => {
    const entries = ['\u{1f600}', '\uffee', 'z'].map((name) => ({ mode: '100644', name, oid }));
    expect(decodeTree(encodeTree(entries)).map(({ name }) => name)).toEqual(['z', '\uffee', '\u{1f600}']);
  });

  it('lets no name or trailer break out of its line', () => {
    const at = new Date(1_700_000_000_000);
    const author = { name: 'Eve>\nparent 123', email: '<e@x>\n', at };
    const text = encodeCommit({ tree: oid, parents: [], author, message: 'm\0', trailers: { Key: 'a\nb' } }).toString();
    expect(text).toBe(
      `tree ${oid}\nauthor Eveparent 123 <e@x> 1700000000 +0000\ncommitter Eveparent 123 <e@x> 1700000000 +0000\n\nm\n\nKey: a b\n`,
    );
  });

  it('takes nothing but full object ids', () => {
    const author = { name: 'a', email: 'a@b', at: new Date(0) };
    expect(() => encodeCommit({ tree: 'HEAD', parents: [], author, message: 'm' })).toThrow(TypeError);
    expect(() => encodeTree([{ mode: '100644', name: 'a', oid: `${oid}\n` }])).toThrow(TypeError);
  });
});
