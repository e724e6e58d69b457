import { randomUUID } from 'node:crypto';
import { AppError } from '@plinth/errors';
import type { EngineCaller, QueryRunner } from '@plinth/queries';
import { jsonSchema, tool, type ToolSet } from 'ai';
import { cutRows, findCubes } from '../results';
import type { Charts } from './charts.service';
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
const MOST_SQL = 20_000;
/** Of a text that the model adds to a query. */
const MOST_SAID = 2_000;
/** Of all tools together in one turn. */
const MOST_CALLS = 32;

const text = (description: string, maxLength = MOST_SAID) => ({ type: 'string', description, maxLength }) as const;

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
      execute: (input) =>
        limited(async () => {
          const searchQuery = said(input.searchQuery);
          return { cubes: findCubes(await queries.meta(reader), { search: searchQuery, views }), searchQuery };
        }),
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
  const { sqlQuery, queryTitle, description, userRequest, vegaSpec } = input;
  if (typeof sqlQuery !== 'string' || sqlQuery.trim() === '') return { error: 'sqlQuery is missing' };
  if (sqlQuery.length > MOST_SQL) return { error: `sqlQuery has more than ${MOST_SQL} characters` };
  const { schema, rows } = await queries.sqlTable(reader, sqlQuery);
  const { rows: data, totalRows } = cutRows(rows, MOST_ROWS);
  return {
    ...{
      sqlQuery,
      schema,
      queryTitle: said(queryTitle),
      description: said(description),
      userRequest: said(userRequest),
    },
    ...{ data, totalRows },
    uuid: randomUUID(),
    vegaSpec: await charts.checked(reader.principal.tenantId, vegaSpec, { schema, rows }),
  };
}

/** Models do not keep to what a tool asks for. */
const said = (value: unknown): string => (typeof value === 'string' ? harmlessText('', value.slice(0, MOST_SAID)) : '');

/** What the engine refuses is told to the model, which may ask better; what the platform fails at, without reasons. */
async function told(work: () => Promise<object>): Promise<object> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError) return { error: error.message.slice(0, 2_000) };
    throw error;
  }
}
