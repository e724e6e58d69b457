import { type Expr } from 'pgsql-ast-parser';
import { columnAt, selectable, type SqlColumn } from './columns';
import { keyOf, type Selectable } from './model';
import { SqlRefusal, unsupported } from './refusal';
import { type Scope } from './scope';

/** What a query groups by; undefined when its rows are single ones. */
export type Grouping = readonly Selectable[] | undefined;

/**
 * What the rows of a statement are grouped by. DISTINCT groups by what is selected.
 *
 * @throws SqlRefusal when a column is neither grouped nor a measure.
 */
export function groupingOf(
  groupBy: readonly Expr[] | undefined,
  distinct: boolean,
  columns: readonly SqlColumn[],
  scope: Scope,
): Grouping {
  const dimensions = columns.map(({ shows }) => shows).filter(({ kind }) => kind === 'dimension');
  if (groupBy === undefined) {
    if (distinct && dimensions.length === columns.length) return dimensions;
    if (dimensions.length === columns.length) return undefined;
  }
  const grouped = (groupBy ?? []).map(
    (expression) => columnAt(expression, columns)?.shows ?? selectable(expression, scope),
  );
  for (const { kind, member } of grouped) if (kind === 'measure') unsupported(`GROUP BY the measure ${member.name}`);
  const keys = new Set(grouped.map(keyOf));
  const missing = dimensions.find((dimension) => !keys.has(keyOf(dimension)));
  if (missing === undefined) return grouped;
  throw new SqlRefusal(`Projection references non-aggregate values: ${keyOf(missing)} must be in GROUP BY`);
}
