import { type OrderByStatement } from 'pgsql-ast-parser';
import { columnAt, selectable, type SqlColumn } from './columns';
import { keyOf, type Selectable } from './model';
import { unsupported } from './refusal';
import { type Scope } from './scope';

/** Member and direction. */
export type Order = [member: string, direction: 'asc' | 'desc'];

/** @throws SqlRefusal for what is neither selected nor grouped, and for places of nulls. */
export function orderOf(
  orderBy: readonly OrderByStatement[],
  columns: readonly SqlColumn[],
  shown: readonly Selectable[],
  scope: Scope,
): Order[] {
  const keys = new Set(shown.map(keyOf));
  return orderBy.map(({ by, order, nulls }) => {
    if (nulls) unsupported(`NULLS ${nulls}`);
    const target = columnAt(by, columns)?.shows ?? selectable(by, scope);
    if (!keys.has(keyOf(target))) unsupported(`ORDER BY ${keyOf(target)}, which is not selected`);
    return [target.member.name, order === 'DESC' ? 'desc' : 'asc'];
  });
}
