import { cutRows } from './cut-rows';

describe('rows of an answer', () => {
  const rows = Array.from({ length: 300 }, (_, n) => ({ n }));

  it('are the first hundred unless it says how many, and it says how many there are', () => {
    expect(cutRows(rows)).toEqual({ rows: rows.slice(0, 100), totalRows: 300, isCut: true });
    expect(cutRows(rows, 3).rows).toEqual(rows.slice(0, 3));
    expect(cutRows(rows, 1_000)).toEqual({ rows, totalRows: 300, isCut: false });
  });

  it('end where they become too long, and so do their texts', () => {
    const wide = rows.map(() => ({ text: 'x'.repeat(5_000) }));
    const { rows: kept, totalRows } = cutRows(wide, 300, 10_000);
    expect([kept.length, totalRows]).toEqual([9, 300]);
    expect(kept[0]?.text).toHaveLength(1_001);
  });

  it('are lists of values as well', () => {
    const lists = [[1, 'x'.repeat(5_000), null]];
    expect(cutRows(lists).rows).toEqual([[1, `${'x'.repeat(1_000)}…`, null]]);
  });
});
