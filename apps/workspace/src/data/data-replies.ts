import type { StreamReply } from '@plinth/messaging';
import type { Data } from './data-results.service';
import { csvHeader, csvRow } from './csv';

/** Rows that are written at once. */
const ROWS = 1_000;

/** The rows as CSV, to be kept as a file. */
export const csvReply = (data: Data): StreamReply => ({
  headers: { 'content-type': 'text/csv; charset=utf-8', 'content-disposition': 'attachment; filename="data.csv"' },
  stream: (async function* () {
    yield Buffer.from(csvHeader(data.columns));
    for (let start = 0; start < data.rows.length; start += ROWS) {
      const part = data.rows.slice(start, start + ROWS);
      yield Buffer.from(part.map((row) => csvRow(data.columns, row)).join(''));
    }
  })(),
});

export const jsonReply = (stream: AsyncIterable<string>): StreamReply => ({
  headers: { 'content-type': 'application/json; charset=utf-8' },
  stream: (async function* () {
    for await (const part of stream) yield Buffer.from(part);
  })(),
});

/** `ReportData` of the contract, in parts. */
export async function* dataJson({ columns, rows }: Data): AsyncGenerator<string> {
  yield `{"columns":${JSON.stringify(columns)},"rowCount":${rows.length},"rows":[`;
  for (let start = 0; start < rows.length; start += ROWS) {
    const part = rows.slice(start, start + ROWS).map((row) => JSON.stringify(row));
    yield `${start === 0 ? '' : ','}${part.join(',')}`;
  }
  yield ']}';
}
