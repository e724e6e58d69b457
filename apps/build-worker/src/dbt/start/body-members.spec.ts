import { bodyMembers } from './body-members';

async function* inPieces(text: string, size: number) {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

async function membersOf(text: string, size = 7): Promise<Record<string, unknown>> {
  const texts: Record<string, string> = {};
  for await (const { name, bytes } of bodyMembers(inPieces(text, size))) {
    texts[name] = (texts[name] ?? '') + bytes.toString('latin1');
  }
  return Object.fromEntries(
    Object.entries(texts).map(([name, value]) => [name, JSON.parse(Buffer.from(value, 'latin1').toString())]),
  );
}

describe(bodyMembers.name, () => {
  it.each([
    ['an array', '[1]'],
    ['a text', '"a"'],
    ['an end that is missing', '{"a":1'],
    ['a name that is missing', '{1:2}'],
    ['a value that is missing', '{"a":,"b":1}'],
    ['a comma too much', '{"a":1,}'],
    ['something after the end', '{"a":1} 2'],
    ['a list that ends the object', '{"a":1]'],
    ['a name that is no text', '{"a\\x":1}'],
    ['too many levels', `{"a":${'['.repeat(300)}${']'.repeat(300)}}`],
  ])('refuses %s', async (_case, text) => {
    await expect(membersOf(text)).rejects.toMatchObject({ code: 'request.malformed_body' });
  });

  it('finds nothing in an empty body, nor in an empty object', async () => {
    expect(await membersOf('')).toEqual({});
    expect(await membersOf(' \n')).toEqual({});
    expect(await membersOf(' { } ')).toEqual({});
  });

  it.each([1, 2, 3, 1_000])('gives every member as it is, in pieces of %d bytes', async (size) => {
    const body = {
      'a"\\é': 'x"}\\',
      manifest: { nodes: { 'a.b': [1, { c: '{[' }] }, empty: {} },
      none: null,
      number: -1.5e3,
      list: ['}', ']'],
    };
    expect(await membersOf(JSON.stringify(body), size)).toEqual(body);
    expect(await membersOf(JSON.stringify(body, null, 2), size)).toEqual(body);
  });
});
