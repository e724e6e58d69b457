import { Injectable } from '@nestjs/common';
import { AppError } from '@plinth/errors';
import { QueryRunner, type QueryCaller, type Result } from '@plinth/queries';
import type { Report } from './report.entity';

/** Runs what a report asks, as it stands. */
@Injectable()
export class ReportRuns {
  constructor(private readonly runner: QueryRunner) {}

  /** @throws AppError `report.no_query` (400), and as the runner does. */
  run(caller: QueryCaller, { jsonQuery, sqlQuery }: Pick<Report, 'jsonQuery' | 'sqlQuery'>): Promise<Result> {
    if (jsonQuery !== null) return this.runner.load(caller, JSON.parse(jsonQuery) as object);
    if (sqlQuery !== null) return this.runner.sql(caller, sqlQuery);
    throw new AppError('report.no_query', 'The report has no query');
  }
}
