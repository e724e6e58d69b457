import { createHash } from 'node:crypto';
import { invalidRequest } from '@plinth/errors';
import type { Report } from './report.entity';

type Queries = Pick<Report, 'jsonQuery' | 'sqlQuery'>;

/** @throws AppError `request.invalid` (400) for what is not a JSON object, nor an array of them. */
export function requireJsonQuery(text: string | null | undefined): void {
  if (text === null || text === undefined) return;
  const parsed = parsedJson(text);
  const queries: unknown[] = Array.isArray(parsed) ? parsed : [parsed];
  if (queries.length > 0 && queries.every(isObject)) return;
  throw invalidRequest('/body/jsonQuery', 'must be a query as JSON text');
}

/** SHA-256 (hex) of what is asked, whatever the white space in its JSON; null for nothing. */
export function queryChecksum({ jsonQuery, sqlQuery }: Queries): string | null {
  if (jsonQuery === null && sqlQuery === null) return null;
  const query = [jsonQuery === null ? null : parsedJson(jsonQuery), sqlQuery];
  return createHash('sha256').update(JSON.stringify(query)).digest('hex');
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
