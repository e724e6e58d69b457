import { literally } from '@plinth/database';
import { AppError } from '@plinth/errors';
import type { AttributePath, Comparison, Filter, Literal } from '@plinth/scim-protocol';

/** How an attribute is found in the database. `folded` texts are compared in lower case, `exact` ones as they are. */
export type Column =
  | { type: 'exact' | 'time' | 'boolean' | 'id'; sql: string }
  /** `within` is a text that holds the value in lower case and is indexed for parts of it. */
  | { type: 'folded'; sql: string; within?: string }
  /** The other end of a membership: `sql` is a query with one placeholder `?` for the condition on its id. */
  | { type: 'membership'; sql: string }
  /** Texts that are the same for all, each of which a resource has where its condition is true. */
  | { type: 'constants'; texts: readonly { text: string; where: string }[] }
  /** A fact that the tenant keeps about its users; `u` is the account. */
  | { type: 'fact'; name: string }
  /** Inside the folded document of the row. */
  | { type: 'document'; sql: string; keys: readonly string[]; isList: boolean };

export type ColumnOf = (path: AttributePath) => Column | undefined;

const symbols: Partial<Record<Comparison, string>> = { eq: '=', ne: '<>', gt: '>', ge: '>=', lt: '<', le: '<=' };

/** Values of a statement; every text of a client goes in here. */
export class Values {
  readonly list: unknown[] = [];

  add(value: unknown): string {
    this.list.push(value);
    return `$${this.list.length}`;
  }
}

/**
 * The condition that a filter stands for.
 *
 * @throws AppError `scim.invalid_filter` (400) for an attribute that cannot be filtered by.
 */
export function conditionOf(filter: Filter, columnOf: ColumnOf, values: Values): string {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return `(${filter.operands.map((each) => conditionOf(each, columnOf, values)).join(` ${filter.kind} `)})`;
    case 'not':
      return `(${conditionOf(filter.operand, columnOf, values)}) is not true`;
    case 'present':
      return present(required(columnOf, filter.path), values);
    case 'compare':
      return compared(required(columnOf, filter.path), filter.operator, filter.value, values);
    case 'element':
      return element(required(columnOf, filter.path), filter.filter, values);
  }
}

function required(columnOf: ColumnOf, path: AttributePath): Column {
  const column = columnOf(path);
  if (!column) throw new AppError('scim.invalid_filter', `${path.name} cannot be filtered by`);
  return column;
}

function present(column: Column, values: Values): string {
  if (column.type === 'membership') return column.sql.replace('?', 'true');
  if (column.type === 'fact') return factWhere(column, 'true', values);
  if (column.type === 'constants') return `(${column.texts.map(({ where }) => where).join(' or ')})`;
  if (column.type !== 'document') return `${column.sql} is not null`;
  return column.isList && column.keys.length > 1
    ? `exists (select from ${items(column)} item where item ? ${literal(column.keys.at(-1) ?? '')})`
    : `${column.sql} #> ${path(column.keys)} is not null`;
}

function compared(column: Column, operator: Comparison, value: Literal, values: Values): string {
  switch (column.type) {
    case 'boolean':
      return `${column.sql} ${symbols[operator]} ${values.add(value)}::boolean`;
    case 'time':
      return timeCompared(column.sql, operator, String(value), values);
    case 'id':
      return idCompared(column.sql, operator, String(value), values);
    case 'membership':
      return column.sql.replace('?', () => idCompared('id', operator, String(value), values));
    case 'exact':
      return textCompared(column.sql, operator, String(value), values);
    case 'folded':
      return foldedCompared(column, operator, String(value), values);
    case 'constants':
      return constantsCompared(column, operator, String(value), values);
    case 'fact':
      return factCompared(column, operator, String(value), values);
    case 'document':
      return documentCompared(column, operator, value, values);
  }
}

