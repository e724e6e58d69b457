import { groupsJson } from './groups-json';

async function* pagesOf(...pages: [groupId: number, id: number][][]) {
  for (const page of pages) yield page.map(([groupId, id]) => ({ groupId, id }));
}

const written = async (ids: number[], ...pages: [number, number][][]): Promise<unknown> => {
  const groups = ids.map((id) => ({ id }));
  let text = '';
  for await (const part of groupsJson(
    groups,
    pagesOf(...pages),
    ({ id }) => ({ id }),
    ({ id }) => id,
  ))
    text += part;
  return JSON.parse(`[${text}]`) as unknown;
};

describe('groups as they are written', () => {
  it('writes each group once when its members come in several pages', async () => {
    const pages: [number, number][][] = [
      [
        [4, 1],
        [4, 2],
      ],
      [[4, 3]],
      [
        [4, 4],
        [2, 5],
      ],
      [[2, 6]],
    ];
    expect(await written([4, 2], ...pages)).toEqual([
      { id: 4, members: [1, 2, 3, 4] },
      { id: 2, members: [5, 6] },
    ]);
  });

  it('writes groups without members wherever they are', async () => {
    expect(await written([1, 2, 3, 4, 5], [[2, 1]], [[4, 2]])).toEqual([
      { id: 1, members: [] },
      { id: 2, members: [1] },
      { id: 3, members: [] },
      { id: 4, members: [2] },
      { id: 5, members: [] },
    ]);
    expect(await written([1, 2])).toEqual([
      { id: 1, members: [] },
      { id: 2, members: [] },
    ]);
  });

  it('writes nothing for no groups', async () => {
    expect(await written([])).toEqual([]);
  });
});
