import { Injectable } from '@nestjs/common';
import { isTimeZone, type Schemas } from '@plinth/contract';
import { AppError, invalidRequest } from '@plinth/errors';
import { PythonAnalyses } from '../python';
import { MOST_ROWS, QueryRunner, type QueryCaller, type Result, type Row } from '@plinth/queries';
import { engineFilters, type DataFilter, type EngineFilters } from './engine-filters';
import { cubeOf, cubesOf, type EngineQuery } from './engine-query';
import { formatted, type ColumnFormats, type DataColumn } from './formatted-columns';
import { filled } from './missing-rows';
import { compared, earlierQuery } from './period-comparisons';
import { tableOf } from './python-table';
import { shapedQuery } from './shaped-query';

/** What a report asks, and what is done with the answer. */
export interface DataSource {
  reportId: number;
  /** Program that works on the rows. */
  pythonCode: string | null;
  jsonQuery: string | null;
  sqlQuery: string | null;
  periodComparisons: readonly Schemas['PeriodComparison'][];
  fillMissingRows: Schemas['FillMissingRows'] | null;
  columnFormats: ColumnFormats;
}

/** What a reader wants otherwise. */
export interface Controls {
  filters: readonly DataFilter[];
  timeGrains: readonly Schemas['DataTimeGrain'][];
  memberSwitchers: readonly Schemas['DataMemberSwitcher'][];
  timezone: string | undefined;
  limit: number | undefined;
  /** Whether they reach only queries of the same cube or view. */
  areShared: boolean;
}

export interface Data {
  columns: DataColumn[];
  rows: readonly Row[];
}

/** Answers what reports show: the rows of their queries under the reader's controls. */
@Injectable()
export class DataResults {
  constructor(
    private readonly runner: QueryRunner,
    private readonly analyses: PythonAnalyses,
  ) {}

  /**
   * What the report's Python program makes of the rows, where it has one.
   *
   * @throws AppError `report.no_query`, `report.query_failed` and `report.python_failed` (400), `request.invalid` (400) for
   *   bad controls; and as `PythonAnalyses` does
   */
  async of(caller: QueryCaller, source: DataSource, controls: Controls): Promise<Data> {
    if (source.pythonCode === null) return this.rows(caller, source, controls);
    const { reportId, pythonCode: code, columnFormats, ...rest } = source;
    const all = { ...controls, limit: undefined };
    const run = await this.analyses.run(caller, { reportId, code, query: [rest, all] }, () =>
      this.rows(caller, source, all),
    );
    if (run.failure !== null) throw new AppError('report.python_failed', run.failure);
    const { columns, rows } = tableOf(run.result, run.columns);
    return { columns: formatted(columns, columnFormats), rows: rows.slice(0, controls.limit ?? MOST_ROWS) };
  }

  private async rows(caller: QueryCaller, source: DataSource, controls: Controls): Promise<Data> {
    const queries = await this.queriesOf(caller, source, controls);
    if (queries === undefined) {
      const { columns, rows } = await this.runner.sql(caller, source.sqlQuery ?? '');
      return { columns: formatted(columns, source.columnFormats), rows: rows.slice(0, controls.limit ?? MOST_ROWS) };
    }
    const results: Result[] = [];
    for (const query of queries) results.push(await this.resultOf(caller, source, query, controls));
    const columns = new Map(results.flatMap((each) => each.columns).map((column) => [column.name, column]));
    return {
      columns: formatted([...columns.values()], source.columnFormats),
      rows: results.flatMap(({ rows }) => rows).slice(0, controls.limit ?? MOST_ROWS),
    };
  }

  /** Undefined for SQL that can run as it stands. */
  private async queriesOf(
    caller: QueryCaller,
    { jsonQuery, sqlQuery }: DataSource,
    controls: Controls,
  ): Promise<EngineQuery[] | undefined> {
    if (jsonQuery !== null) return [JSON.parse(jsonQuery) as EngineQuery | EngineQuery[]].flat();
    if (sqlQuery === null) throw new AppError('report.no_query', 'The report has no query');
    const { filters, timeGrains, memberSwitchers } = controls;
    if (filters.length + timeGrains.length + memberSwitchers.length === 0) return undefined;
    return [(await this.runner.jsonOfSql(caller, sqlQuery)) as EngineQuery];
  }

  private async resultOf(
    caller: QueryCaller,
    source: DataSource,
    query: EngineQuery,
    controls: Controls,
  ): Promise<Result> {
    const { timezone, limit, timeGrains, memberSwitchers } = controls;
    const shape = { timeGrains, memberSwitchers, timezone, limit: limit ?? MOST_ROWS };
    const shaped = shapedQuery(query, { ...shape, conditions: await this.conditions(caller, query, controls) });
    let result = await this.runner.load(caller, shaped);
    for (const comparison of source.periodComparisons) {
      const earlier = earlierQuery(shaped, result.query, comparison);
      result = compared(result, earlier ? await this.runner.load(caller, earlier) : result, comparison);
    }
    return source.fillMissingRows ? filled(result, source.fillMissingRows) : result;
  }

  private async conditions(caller: QueryCaller, query: EngineQuery, controls: Controls): Promise<EngineFilters> {
    const { filters, areShared, timezone } = controls;
    const cubes = cubesOf(query);
    const meant = areShared ? filters.filter(({ member }) => cubes.has(cubeOf(member))) : filters;
    if (meant.length === 0) return { filters: [], timeDimensions: [] };
    const types = await this.runner.memberTypes(caller);
    const timeZone = timezone ?? query.timezone ?? 'UTC';
    return engineFilters(meant, { typeOf: (member) => types.get(member), timeZone, now: new Date() });
  }
}

/** @throws AppError `request.invalid` (400) for a time zone that there is not. */
export function requireTimeZone(timezone: string | null | undefined): string | undefined {
  if (timezone === null || timezone === undefined) return undefined;
  if (!isTimeZone(timezone)) throw invalidRequest('/body/timezone', 'must be an IANA time zone, such as Europe/Berlin');
  return timezone;
}
