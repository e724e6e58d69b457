import { jsonOf } from './engine-answer';

/** Rows that a result has at most, as the engine has it. */
export const MOST_ROWS = 50_000;

/** A column of a result. */
export interface Column {
  /** Member of the data model, or alias in SQL. */
  name: string;
  title: string;
  type: string;
  /** As the data model has it. */
  format: string | null;
}

/** A row of a result by the names of its columns. */
export type Row = Record<string, unknown>;

/** A result with the query as the engine understood it. */
export interface Result {
  columns: readonly Column[];
  rows: readonly Row[];
  /** Empty for SQL. */
  query: Record<string, unknown>;
}

interface Annotated {
  title?: string;
  type?: string;
  format?: unknown;
}

interface LoadResult {
  query: Record<string, unknown>;
  data: Row[];
  annotation: Record<'measures' | 'dimensions' | 'timeDimensions', Record<string, Annotated>>;
}

/** Results of `load`, which answers several for queries that compare date ranges; they become one. */
export function resultOfLoad(text: string): Result {
  const { results = [] } = jsonOf(text) as { results?: LoadResult[] };
  const columns = new Map<string, Column>();
  for (const { annotation } of results) for (const column of annotated(annotation)) columns.set(column.name, column);
  const rows = results.flatMap(({ data }) => data);
  const present = rows[0];
  // The engine describes a time with and without its granularity; rows have both, and so have the columns.
  const shown = [...columns.values()].filter(({ name }) => present === undefined || name in present);
  const extra = present && 'compareDateRange' in present ? [comparedRange] : [];
  return { columns: [...extra, ...shown], rows, query: results[0]?.query ?? {} };
}

const comparedRange: Column = { name: 'compareDateRange', title: 'Date range', type: 'string', format: null };

function annotated({ dimensions, timeDimensions, measures }: LoadResult['annotation']): Column[] {
  return [dimensions, timeDimensions, measures].flatMap((members) =>
    Object.entries(members ?? {}).map(([name, { title, type, format }]) => ({
      name,
      title: title ?? name,
      type: type ?? 'string',
      format: typeof format === 'string' ? format : null,
    })),
  );
}

/** A result of SQL as the engine gives it: columns, and rows as arrays of texts. */
export interface SqlTable {
  schema: { name: string; column_type?: string }[];
  rows: unknown[][];
}

/** Lines of `cubesql`: the columns first, then rows. */
export function tableOfSql(text: string): SqlTable {
  const lines = text.split('\n').filter((line) => line !== '');
  const read = lines.map((line) => jsonOf(line) as { schema?: SqlTable['schema']; data?: unknown[][] });
  return { schema: read.flatMap(({ schema = [] }) => schema), rows: read.flatMap(({ data = [] }) => data) };
}

/** A result of SQL in the form that all results have. */
export function resultOfTable({ schema, rows }: SqlTable): Result {
  const columns = schema.map(({ name, column_type: type }) => ({
    name,
    title: name,
    type: (type ?? 'string').toLowerCase(),
    format: null,
  }));
  const named = (values: readonly unknown[]): Row =>
    Object.fromEntries(schema.map(({ name }, index) => [name, values[index] ?? null]));
  return { columns, rows: rows.map(named), query: {} };
}
