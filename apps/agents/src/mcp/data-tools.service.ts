import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import { BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import { QueryRunner, type EngineCaller, type Result } from '@plinth/queries';
import { z } from 'zod';
import { cutRows, findCubes } from '../results';
import { actingPrincipal } from './acting-principal';
import { McpDefaultsService } from './mcp-defaults.service';
import { defineTool, inputs, type Tool } from './tool';

/** Of an engine. Clients of tools have no use for more. */
const ANSWER_LIMIT_BYTES = 8 << 20;
const MOST_SQL = 20_000;

const { deploymentId, limit } = inputs;

const query = z
  .looseObject({})
  .describe(
    'Query of the data API: measures, dimensions, segments, timeDimensions [{dimension, granularity, dateRange}], filters ' +
      '[{member, operator, values}], order {member: "asc" or "desc"}, limit, offset, timezone. Members as `view.member`.',
  );
const sql = z
  .string()
  .min(1)
  .max(MOST_SQL)
  .describe('SELECT in the SQL dialect of the data model (PostgreSQL, measures as MEASURE(name)).');

/** Tools that look at a data model and query it. */
@Injectable()
export class DataTools {
  readonly tools: readonly Tool[] = [
    this.listDeployments(),
    this.listViews(),
    this.queryData(),
    this.querySql(),
    this.getSql(),
  ];

  constructor(
    @Inject(BUS) private readonly bus: Bus,
    private readonly runner: QueryRunner,
    private readonly defaults: McpDefaultsService,
  ) {}

  private listDeployments(): Tool {
    return defineTool({
      name: 'list_deployments',
      title: 'List deployments',
      description: 'Lists the deployments of the account that the user may see, and which one is the default.',
      isReadOnly: true,
      input: z.strictObject({ after: z.string().max(1_000).optional().describe('`after` of the page before.') }),
      run: async (principal, { after }) => {
        const call = { principal: actingPrincipal(principal), path: {}, body: undefined };
        const [{ items, pageInfo }, usual] = await Promise.all([
          this.bus.call('getDeployments', { ...call, query: { first: 100, ...(after && { after }) } }),
          this.defaults.get(principal),
        ]);
        return {
          deployments: items.map(({ id, name }) => ({ id, name, isDefault: id === usual.deploymentId })),
          after: pageInfo.hasNextPage ? pageInfo.endCursor : null,
        };
      },
    });
  }

  private listViews(): Tool {
    return defineTool({
      name: 'list_views',
      title: 'List views and members',
      description:
        'Lists views and cubes of the data model with their measures, dimensions and segments, those that fit the search first.',
      isReadOnly: true,
      input: z.strictObject({
        deploymentId,
        search: z.string().max(2_000).optional().describe('Words to look for; everything when absent.'),
      }),
      run: async (principal, { search = '', ...named }) => {
        const caller = await this.callerFor(principal, named.deploymentId);
        return { views: findCubes(await this.runner.meta(caller), { search, views: null }) };
      },
    });
  }

  private queryData(): Tool {
    return defineTool({
      name: 'query_data',
      title: 'Query data',
      description: 'Runs a query in JSON and answers its first rows, with the number of all.',
      isReadOnly: true,
      input: z.strictObject({ deploymentId, query, limit }),
      run: async (principal, input) => {
        const caller = await this.callerFor(principal, input.deploymentId);
        return answerOf(await this.runner.load(caller, input.query), input.limit);
      },
    });
  }

  private querySql(): Tool {
    return defineTool({
      name: 'query_sql',
      title: 'Query data by SQL',
      description: 'Runs a query in SQL and answers its first rows, with the number of all.',
      isReadOnly: true,
      input: z.strictObject({ deploymentId, sql, limit }),
      run: async (principal, input) => {
        const caller = await this.callerFor(principal, input.deploymentId);
        return answerOf(await this.runner.sql(caller, input.sql), input.limit);
      },
    });
  }

  private getSql(): Tool {
    return defineTool({
      name: 'get_sql',
      title: 'Get the SQL of a query',
      description:
        'Answers the statement that a query becomes for the data source, without running it. The query is JSON, or SQL of the data model.',
      isReadOnly: true,
      input: z
        .strictObject({ deploymentId, query: query.optional(), sql: sql.optional() })
        .refine((input) => (input.query === undefined) !== (input.sql === undefined), 'must have one of query and sql'),
      run: async (principal, input) => {
        const caller = await this.callerFor(principal, input.deploymentId);
        const asked = input.query ?? (await this.runner.jsonOfSql(caller, input.sql ?? ''));
        return this.runner.statement(caller, asked);
      },
    });
  }

  private async callerFor(principal: Principal, named: number | undefined): Promise<EngineCaller> {
    const caller = await this.runner.callerFor(principal, await this.defaults.deploymentFor(principal, named));
    return { ...caller, answerLimitBytes: ANSWER_LIMIT_BYTES };
  }
}

const answerOf = ({ columns, rows }: Result, limit: number | undefined): object => ({
  columns: columns.map(({ name, title, type }) => ({ name, title, type })),
  ...cutRows(rows, limit),
});
