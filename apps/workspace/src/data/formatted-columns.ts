import type { Schemas } from '@plinth/contract';
import type { Column } from '@plinth/queries';

export type DataColumn = Schemas['DataColumn'];
/** Formats by the names of columns. */
export type ColumnFormats = Readonly<Record<string, { type: string; decimalPlaces?: number | null }>>;

/** Columns with the formats that the report has for them. */
export const formatted = (columns: readonly Column[], formats: ColumnFormats): DataColumn[] =>
  columns.map(({ name, title, type, format }) => {
    const own = formats[name];
    return { name, title, type, format: own?.type ?? format, decimalPlaces: own?.decimalPlaces ?? null };
  });
