import { once } from 'node:events';
import { type Writable } from 'node:stream';
import { columnsOf, type ResultRequest, type Row, valueIn } from '../results';
import { type Translation } from './translate';

const ROWS_A_LINE = 4096;

/** A result as the gateway loads it. */
export interface SqlResult {
  request: ResultRequest;
  rows: readonly Row[];
  head: { lastRefreshTime?: string; external?: boolean };
}

/**
 * Writes a result as lines of JSON: its columns, then its rows, as fast as the reader takes them. Returns when all is
 * written or the reader has gone.
 *
 * @throws Error that names a member which the caller may not see.
 */
export async function writeRows(
  stream: Writable,
  columns: Translation['columns'],
  { request, rows, head: { lastRefreshTime, external } }: SqlResult,
): Promise<void> {
  const readers = readersOf(columns, request, rows);
  const schema = columns.map(({ output }) => output);
  await write(stream, { schema, lastRefreshTime, ...(external === true ? { external } : {}) });
  for (let start = 0; start === 0 || (start < rows.length && !stream.destroyed); start += ROWS_A_LINE) {
    const part = rows.slice(start, start + ROWS_A_LINE);
    await write(stream, { data: part.map((row) => readers.map((read) => read(row))) });
  }
}

function readersOf(
  columns: Translation['columns'],
  request: ResultRequest,
  rows: readonly Row[],
): ((row: Row) => unknown)[] {
  const found = new Map(columnsOf(request, rows).map((column) => [column.member, column]));
  if (rows.length === 0) return [];
  return columns.map(({ member }) => {
    const column = found.get(member);
    if (column === undefined) throw new Error(`The result has no column for ${member}`);
    return (row) => lineValue(valueIn(column, row));
  });
}

/** Values leave as text; only nulls and booleans are what they are. */
function lineValue(value: unknown): unknown {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

async function write(stream: Writable, line: object): Promise<void> {
  if (stream.destroyed || stream.write(`${JSON.stringify(line)}\n`)) return;
  const over = new AbortController();
  const { signal } = over;
  try {
    await Promise.race([once(stream, 'drain', { signal }), once(stream, 'close', { signal })]);
  } finally {
    over.abort();
  }
}
