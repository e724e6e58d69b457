import { type Expr, type SelectedColumn } from 'pgsql-ast-parser';
import { type Selectable } from './model';
import { operandOf } from './operands';
import { unsupported } from './refusal';
import { type Scope } from './scope';

/** A column of the statement: what it is called, and the member that it shows. */
export interface SqlColumn {
  name: string;
  shows: Selectable;
}

/** @throws SqlRefusal for a column that is more than a member. */
export function columnsOf(selected: readonly SelectedColumn[], scope: Scope): SqlColumn[] {
  return selected.map(({ expr, alias }) => {
    const shows = selectable(expr, scope);
    return { name: alias?.name ?? nameOf(expr, shows), shows };
  });
}

/** @throws SqlRefusal for a segment, and for what is no member. */
export function selectable(expression: Expr, scope: Scope): Selectable {
  const found = operandOf(expression, scope);
  return found.kind === 'segment' ? unsupported(`the segment ${found.member.name} in place of a column`) : found;
}

/** The column that a number or an alias stands for, as in GROUP BY 1. */
export function columnAt(expression: Expr, columns: readonly SqlColumn[]): SqlColumn | undefined {
  if (expression.type === 'integer')
    return columns[expression.value - 1] ?? unsupported(`column ${expression.value}: there is none`);
  if (expression.type !== 'ref' || expression.table !== undefined) return undefined;
  return columns.find(({ name }) => name.toLowerCase() === expression.name.toLowerCase());
}

function nameOf(expression: Expr, shows: Selectable): string {
  switch (expression.type) {
    case 'ref':
      return expression.name;
    case 'cast':
      return nameOf(expression.operand, shows);
    case 'call': {
      const granularity = shows.kind === 'dimension' && shows.granularity !== undefined ? `${shows.granularity},` : '';
      return `${expression.function.name}(${granularity}${shows.member.name})`;
    }
    default:
      return shows.member.name;
  }
}

/** The type of a column in the words of the SQL API. */
export function columnType({ kind, member: { type, aggType = '' } }: Selectable): string {
  if (type === 'time') return 'Timestamp';
  if (type === 'boolean') return 'Boolean';
  if (kind === 'measure' && /^count/.test(aggType)) return 'Int64';
  return type === 'number' || (kind === 'measure' && type !== 'string') ? 'Double' : 'String';
}
