import { decodeCursor, encodeCursor, resolvePaging, toPage } from './paging';

describe(decodeCursor.name, () => {
  const filters = { status: 'open', owner: undefined };
  const cursor = encodeCursor('deployments', filters, ['2026-01-01', 7, null]);
  const invalid = expect.objectContaining({ code: 'request.cursor_invalid' }) as Error;
  const thrownBy = (work: () => unknown): unknown => {
    try {
      return work();
    } catch (error) {
      return error;
    }
  };

  it.each([
    ['another list', 'users', filters, cursor],
    ['other filters', 'deployments', { status: 'closed' }, cursor],
    ['no filters', 'deployments', {}, cursor],
    ['a damaged cursor', 'deployments', filters, `${cursor.slice(0, -4)}AAAA`],
    ['a cut cursor', 'deployments', filters, cursor.slice(0, 8)],
    ['an empty cursor', 'deployments', filters, ''],
    ['a made-up cursor', 'deployments', filters, Buffer.from('[1]').toString('base64url')],
    ['characters outside the alphabet', 'deployments', filters, '%%%'],
  ])('refuses %s', (_case, list, used, text) => {
    expect(thrownBy(() => decodeCursor(list, used, text))).toEqual(invalid);
  });

  it('gives back the position for the same list and filters in any order', () => {
    expect(decodeCursor('deployments', { owner: undefined, status: 'open' }, cursor)).toEqual(['2026-01-01', 7, null]);
  });
});

describe(resolvePaging.name, () => {
  it.each([
    [{ first: 0 }],
    [{ first: -1 }],
    [{ first: 1.5 }],
    [{ limit: 0 }],
    [{ offset: -1 }],
    [{ first: 1, offset: 1 }],
    [{ after: 'x', limit: 1 }],
  ])('refuses %j', (parameters) => {
    expect(() => resolvePaging(parameters)).toThrow(expect.objectContaining({ code: 'request.invalid' }));
  });

  it.each([
    [{}, { mode: 'cursor', first: 100, after: undefined }],
    [{ first: 9_999 }, { mode: 'cursor', first: 500, after: undefined }],
    [{ after: 'x' }, { mode: 'cursor', first: 100, after: 'x' }],
    [{ offset: 5 }, { mode: 'offset', offset: 5, limit: 20 }],
    [{ limit: 9_999 }, { mode: 'offset', offset: 0, limit: 500 }],
  ])('reads %j', (parameters, paging) => {
    expect(resolvePaging(parameters)).toEqual(paging);
  });
});

describe(toPage.name, () => {
  const cursorOf = (row: number): string => `c${row}`;

  it('takes the surplus row for a sign of more, and does not show it', () => {
    expect(toPage([1, 2, 3], 2, { cursorOf, after: 'c0' })).toEqual({
      items: [1, 2],
      pageInfo: { startCursor: 'c1', endCursor: 'c2', hasNextPage: true, hasPreviousPage: true },
    });
  });

  it('has no cursors and no neighbours when empty', () => {
    expect(toPage([], 2, { cursorOf })).toEqual({
      items: [],
      pageInfo: { startCursor: null, endCursor: null, hasNextPage: false, hasPreviousPage: false },
    });
  });
});