/** Times are kept more exactly than they are shown: one that is shown equals all within its millisecond. */
function timeCompared(sql: string, operator: Comparison, value: string, values: Values): string {
  const [at, next] = [Date.parse(value), Date.parse(value) + 1];
  const from = (): string => `${sql} >= ${values.add(moment(at))}::timestamptz`;
  switch (operator) {
    case 'ge':
      return from();
    case 'lt':
      return `${sql} < ${values.add(moment(at))}::timestamptz`;
    case 'gt':
      return `${sql} >= ${values.add(moment(next))}::timestamptz`;
    case 'le':
      return `${sql} < ${values.add(moment(next))}::timestamptz`;
    case 'eq':
      return `(${from()} and ${timeCompared(sql, 'le', value, values)})`;
    case 'ne':
      return `not ${timeCompared(sql, 'eq', value, values)}`;
    default:
      throw new AppError('scim.invalid_filter', `Times cannot be compared with ${operator}`);
  }
}

const [EARLIEST, LATEST] = [Date.parse('0001-01-01T00:00:00Z'), Date.parse('9999-12-31T00:00:00Z')];

/** Years that both sides can write. */
const moment = (time: number): string => new Date(Math.min(Math.max(time, EARLIEST), LATEST)).toISOString();

/** An id that nobody has given out equals none. */
function idCompared(sql: string, operator: Comparison, value: string, values: Values): string {
  if (operator !== 'eq' && operator !== 'ne') return textCompared(`${sql}::text`, operator, value, values);
  const id = /^[1-9]\d{0,14}$/.test(value) ? Number(value) : 0;
  return `${sql} ${symbols[operator]} ${values.add(id)}::bigint`;
}

const patterns: Partial<Record<Comparison, (escaped: string) => string>> = {
  co: (escaped) => `%${escaped}%`,
  sw: (escaped) => `${escaped}%`,
  ew: (escaped) => `%${escaped}`,
};

const asItIs = (sql: string): string => sql;
const folded = (sql: string): string => `lower(${sql})`;

function textCompared(sql: string, operator: Comparison, value: string, values: Values, fold = asItIs): string {
  const parameter = (text: string): string => fold(`${values.add(text)}::text`);
  const pattern = patterns[operator];
  if (pattern) return `${fold(sql)} like ${parameter(pattern(literally(value)))}`;
  if (operator === 'ne') return `${fold(sql)} is distinct from ${parameter(value)}`;
  return `${fold(sql)} ${symbols[operator]} ${parameter(value)}`;
}

/** A part is looked for in the indexed text first, which finds too much but never too little. */
function foldedCompared({ sql, within }: FoldedColumn, operator: Comparison, value: string, values: Values): string {
  const condition = textCompared(sql, operator, value, values, folded);
  if (within === undefined || !(operator in patterns)) return condition;
  return `(${within} like ${folded(`${values.add(`%${literally(value)}%`)}::text`)} and ${condition})`;
}

type FoldedColumn = Extract<Column, { type: 'folded' }>;

type ConstantsColumn = Extract<Column, { type: 'constants' }>;

/** One of the texts is enough, whatever its case. */
function constantsCompared(column: ConstantsColumn, operator: Comparison, value: string, values: Values): string {
  if (operator === 'ne') return `not ${constantsCompared(column, 'eq', value, values)}`;
  const conditions = column.texts.map(
    ({ text, where }) => `(${textCompared(literal(text), operator, value, values, folded)} and ${where})`,
  );
  return `(${conditions.join(' or ')})`;
}

type FactColumn = Extract<Column, { type: 'fact' }>;

/** One of the values of a list is enough. Facts have types of their own and no order that a filter could know. */
function factCompared(column: FactColumn, operator: Comparison, value: string, values: Values): string {
  if (operator === 'ne') return `not ${factCompared(column, 'eq', value, values)}`;
  if (operator !== 'eq' && !(operator in patterns)) {
    throw new AppError('scim.invalid_filter', `${column.name} cannot be compared with ${operator}`);
  }
  return factWhere(column, textCompared('item', operator, value, values, folded), values);
}

