/** A cell of a sheet; what is not known is null. */
export interface Cell {
  sheetName: string | null;
  anchorCell: string | null;
}

/** `Sheet!B3`, `'A sheet'!$B$3:D10`: the sheet, then the first cell. */
const LOCATION = /^(?:'((?:[^']|'')+)'|([^'!]+))!(\$?[A-Za-z]{1,3}\$?[1-9][0-9]{0,6})(?::[^!]*)?$/;

/** The place that a client means: what it names itself, or else what the location says. */
export function cellOf({
  sheetName,
  anchorCell,
  resultLocation,
}: {
  sheetName?: string | null | undefined;
  anchorCell?: string | null | undefined;
  resultLocation?: string | null | undefined;
}): Cell {
  const [, quoted, plain, cell] = LOCATION.exec(resultLocation ?? '') ?? [];
  const anchor = anchorCell ?? cell ?? null;
  return {
    sheetName: sheetName ?? quoted?.replaceAll("''", "'") ?? plain ?? null,
    anchorCell: anchor === null ? null : plainCell(anchor),
  };
}

/** One way of writing a cell: `$b$3` is `B3`. */
const plainCell = (cell: string): string => cell.replaceAll('$', '').toUpperCase();
