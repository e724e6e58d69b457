import { cellJson, textJson } from './cell-json';
import { columnsOf, type ResultColumn } from './columns';
import { type ResultRequest, type Row } from './result-request';

/**
 * The `data` of a reply as JSON, in the format that the request names. It is written straight from the rows: objects of
 * their own for 10,000 rows would cost more than the JSON.
 *
 * @throws Error that names a member which the caller may not see.
 */
export function dataJson(request: ResultRequest, rows: readonly Row[]): string {
  const columns = columnsOf(request, rows);
  if (request.resType === 'compact')
    return `{"members":${membersJson(columns)},"dataset":${tuplesJson(columns, rows)}}`;
  if (request.resType === 'columnar')
    return `{"members":${membersJson(columns)},"columns":${columnsJson(columns, rows)}}`;
  return objectsJson(columns, rows);
}

const membersJson = (columns: readonly ResultColumn[]): string => JSON.stringify(columns.map(({ member }) => member));

function objectsJson(columns: readonly ResultColumn[], rows: readonly Row[]): string {
  const keys = columns.map(({ member }, index) => `${index === 0 ? '' : ','}${textJson(member)}:`);
  const readers = columns.map(readerOf);
  let json = '[';
  for (const row of rows) {
    json += json.length === 1 ? '{' : ',{';
    for (let column = 0; column < readers.length; column += 1) json += `${keys[column]}${readers[column]?.(row)}`;
    json += '}';
  }
  return `${json}]`;
}

/** Rows as arrays, in the order of the columns. */
function tuplesJson(columns: readonly ResultColumn[], rows: readonly Row[]): string {
  const readers = columns.map(readerOf);
  let json = '[';
  for (const row of rows) {
    json += json.length === 1 ? '[' : ',[';
    for (let column = 0; column < readers.length; column += 1)
      json += `${column === 0 ? '' : ','}${readers[column]?.(row)}`;
    json += ']';
  }
  return `${json}]`;
}

const columnsJson = (columns: readonly ResultColumn[], rows: readonly Row[]): string =>
  `[${columns.map((column) => `[${rows.map(readerOf(column)).join(',')}]`).join(',')}]`;

function readerOf(column: ResultColumn): (row: Row) => string {
  if ('constant' in column) {
    const json = textJson(column.constant);
    return () => json;
  }
  const { alias, isTime } = column;
  return (row) => cellJson(row[alias], isTime);
}