const factWhere = ({ name }: FactColumn, condition: string, values: Values): string =>
  `exists (
     select from user_attribute a
     join user_attribute_value v on v.user_attribute_id = a.id
     cross join lateral jsonb_array_elements_text(
       case jsonb_typeof(v.value) when 'array' then v.value else jsonb_build_array(v.value) end
     ) item
     where a.tenant_id = u.tenant_id and lower(a.name) = ${folded(`${values.add(name)}::text`)}
       and v.user_id = u.id and v.value is not null and ${condition}
   )`;

type DocumentColumn = Extract<Column, { type: 'document' }>;

/** Equality is containment, which the index on the whole document answers. */
function documentCompared(column: DocumentColumn, operator: Comparison, value: Literal, values: Values): string {
  if (operator === 'eq') return contains(column, nested(column, value), values);
  if (operator === 'ne') return `not ${contains(column, nested(column, value), values)}`;
  const text = String(value);
  if (!column.isList) return textCompared(`${column.sql} #>> ${path(column.keys)}`, operator, text, values, folded);
  const part = `item ->> ${literal(column.keys.at(-1) ?? '')}`;
  return `exists (select from ${items(column)} item where ${textCompared(part, operator, text, values, folded)})`;
}

const contains = ({ sql }: DocumentColumn, document: unknown, values: Values): string =>
  `${sql} @> lower(${values.add(JSON.stringify(document))}::text)::jsonb`;

function nested({ keys, isList }: DocumentColumn, value: unknown): unknown {
  const [first = '', ...rest] = keys;
  const inner =
    isList && rest.length > 0
      ? [{ [rest.at(-1) ?? '']: value }]
      : rest.reduceRight<unknown>((at, key) => ({ [key]: at }), value);
  return { [first]: inner };
}

/** Conditions that are equalities and nothing else are one containment; others look at each value of the row. */
function element(column: Column, filter: Filter, values: Values): string {
  if (column.type !== 'document') {
    if (filter.kind === 'compare') return compared(column, filter.operator, filter.value, values);
    throw new AppError('scim.invalid_filter', 'These values are selected by one condition');
  }
  const parts = equalities(filter);
  if (parts) return contains(column, { [column.keys[0] ?? '']: [parts] }, values);
  const partOf: ColumnOf = ({ sub = 'value' }) => ({ type: 'folded', sql: `(item ->> ${literal(sub.toLowerCase())})` });
  return `exists (select from ${items(column)} item where ${conditionOf(asTexts(filter), partOf, values)})`;
}

function equalities(filter: Filter): Record<string, Literal> | undefined {
  const conditions = filter.kind === 'and' ? filter.operands : [filter];
  const parts: Record<string, Literal> = {};
  for (const each of conditions) {
    const name = each.kind === 'compare' && each.operator === 'eq' ? each.path.sub?.toLowerCase() : undefined;
    if (each.kind !== 'compare' || name === undefined || name in parts) return undefined;
    parts[name] = each.value;
  }
  return parts;
}

/** Parts of a value are read as text, so booleans are compared as such. */
function asTexts(filter: Filter): Filter {
  if (filter.kind === 'compare') return { ...filter, value: filter.value === null ? null : String(filter.value) };
  if (filter.kind === 'not') return { ...filter, operand: asTexts(filter.operand) };
  if (filter.kind === 'and' || filter.kind === 'or') return { ...filter, operands: filter.operands.map(asTexts) };
  return filter;
}

const items = ({ sql, keys }: DocumentColumn): string =>
  `jsonb_array_elements(coalesce(${sql} -> ${literal(keys[0] ?? '')}, '[]'))`;

/** Keys are names of the schema, or names that a client gave to facts of its own. */
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const path = (keys: readonly string[]): string => `array[${keys.map(literal).join(', ')}]::text[]`;
