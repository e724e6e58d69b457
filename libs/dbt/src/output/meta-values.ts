import { literal } from '../cubes/literal';
import { type Yaml } from './yaml-writer';

/** Keys whose text the compiler reads as an expression wherever they stand. */
const EXPRESSIONS: ReadonlySet<string> = new Set(
  [
    'primaryKey scheduledRefresh unionWithSourceData rewriteQueries shown public subQuery propagateFiltersToSubQuery',
    'incremental external useOriginalSqlPreAggregations readOnly prefix mask',
  ].flatMap((line) => line.split(' ')),
);
/** Keys whose value becomes a function wherever they stand, and one that is no member of an object. */
const FUNCTIONS: ReadonlySet<string> = new Set(['sql', 'sqlTable', 'sql_table', '__proto__']);
const MAX_DEPTH = 20;

/** A value of the project's `meta` as the compiler gives it back; keys that it would make code of are written differently. */
export function metaValue(value: unknown, key = '', depth = 0): Yaml | undefined {
  if (typeof value === 'string') return text(value, key);
  if (typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'object' || depth > MAX_DEPTH) return undefined;
  if (Array.isArray(value)) {
    return value.map((item) => metaValue(item, '', depth + 1)).filter((item) => item !== undefined);
  }
  const members = Object.entries(value).map(([name, member]) => [safeKey(name), metaValue(member, name, depth + 1)]);
  return Object.fromEntries(members) as Yaml;
}

function text(value: string, key: string): Yaml {
  // An empty text is nothing to the compiler.
  if (value === '') return null;
  return EXPRESSIONS.has(key) ? `f"${literal(value).replace(/["`\r\n]/g, inHex)}"` : literal(value);
}

function inHex(character: string): string {
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
}

function safeKey(key: string): string {
  // A key that holds the word, and not only one that is it, becomes a reference.
  const plain = key.replaceAll('extends', 'extend');
  return FUNCTIONS.has(plain) ? `${plain}_` : plain;
}
