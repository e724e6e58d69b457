import { Query, type PoolClient } from 'pg';
import { literal, type Literal } from './literal';
import { queryRunnerOf, type Transaction } from './transaction';

/** Rows as PostgreSQL writes them to CSV, each ended by CRLF (RFC 4180). */
export interface CsvRows {
  /** At most 64 KiB and whole rows each; a row that is longer has a chunk of its own. */
  chunks: Buffer[];
  rows: number;
  /** The last row; empty when there is none. */
  last: Buffer;
}

const CHUNK_BYTES = 64 * 1024;
const CRLF = Buffer.from('\r\n');

/**
 * Lets PostgreSQL write the rows of a query as CSV, which costs it and us a fraction of fetching them. All of them are
 * held in memory: limit the query.
 *
 * @param query with `$1`, `$2`, ...; the statement takes no parameters, so they are written as literals.
 * @param quoted columns that are quoted whether they need it or not; null stays empty.
 */
export async function copyCsv(
  tx: Transaction,
  query: string,
  values: readonly Literal[],
  quoted: readonly string[],
): Promise<CsvRows> {
  const text = query.replace(/\$(\d+)/g, (_match, number: string) => literal(values[Number(number) - 1] ?? ''));
  const client = (await queryRunnerOf(tx).connect()) as PoolClient;
  return new Promise((resolve, reject) => {
    const copy = new CopyQuery(`copy (${text}) to stdout (format csv, force_quote (${quoted.join(', ')}))`, (error) =>
      error ? reject(error) : resolve(copy.collected),
    );
    client.query(copy);
  });
}

/** A statement whose answer is COPY data; pg's own class takes no notice of them. */
class CopyQuery extends Query {
  readonly collected = new CollectedRows();

  /** Called by pg with a row each. */
  handleCopyData({ chunk }: { chunk: Buffer }): void {
    this.collected.add(chunk);
  }
}

/** Small chunks become garbage young, which costs node far less to clear away than one large buffer does. */
class CollectedRows implements CsvRows {
  rows = 0;
  private readonly full: Buffer[] = [];
  private open = Buffer.alloc(0);
  private length = 0;
  private lastStart = 0;

  get chunks(): Buffer[] {
    return this.length > 0 ? [...this.full, this.open.subarray(0, this.length)] : [];
  }

  get last(): Buffer {
    return this.open.subarray(this.lastStart, this.length);
  }

  /** Copies the row, because pg uses its memory again, with CRLF for its line feed. */
  add(row: Buffer): void {
    this.reserve(row.length - 1 + CRLF.length);
    this.lastStart = this.length;
    this.length += row.copy(this.open, this.length, 0, row.length - 1);
    this.length += CRLF.copy(this.open, this.length);
    this.rows += 1;
  }

  private reserve(bytes: number): void {
    if (this.length + bytes <= this.open.length) return;
    if (this.length > 0) this.full.push(this.open.subarray(0, this.length));
    this.open = Buffer.allocUnsafeSlow(Math.max(CHUNK_BYTES, bytes));
    this.length = 0;
  }
}
