import { getFinalQueryResult, getFinalQueryResultMulti } from './final-result';
import { type NormalizedQuery, type ResultRequest, type Row } from './result-request';

const request = (changes: Partial<ResultRequest> = {}): ResultRequest => ({
  aliasToMemberNameMap: {
    o__status: 'orders.status',
    o__made_month: 'orders.made.month',
    o__made_day: 'orders.made.day',
    o__made_fiscal: 'orders.made.fiscal',
    o__made: 'orders.made',
    o__count: 'orders.count',
    o__cost: 'orders.cost',
  },
  annotation: {
    'orders.status': { type: 'string' },
    'orders.made.month': { type: 'time' },
    'orders.made.day': { type: 'time' },
    'orders.made.fiscal': { type: 'time' },
    'orders.made': { type: 'time' },
    'orders.count': { type: 'number' },
  },
  query: {},
  queryType: 'regularQuery',
  ...changes,
});

interface Reply {
  data: unknown;
  [property: string]: unknown;
}

async function reply(rows: Row[], changes: Partial<ResultRequest> = {}, head: object = {}): Promise<Reply> {
  const bytes = await getFinalQueryResult(request(changes), rows, { query: {}, ...head });
  return JSON.parse(Buffer.from(bytes).toString()) as Reply;
}

const data = async (rows: Row[], changes?: Partial<ResultRequest>): Promise<unknown> =>
  (await reply(rows, changes)).data;

describe('a result', () => {
  it('refuses a column that stands for no member', async () => {
    await expect(data([{ other: 1 }])).rejects.toThrow("Member name not found for alias: 'other'");
  });

  it('refuses a member that the caller may not see', async () => {
    await expect(data([{ o__cost: 1 }])).rejects.toThrow("You requested hidden member: 'o__cost'");
  });

  it.each([
    { measures: ['orders.cost'] },
    { dimensions: ['orders.cost'] },
    { dimensions: [{ name: 'orders.cost' }] },
    { timeDimensions: [{ dimension: 'orders.cost' }] },
  ])('refuses it without rows, too: %j', async (query) => {
    await expect(data([], { query })).rejects.toThrow("You requested hidden member: 'orders.cost'");
  });

  it('without rows is empty in every format', async () => {
    expect(await data([])).toEqual([]);
    expect(await data([], { resType: 'compact' })).toEqual({ members: [], dataset: [] });
    expect(await data([], { resType: 'columnar' })).toEqual({ members: [], columns: [] });
  });

  it('has three formats', async () => {
    const rows = [
      { o__status: 'new', o__count: '2' },
      { o__status: null, o__count: '1' },
    ];
    const members = ['orders.status', 'orders.count'];
    expect(await data(rows)).toEqual([
      { 'orders.status': 'new', 'orders.count': '2' },
      { 'orders.status': null, 'orders.count': '1' },
    ]);
    expect(await data(rows, { resType: 'compact' })).toEqual({
      members,
      dataset: [
        ['new', '2'],
        [null, '1'],
      ],
    });
    expect(await data(rows, { resType: 'columnar' })).toEqual({
      members,
      columns: [
        ['new', null],
        ['2', '1'],
      ],
    });
  });

  it.each([
    ['2024-02-03T04:05:06.789', '2024-02-03T04:05:06.789'],
    ['2024-02-03 04:05:06', '2024-02-03T04:05:06.000'],
    ['2024-02-03 04:05:06.7', '2024-02-03T04:05:06.700'],
    ['2024-02-03T04:05:06.789123Z', '2024-02-03T04:05:06.789'],
    ['2024-02-03 04:05:06.789 UTC', '2024-02-03T04:05:06.789'],
    ['2024-02-03 04:05:06.789 +02:00', '2024-02-03T04:05:06.789'],
    ['2024-02-03', '2024-02-03'],
    [new Date('2024-02-03T04:05:06.789Z'), '2024-02-03T04:05:06.789'],
    [null, null],
    [undefined, null],
  ])('shows the time %j as %j', async (time, shown) => {
    expect(await data([{ o__made: time }])).toEqual([{ 'orders.made': shown }]);
  });

  it.each([
    ['a "quoted" \\ text\n', 'a "quoted" \\ text\n'],
    ['2024-02-03 04:05:06', '2024-02-03 04:05:06'],
    [9_007_199_254_740_993n, '9007199254740993'],
    [1.5, 1.5],
    [Number.NaN, null],
    [true, true],
    [{ a: [1] }, { a: [1] }],
  ])('leaves %p what it is', async (value, shown) => {
    expect(await data([{ o__status: value }])).toEqual([{ 'orders.status': shown }]);
  });

  it('repeats the finest granularity of a time under its bare name', async () => {
    const rows = [{ o__made_month: '2024-02-01T00:00:00.000', o__made_day: '2024-02-03T00:00:00.000' }];
    expect(await data(rows)).toEqual([
      {
        'orders.made.month': '2024-02-01T00:00:00.000',
        'orders.made.day': '2024-02-03T00:00:00.000',
        'orders.made': '2024-02-03T00:00:00.000',
      },
    ]);
  });

  it('takes a granularity of the model for the coarsest', async () => {
    const rows = [{ o__made_month: '2024-02-01T00:00:00.000', o__made_fiscal: '2023-02-01T00:00:00.000' }];
    expect(await data(rows)).toMatchObject([{ 'orders.made': '2024-02-01T00:00:00.000' }]);
  });

  it('leaves a time alone that is asked for as it is', async () => {
    const rows = [{ o__made_month: '2024-02-01T00:00:00.000', o__made: '2024-02-03T04:05:06.000' }];
    expect(await data(rows, { query: { dimensions: ['orders.made'] }, resType: 'compact' })).toEqual({
      members: ['orders.made.month', 'orders.made'],
      dataset: [['2024-02-01T00:00:00.000', '2024-02-03T04:05:06.000']],
    });
  });

  it('says what is known of it, and nothing of what is not', async () => {
    const head = { total: null, dbType: 'postgres', slowQuery: false, external: undefined };
    expect(await reply([], {}, head)).toEqual({ query: {}, dbType: 'postgres', slowQuery: false, data: [] });
  });
});

