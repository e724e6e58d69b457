import { columnsOf, type ResultColumn } from './columns';
import { type ResultRequest, type Row } from './result-request';
import { valueIn } from './values';

/** The `data` of a reply, in the format that its request names. */
export type ResultData =
  Record<string, unknown>[] | { members: string[]; dataset: unknown[][] } | { members: string[]; columns: unknown[][] };

/** @throws Error that names a member which the caller may not see. */
export function resultData(request: ResultRequest, rows: readonly Row[]): ResultData {
  const columns = columnsOf(request, rows);
  const members = columns.map(({ member }) => member);
  switch (request.resType) {
    case 'compact':
      return { members, dataset: rows.map((row) => columns.map((column) => valueIn(column, row))) };
    case 'columnar':
      return { members, columns: columns.map((column) => rows.map((row) => valueIn(column, row))) };
    default:
      return rows.map((row) => objectOf(columns, row));
  }
}

function objectOf(columns: readonly ResultColumn[], row: Row): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const column of columns) object[column.member] = valueIn(column, row);
  return object;
}
