import { freeze } from './frozen-report';

const report = {
  id: 7,
  name: 'Sales',
  version: 3,
  title: 'T',
  description: null,
  jsonQuery: '{}',
  sqlQuery: null,
  meta: null as Record<string, unknown> | null,
};

describe('a frozen report', () => {
  it('leaves out of its metadata what has another form than readers expect', () => {
    const broken = { measure: 1, timeDimension: 'a', offset: { amount: 1, unit: 'year' } };
    const meta = {
      kind: 'pie',
      spec: 7,
      pythonCode: {},
      preferences: [],
      periodComparisons: [broken, 'x'],
      fillMissingRows: { member: 1 },
    };
    expect(freeze({ ...report, meta })).toMatchObject({
      kind: 'table',
      spec: null,
      pythonCode: null,
      preferences: null,
      periodComparisons: [],
      fillMissingRows: null,
      meta,
    });
    const formats = { a: { type: 'number', decimalPlaces: 'x' }, b: { type: 'percent' }, c: 1 };
    expect(freeze({ ...report, meta: { preferences: { columnFormats: formats } } }).preferences).toEqual({
      columnFormats: { b: { type: 'percent' } },
    });
  });

  it('is a table unless its metadata says otherwise, and has the query and the version of the report', () => {
    expect(freeze(report)).toEqual({
      ...{ reportId: 7, versionNumber: 3, name: 'Sales', title: 'T', description: null, kind: 'table', spec: null },
      ...{ pythonCode: null, jsonQuery: '{}', sqlQuery: null, preferences: null, periodComparisons: null },
      ...{ fillMissingRows: null, meta: null },
    });
  });

  it('takes from its metadata how it is shown', () => {
    const comparison = { measure: 'a', timeDimension: 'b', offset: { amount: 1, unit: 'month' }, outputs: ['delta'] };
    const meta = {
      kind: 'vega',
      spec: { mark: 'bar' },
      pythonCode: 'df',
      preferences: { columnFormats: { a: { type: 'currency', decimalPlaces: 2 } } },
      periodComparisons: [comparison],
      fillMissingRows: { member: 'b', excludedDimensions: null },
    };
    expect(freeze({ ...report, meta })).toMatchObject(meta);
  });
});
