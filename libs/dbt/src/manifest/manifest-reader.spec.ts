import { dbtProject } from '@plinth/testing';
import { smallManifest } from '../testing/small-manifest';
import { parseManifest } from './manifest';
import { ManifestError } from './manifest-error';
import { ManifestTooLarge, readManifest } from './manifest-reader';

const LIMIT = { limitBytes: 1 << 20 };

function inPieces(text: string, bytes: number): Buffer[] {
  const all = Buffer.from(text);
  return Array.from({ length: Math.ceil(all.length / bytes) }, (_, index) =>
    all.subarray(index * bytes, (index + 1) * bytes),
  );
}

const read = (text: string, bytes = 7) => readManifest(inPieces(text, bytes), LIMIT);
const small = smallManifest({ models: [{ name: 'orders', columns: ['id'] }] });
const valid = JSON.stringify(small);

describe('what is no manifest', () => {
  it.each([
    ['nothing', '', 'it ends too early'],
    ['a page of HTML', '<html></html>', 'no JSON object'],
    ['a number', '12', 'no JSON object'],
    ['a list', '[]', 'no JSON object'],
    ['half of one', valid.slice(0, -30), 'it ends too early'],
    ['one and something behind it', `${valid}{}`, 'no JSON object'],
    ['an entry that is no JSON', valid.replace('"columns":', '"columns"'), 'no JSON object'],
    ['keys without quotes', '{metadata: {}}', 'no JSON object'],
    ['brackets that do not match', '{"nodes": ]}', 'no JSON object'],
    ['an object without metadata', '{"nodes": {}}', 'metadata is missing'],
    ['a manifest without nodes', JSON.stringify({ ...small, nodes: undefined }), 'nodes are missing'],
    ['a node of another form', valid.replace('"name":"orders"', '"name":7'), 'nodes.model.shop.orders.name'],
    ['one that is nested without end', `{"nodes": {"a": ${'['.repeat(100_000)}`, 'nested deeper'],
  ])('is refused with what is wrong: %s', async (_what, text, message) => {
    const refusal = await read(text).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ManifestError);
    expect((refusal as Error).message).toContain(message);
  });

  it.each(['11', '20'])(
    'is one of version %s, and the message names the version that is supported',
    async (version) => {
      await expect(read(valid.replace('v12', `v${version}`))).rejects.toThrow(
        `version ${version}. Version 12 is supported`,
      );
    },
  );

  it('is refused at the byte that is too many, and no more is read', async () => {
    let pieces = 0;
    function* endless(): Generator<Buffer> {
      for (;;) {
        pieces += 1;
        yield Buffer.alloc(1 << 16, ' ');
      }
    }
    await expect(readManifest(endless(), LIMIT)).rejects.toBeInstanceOf(ManifestTooLarge);
    expect(pieces).toBe(17);
  });
});

describe('a manifest', () => {
  it.each([1, 2, 3, 64, 1 << 16])('is the same in pieces of %i bytes as in one', async (bytes) => {
    const text = dbtProject('bakery').manifest;
    expect(await readManifest(inPieces(text, bytes), LIMIT)).toEqual(parseManifest(JSON.parse(text)));
  });

  it('may have what is unusual in JSON', async () => {
    const description = 'brackets ]}{[ , : "quotes" \\ \u2028 and 😀';
    const nodes = { ...smallManifest({ models: [{ name: 'a', description }] }) } as Record<string, unknown>;
    const text = `\ufeff \n${JSON.stringify({ child_map: { 'a]"': [], b: [{ c: ['}'] }] }, disabled: {}, docs: null, ...nodes }, null, 1)} \n`;
    for (const bytes of [1, 5, 1000]) expect((await read(text, bytes)).models[0]?.description).toBe(description);
  });

  it('may have keys that mean something to objects, which do no harm', async () => {
    const text = valid.replace('"model.shop.orders":', '"__proto__":').replace('"id":{', '"__proto__":{');
    expect((await read(text)).models[0]).toMatchObject({ name: 'orders', columns: [] });
    expect(({} as Record<string, unknown>).name).toBeUndefined();
  });

  it('is in the order of its ids, whatever the order of its text', async () => {
    const names = ['c', 'a', 'b'];
    const orders = [names, [...names].reverse()].map((order) =>
      read(JSON.stringify(smallManifest({ models: order.map((name) => ({ name })) }))),
    );
    const [first, second] = await Promise.all(orders);
    expect(first?.models.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect(second).toEqual(first);
  });

  it('counts what is not read', async () => {
    const text = JSON.stringify({ ...small, macros: { a: { macro_sql: '{"' }, b: {} }, sources: { c: [] } });
    expect((await read(text)).stats).toMatchObject({ models: 1, macros: 2, sources: 1 });
  });
});
