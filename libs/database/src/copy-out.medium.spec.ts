import { createTestDatabase, type ServiceDatabase } from '@plinth/testing';
import { copyCsv, managerFor, type CsvRows, type Literal } from '.';

const CHUNK_BYTES = 64 * 1024;

describe(copyCsv.name, () => {
  let server: ServiceDatabase;

  beforeAll(async () => {
    server = await createTestDatabase({
      service: 'control-plane',
      entities: [],
      migrations: { preDeploy: [], postDeploy: [] },
    });
  });
  afterAll(() => server.drop());

  const copy = (query: string, ...values: Literal[]): Promise<CsvRows> =>
    server.database.asSystem((tx) => copyCsv(tx, query, values, ['text']));

  it('has no chunk without rows', async () => {
    const { chunks, rows, last } = await copy(`select 'x' as text where false`);
    expect([chunks, rows, last.length]).toEqual([[], 0, 0]);
  });

  // A line is its text with two quotes and CRLF.
  it.each([1, CHUNK_BYTES / 4 - 4, CHUNK_BYTES - 5, CHUNK_BYTES - 4, CHUNK_BYTES - 3, 3 * CHUNK_BYTES])(
    'keeps rows of %s characters whole, however they fill the chunks',
    async (length) => {
      const { chunks, rows, last } = await copy(`select repeat('x', $1) as text from generate_series(1, 9)`, length);
      const line = `"${'x'.repeat(length)}"\r\n`;
      expect(rows).toBe(9);
      expect(last.toString()).toBe(line);
      expect(Buffer.concat(chunks).toString() === line.repeat(9)).toBe(true);
      for (const chunk of chunks) {
        expect(chunk.length % line.length).toBe(0);
        expect(chunk.length).toBeLessThanOrEqual(Math.max(CHUNK_BYTES, line.length));
      }
    },
  );

  it('keeps long rows between short ones in order', async () => {
    const { chunks, last } = await copy(
      `select repeat(n::text, case when n % 3 = 0 then 100000 else 1 end) as text from generate_series(1, 7) n`,
    );
    const lines = [1, 2, 3, 4, 5, 6, 7].map((n) => `"${String(n).repeat(n % 3 === 0 ? 100_000 : 1)}"\r\n`);
    expect(Buffer.concat(chunks).toString() === lines.join('')).toBe(true);
    expect(last.toString()).toBe('"7"\r\n');
  });

  it('writes values so that they cannot end the literal they stand in', async () => {
    const text = `'); drop table x; -- \\' $1 "`;
    const { chunks } = await copy('select $1 as text', text);
    expect(Buffer.concat(chunks).toString()).toBe(`"${text.replaceAll('"', '""')}"\r\n`);
  });

  it('fails with the reason of a statement that fails after some rows, and leaves the connection usable', async () => {
    await server.database.asSystem(async (tx) => {
      const manager = managerFor(tx);
      await manager.query('savepoint before');
      const failing = copyCsv(tx, 'select 1 / (5000 - n) as text from generate_series(1, 9000) n', [], ['text']);
      await expect(failing).rejects.toThrow('division by zero');
      await manager.query('rollback to before');
      expect(await manager.query('select 1 as one')).toEqual([{ one: 1 }]);
    });
  });
});
