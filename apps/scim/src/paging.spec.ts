import { MAX_RESULTS, windowOf } from './paging';

describe('the part of a list that is asked for', () => {
  it.each([
    [undefined, undefined, { startIndex: 1, limit: 100 }],
    [null, null, { startIndex: 1, limit: 100 }],
    [0, 0, { startIndex: 1, limit: 0 }],
    [-5, -1, { startIndex: 1, limit: 0 }],
    [6, 5, { startIndex: 6, limit: 5 }],
    [1, MAX_RESULTS + 1, { startIndex: 1, limit: MAX_RESULTS }],
  ])('from %p, %p of them: %j', (startIndex, count, expected) => {
    expect(windowOf(startIndex, count)).toEqual(expected);
  });
});
