import { byId, inMemoryList, keysetList, type KeysetList } from './keyset-list';

type Row = { id: number };

const rows = [{ id: 1 }, { id: 2 }, { id: 3 }];
const keyset = { name: 'things', filters: { owner: 7 }, positionOf: byId };
const inMemory = inMemoryList(rows, keyset);

describe(keysetList.name, () => {
  it('refuses a page of nothing before it reads', async () => {
    const read = jest.fn<Promise<Row[]>, []>();
    await expect(keysetList({ first: 0 }, { ...keyset, read })).rejects.toMatchObject({ code: 'request.invalid' });
    expect(read).not.toHaveBeenCalled();
  });

  it.each([
    ['another list', { name: 'others' }],
    ['other filters', { filters: { owner: 8 } }],
  ])('refuses a cursor of %s before it reads', async (_case, change) => {
    const { pageInfo } = await keysetList({ first: 1 }, inMemory);
    const read = jest.fn<Promise<Row[]>, []>();
    const page = keysetList({ after: pageInfo.endCursor ?? '' }, { ...keyset, ...change, read });
    await expect(page).rejects.toMatchObject({ code: 'request.cursor_invalid' });
    expect(read).not.toHaveBeenCalled();
  });

  it('gives every row once, in order, page by page', async () => {
    const seen: Row[] = [];
    let page = await keysetList({ first: 2 }, inMemory);
    expect(page.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
    seen.push(...page.items);
    page = await keysetList({ first: 2, after: page.pageInfo.endCursor ?? '' }, inMemory);
    expect(page.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    expect([...seen, ...page.items]).toEqual(rows);
  });

  it('shows fewer rows where a page has no room for more, and goes on after them', async () => {
    const list = { ...inMemory, roomFor: () => 1 };
    const { items, pageInfo } = await keysetList({ first: 2 }, list);
    expect([items, pageInfo.hasNextPage]).toEqual([[{ id: 1 }], true]);
    expect(await keysetList({ after: pageInfo.endCursor ?? '' }, list)).toMatchObject({ items: [{ id: 2 }] });
  });

  it('reads one row more than it shows, from the position of the cursor on', async () => {
    const asked: unknown[] = [];
    const list: KeysetList<Row & { at: string }, [string, number]> = {
      name: 'things',
      filters: {},
      positionOf: ({ at, id }) => [at, id],
      read: async (limit, position) => {
        asked.push([limit, position]);
        return [{ id: 5, at: 'noon' }];
      },
    };
    const { pageInfo } = await keysetList({}, list);
    await keysetList({ first: 9_999, after: pageInfo.endCursor ?? '' }, list);
    expect(asked).toEqual([
      [101, []],
      [501, ['noon', 5]],
    ]);
  });

  it('shows as many rows as the list says when the client does not', async () => {
    const many = Array.from({ length: 600 }, (_none, id) => ({ id }));
    const page = await keysetList({}, inMemoryList(many, keyset), { defaultFirst: Infinity });
    expect(page.items).toHaveLength(600);
    expect(page.pageInfo.hasNextPage).toBe(false);
  });
});

describe(inMemoryList.name, () => {
  it('keeps the place of a row that has left the list', async () => {
    const { pageInfo } = await keysetList({ first: 2 }, inMemory);
    const left = inMemoryList([{ id: 1 }, { id: 3 }], keyset);
    expect((await keysetList({ after: pageInfo.endCursor ?? '' }, left)).items).toEqual([{ id: 3 }]);
  });

  it('orders by each part of a position in turn, and null before everything', async () => {
    const parted = [{ key: [1, null] }, { key: [1, 'a'] }, { key: [1, 'b'] }, { key: [2, 'a'] }];
    const list = inMemoryList(parted, { name: 'parted', filters: {}, positionOf: ({ key }) => key });
    for (const [index] of parted.entries()) {
      const { pageInfo } = await keysetList({ first: index + 1 }, list);
      expect((await keysetList({ after: pageInfo.endCursor ?? '' }, list)).items).toEqual(parted.slice(index + 1));
    }
  });
});
