import { randomUUID } from 'node:crypto';
import { AppError } from '@plinth/errors';
import type { EngineCaller, QueryRunner } from '@plinth/queries';
import { jsonSchema, tool, type ToolSet } from 'ai';
import type { Charts } from './charts.service';
import { findCubes } from './found-members';
import { harmlessText } from './harmless-text';

interface MetaInput {
  searchQuery?: string;
}

interface SqlInput {
  sqlQuery: string;
  queryTitle?: string;
  description?: string;
  userRequest?: string;
  vegaSpec?: unknown;
}

/** What tools work with. */
interface Means {
  queries: QueryRunner;
  charts: Charts;
}

const MOST_ROWS = 100;
const MOST_CELL = 1_000;
const MOST_SQL = 20_000;
/** Of all tools together in one turn. */
const MOST_CALLS = 32;

const text = (description: string, maxLength = 2_000) => ({ type: 'string', description, maxLength }) as const;

/** What an agent can do: look at the data model, and query it. Both as the asking user, and nothing else. */
export function toolsFor({ queries, charts }: Means, reader: EngineCaller, views: readonly string[] | null): ToolSet {
  let calls = 0;
  const limited = async (work: () => Promise<object>): Promise<object> => {
    calls += 1;
    return calls > MOST_CALLS ? { error: `No more than ${MOST_CALLS} calls of tools in one answer` } : told(work);
  };
  // Nothing is found in it that is not meant: models also call `constructor`.
  return Object.assign(Object.create(null) as ToolSet, {
    cubeMeta: tool({
      description: 'Lists views and cubes of the data model with their members, those that fit the search first.',
      inputSchema: jsonSchema<MetaInput>({
        type: 'object',
        properties: { searchQuery: text('Words to look for; empty for everything.') },
      }),
      execute: ({ searchQuery = '' }) =>
        limited(async () => ({
          cubes: findCubes(await queries.meta(reader), { search: searchQuery, views }),
          searchQuery,
        })),
    }),
    cubeSqlApi: tool({
      description:
        'Runs a SELECT in the SQL dialect of the data model (PostgreSQL, measures as MEASURE(name)) and answers at most ' +
        `${MOST_ROWS} rows, with the number of all of them.`,
      inputSchema: jsonSchema<SqlInput>({
        type: 'object',
        required: ['sqlQuery'],
        properties: {
          sqlQuery: text('The query.', MOST_SQL),
          queryTitle: text('Short title of the result.'),
          description: text('What the query finds out.'),
          userRequest: text('What the user wants to know.'),
          memoryId: text('Not used.'),
          vegaSpec: {
            type: ['object', 'string', 'null'],
            description: 'A Vega-Lite chart of the result, without data.',
          },
        },
      }),
      execute: (input) => limited(() => runSql({ queries, charts }, reader, input)),
    }),
  });
}

async function runSql({ queries, charts }: Means, reader: EngineCaller, input: SqlInput): Promise<object> {
  const { sqlQuery, queryTitle = '', description = '', userRequest = '', vegaSpec } = input;
  if (typeof sqlQuery !== 'string' || sqlQuery.trim() === '') return { error: 'sqlQuery is missing' };
  if (sqlQuery.length > MOST_SQL) return { error: `sqlQuery has more than ${MOST_SQL} characters` };
  const { schema, rows } = await queries.sqlTable(reader, sqlQuery);
  return {
    ...{ sqlQuery, schema, queryTitle: harmlessText('', queryTitle) },
    ...{ description: harmlessText('', description), userRequest: harmlessText('', userRequest) },
    data: rows.slice(0, MOST_ROWS).map((row) => row.map(shortCell)),
    totalRows: rows.length,
    uuid: randomUUID(),
    vegaSpec: await charts.checked(reader.principal.tenantId, vegaSpec, { schema, rows }),
  };
}

const shortCell = (value: unknown): unknown =>
  typeof value === 'string' && value.length > MOST_CELL ? `${value.slice(0, MOST_CELL)}…` : value;

/** What the engine refuses is told to the model, which may ask better; what the platform fails at, without reasons. */
async function told(work: () => Promise<object>): Promise<object> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError) return { error: error.message.slice(0, 2_000) };
    throw error;
  }
}
