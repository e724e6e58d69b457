import { types } from 'pg';

const INT8 = 20;
const INT8_ARRAY: number = 1016;

/** Ids are integers in the contract; PostgreSQL's 64 bits are read as numbers, and refused where that loses digits. */
function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is outside the safe integer range`);
  return value;
}

function parseInt8Array(text: string): number[] {
  const parsed = types.getTypeParser(INT8_ARRAY, 'text')(text) as string[];
  return parsed.map(parseInt8);
}

const ownParsers = new Map<number, (text: string) => unknown>([
  [INT8, parseInt8],
  [INT8_ARRAY, parseInt8Array],
]);

const getTypeParser: typeof types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  (format !== 'binary' && ownParsers.get(oid)) || types.getTypeParser(oid, format as 'text');

export interface ConnectionSettings {
  connectionString: string;
  options: string;
  types: { getTypeParser: typeof types.getTypeParser };
}

/** Settings for pg; `parameters` are set by the server at the start of each connection, after those in the URL. */
export function connectionSettings(url: string, parameters: Record<string, string | number>): ConnectionSettings {
  const parsed = new URL(url);
  const own = Object.entries(parameters).map(([name, value]) => `-c ${name}=${value}`);
  const options = [parsed.searchParams.get('options') ?? '', ...own].join(' ').trim();
  parsed.searchParams.delete('options');
  return { connectionString: parsed.href, options, types: { getTypeParser } };
}
