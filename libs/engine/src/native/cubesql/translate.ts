import { type Expr, parse, type SelectFromStatement, type Statement } from 'pgsql-ast-parser';
import { columnsOf, columnType } from './columns';
import { ConditionReader, type Conditions } from './conditions';
import { type Clock } from './constants';
import { type Filter } from './filters';
import { groupingOf } from './grouping';
import { type Cube, keyOf, type Selectable } from './model';
import { type Order, orderOf } from './order';
import { SqlRefusal, unsupported } from './refusal';
import { Scope } from './scope';

/** A query of the REST API, made of a statement. It names members of the model alone. */
export interface RestQuery {
  measures: string[];
  dimensions: string[];
  timeDimensions: { dimension: string; granularity: string }[];
  filters: Filter[];
  segments: string[];
  order: Order[];
  limit?: number;
  offset?: number;
  ungrouped?: true;
  timezone?: string;
}

/** What the SQL API tells of a column, and `member`: where its values stand in the result. */
export interface OutputColumn {
  name: string;
  column_type: string;
  format?: unknown;
  currency?: string;
}

export interface Translation {
  query: RestQuery;
  columns: readonly { output: OutputColumn; member: string }[];
}

/** Longer statements are not read: the parser's time grows faster than their length. */
const MAX_CHARACTERS = 16_384;

/**
 * Turns a statement of SQL into one query of the REST API.
 *
 * @throws SqlRefusal with what the statement asks for beyond that.
 */
export function translate(text: string, cubes: readonly Cube[], clock: Clock): Translation {
  const select = readStatement(text);
  const scope = Scope.of(select.from ?? unsupported('a query without FROM'), cubes);
  const columns = columnsOf(select.columns ?? unsupported('a SELECT without columns'), scope);
  const grouping = groupingOf(select.groupBy ?? undefined, isDistinct(select), columns, scope);
  const where = conditions(select.where, 'WHERE', scope, clock);
  const having = conditions(select.having, 'HAVING', scope, clock);
  const shown = unique([...columns.map(({ shows }) => shows), ...(grouping ?? [])]);
  return {
    query: {
      ...membersOf(shown),
      filters: [...where.filters, ...having.filters],
      segments: [...where.segments, ...having.segments],
      order: orderOf(select.orderBy ?? [], columns, shown, scope),
      ...rowsOf(select),
      ...(grouping === undefined ? { ungrouped: true } : {}),
      ...(clock.timezone === 'UTC' ? {} : { timezone: clock.timezone }),
    },
    columns: columns.map(({ name, shows }) => ({ output: outputOf(name, shows), member: keyOf(shows) })),
  };
}

function readStatement(text: string): SelectFromStatement {
  if (text.length > MAX_CHARACTERS) throw new SqlRefusal(`The statement is longer than ${MAX_CHARACTERS} characters`);
  const [statement, second] = parsed(text);
  if (statement === undefined || second !== undefined) unsupported('anything but one SELECT');
  if (statement.type === 'with' || statement.type === 'with recursive') unsupported('WITH');
  if (statement.type === 'union' || statement.type === 'union all') unsupported('UNION');
  if (statement.type !== 'select') unsupported('anything but one SELECT');
  if (statement.for) unsupported('FOR UPDATE and its like');
  return statement;
}

function parsed(text: string): Statement[] {
  try {
    return parse(text);
  } catch (error) {
    const [reason = 'it cannot be read'] = (error instanceof Error ? error.message : String(error)).split('\n');
    throw new SqlRefusal(`SQL syntax: ${reason}`);
  }
}

function isDistinct({ distinct }: SelectFromStatement): boolean {
  if (Array.isArray(distinct)) unsupported('DISTINCT ON');
  return distinct === 'distinct';
}

function conditions(
  expression: Expr | null | undefined,
  clause: 'WHERE' | 'HAVING',
  scope: Scope,
  clock: Clock,
): Conditions {
  return expression ? new ConditionReader(scope, clock, clause).read(expression) : { filters: [], segments: [] };
}

const unique = (members: readonly Selectable[]): Selectable[] => [
  ...new Map(members.map((member) => [keyOf(member), member])).values(),
];

function membersOf(shown: readonly Selectable[]): Pick<RestQuery, 'measures' | 'dimensions' | 'timeDimensions'> {
  const members = {
    measures: [] as string[],
    dimensions: [] as string[],
    timeDimensions: [] as RestQuery['timeDimensions'],
  };
  for (const one of shown) {
    if (one.kind === 'measure') members.measures.push(one.member.name);
    else if (one.granularity === undefined) members.dimensions.push(one.member.name);
    else members.timeDimensions.push({ dimension: one.member.name, granularity: one.granularity });
  }
  return members;
}

function rowsOf({ limit }: SelectFromStatement): { limit?: number; offset?: number } {
  const count = (expression: Expr | null | undefined, clause: string): number | undefined => {
    if (!expression) return undefined;
    return expression.type === 'integer' ? expression.value : unsupported(`${clause} of anything but a whole number`);
  };
  const [rows, skipped] = [count(limit?.limit, 'LIMIT'), count(limit?.offset, 'OFFSET')];
  return { ...(rows === undefined ? {} : { limit: rows }), ...(skipped === undefined ? {} : { offset: skipped }) };
}

function outputOf(name: string, shows: Selectable): OutputColumn {
  const { format, currency } = shows.member;
  return {
    name,
    column_type: columnType(shows),
    ...(format === undefined ? {} : { format }),
    ...(currency === undefined ? {} : { currency }),
  };
}
