import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type GatewayFunctions } from './gateway-functions';
import { SqlInterface } from './sql-interface';

const cubes = [
  {
    name: 'orders',
    measures: [{ name: 'orders.count', type: 'number', aggType: 'count' }],
    dimensions: [
      { name: 'orders.id', type: 'number' },
      { name: 'orders.gift', type: 'boolean' },
    ],
    segments: [],
  },
];
const STATEMENT = 'SELECT gift, id FROM orders';
const request = {
  aliasToMemberNameMap: { gift: 'orders.gift', id: 'orders.id' },
  annotation: { 'orders.gift': { type: 'boolean' }, 'orders.id': { type: 'number' } },
  query: {},
};
type Rows = { gift: boolean | null; id: number }[];
const result = (rows: Rows): Awaited<ReturnType<GatewayFunctions['sqlApiLoad']>> => ({
  getFinalResult: async () => [[request], [rows], [{ lastRefreshTime: '2024-01-01T00:00:00.000Z' }]],
});

function gateway(load: GatewayFunctions['sqlApiLoad'], events: string[] = []): SqlInterface {
  return new SqlInterface({
    meta: async () => ({ cubes }),
    sqlApiLoad: load,
    sql: async () => ({ sql: { sql: ['select 1 where a = $0$ and b = $1$', ['x', null]] } }),
    logLoadEvent: async ({ event }) => void events.push(event),
  });
}

const lines = async (stream: PassThrough): Promise<unknown[]> =>
  (await text(stream))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);

async function run(sql: SqlInterface, statement = STATEMENT, options: object = {}): Promise<unknown[]> {
  const stream = new PassThrough();
  const [written] = await Promise.all([lines(stream), sql.run(statement, stream, options)]);
  return written;
}

describe('the SQL interface', () => {
  it('speaks no PostgreSQL protocol', () => {
    expect(() => new SqlInterface({ pgPort: 5432 } as GatewayFunctions)).toThrow(
      'The PostgreSQL protocol needs the native module',
    );
  });

  it('answers a statement that it refuses with a line that says why, and the request', async () => {
    const events: string[] = [];
    const sql = gateway(async () => result([]), events);
    expect(await run(sql, 'SELECT lost FROM orders', { requestId: 'r1' })).toEqual([
      { error: "No field named 'lost'", requestId: 'r1' },
    ]);
    expect(events).toEqual(['Load Request', 'Cube SQL Error']);
  });

  it('tells what the gateway refuses', async () => {
    const sql = gateway(() => Promise.reject({ message: 'API scope is missing: data' }));
    expect(await run(sql)).toEqual([{ error: 'API scope is missing: data' }]);
  });

  it('tells whoever asks again itself to wait, and logs no error', async () => {
    const events: string[] = [];
    const sql = gateway(() => Promise.reject({ message: 'Continue wait' }), events);
    expect(await run(sql, STATEMENT, { throwContinueWait: true })).toEqual([{ error: 'Continue wait' }]);
    expect(events).toEqual(['Load Request']);
  });

  it('asks again for whoever does not', async () => {
    let asked = 0;
    const sql = gateway(async () => {
      asked += 1;
      if (asked < 3) throw new Error('Continue wait');
      return result([]);
    });
    expect(await run(sql)).toMatchObject([{ schema: [{ name: 'gift' }, { name: 'id' }] }, { data: [] }]);
    expect(asked).toBe(3);
  });

  it('asks no longer when the reader has gone', async () => {
    const stream = new PassThrough();
    let asked = 0;
    const sql = gateway(async () => {
      asked += 1;
      stream.destroy();
      throw new Error('Continue wait');
    });
    await sql.run(STATEMENT, stream, {});
    expect(asked).toBe(1);
  });

  it('writes the columns, then rows as text but for booleans and nulls', async () => {
    const sql = gateway(async () =>
      result([
        { gift: true, id: 1 },
        { gift: null, id: 2 },
      ]),
    );
    expect(await run(sql)).toEqual([
      {
        schema: [
          { name: 'gift', column_type: 'Boolean' },
          { name: 'id', column_type: 'Double' },
        ],
        lastRefreshTime: '2024-01-01T00:00:00.000Z',
      },
      {
        data: [
          [true, '1'],
          [null, '2'],
        ],
      },
    ]);
  });

  const many = Array.from({ length: 40_000 }, (_, id) => ({ gift: null, id }));

  it('waits for a reader that is slow', async () => {
    const stream = new PassThrough({ highWaterMark: 1024 });
    const sql = gateway(async () => result(many));
    const ended = sql.run(STATEMENT, stream, {});
    await once(stream, 'readable');
    const buffered = stream.readableLength + stream.writableLength;
    expect(buffered).toBeLessThan(200_000);
    const rows = (await lines(stream)).flatMap((line) => (line as { data?: unknown[] }).data ?? []);
    await ended;
    expect(rows).toHaveLength(40_000);
  });

  it('ends when the reader goes while it waits', async () => {
    const stream = new PassThrough({ highWaterMark: 1024 });
    const ended = gateway(async () => result(many)).run(STATEMENT, stream, {});
    await once(stream, 'readable');
    stream.destroy();
    await expect(ended).resolves.toBeUndefined();
  });

  it('numbers the parameters of SQL for the source', async () => {
    expect(await gateway(async () => result([])).sourceSql(STATEMENT, {})).toEqual({
      status: 'ok',
      sql: ['select 1 where a = $1 and b = $2', ['x', null]],
      query_type: 'regular',
    });
  });

  it('says of a statement without SQL or query what is wrong with it', async () => {
    const sql = gateway(async () => result([]));
    const error = 'Not supported without the native module: UNION';
    const union = `${STATEMENT} UNION ${STATEMENT}`;
    expect(await sql.sourceSql(union, {})).toEqual({ status: 'error', error, query_type: 'post_processing' });
    expect(await sql.restQuery(union, {})).toEqual({ status: 'error', error });
  });

  it('fails when it is not the statement that is wrong', async () => {
    const broken = new SqlInterface({
      meta: () => Promise.reject(new Error('the model does not compile')),
    } as unknown as GatewayFunctions);
    await expect(broken.restQuery(STATEMENT, {})).rejects.toThrow('the model does not compile');
  });
});