describe('results of several queries', () => {
  const time = { dimension: 'orders.made', granularity: 'month', dateRange: ['2024-01-01', '2024-01-31'] };
  const rows = [{ o__made_month: '2024-01-01T00:00:00.000', o__count: '3' }];

  async function multi(
    queryType: 'compareDateRangeQuery' | 'blendingQuery',
    query: NormalizedQuery,
    resType?: 'compact',
  ): Promise<unknown> {
    const one = request({ queryType, query, ...(resType === undefined ? {} : { resType }) });
    const bytes = await getFinalQueryResultMulti([one], [rows], { queryType, results: [{ query }], slowQuery: false });
    return JSON.parse(Buffer.from(bytes).toString());
  }

  it.each<NormalizedQuery>([
    {},
    { timeDimensions: [{ dimension: 'orders.made', granularity: 'month' }] },
    { timeDimensions: [{ ...time, dateRange: ['2024-01-01'] }] },
  ])('cannot be compared without a range: %j', async (query) => {
    await expect(multi('compareDateRangeQuery', query)).rejects.toThrow('Inconsistent dateRange');
  });

  it('fail when a part is missing', async () => {
    const head = { queryType: 'blendingQuery' as const, results: [{ query: {} }], slowQuery: false };
    await expect(getFinalQueryResultMulti([], [], head)).rejects.toThrow('Part 1 of the result is missing');
  });

  it.each([undefined, 'compact' as const])('say which period a row is of (%s)', async (resType) => {
    const { results, pivotQuery } = (await multi('compareDateRangeQuery', { timeDimensions: [time] }, resType)) as {
      results: object[];
      pivotQuery: object;
    };
    expect(JSON.stringify(results)).toContain('2024-01-01 - 2024-01-31');
    expect(pivotQuery).toMatchObject({ dimensions: ['compareDateRange'], queryType: 'compareDateRangeQuery' });
  });

  it('share a time when they are blended', async () => {
    const query = { measures: ['orders.count'], timeDimensions: [time] };
    expect(await multi('blendingQuery', query, 'compact')).toMatchObject({
      queryType: 'blendingQuery',
      results: [{ data: { members: ['orders.made.month', 'orders.count', 'orders.made', 'time.month'] } }],
      pivotQuery: {
        measures: ['orders.count'],
        dimensions: [],
        timeDimensions: [{ dimension: 'time', granularity: 'month' }],
        queryType: 'blendingQuery',
      },
    });
  });
});
