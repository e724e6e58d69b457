import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { DashboardsRepository } from '../dashboards/dashboards.repository';
import type { FrozenReport } from '../dashboards/frozen-report';
import { PythonAnalyses } from '../python';
import { QueryRunner } from '@plinth/queries';
import { EmbeddedDashboards } from './embedded-dashboards.service';

type Input = BodyOf<'postDashboardPythonRun'>;

/** Runs the programs of embedded dashboards again, for viewers who have chosen other filters. */
@Injectable()
export class PythonRunsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly embedded: EmbeddedDashboards,
    private readonly dashboards: DashboardsRepository,
    private readonly runner: QueryRunner,
    private readonly analyses: PythonAnalyses,
  ) {}

  /**
   * @throws AppError as reading the dashboard does; `report.not_on_dashboard` (403), `report.no_python` (400), and as
   *   `PythonAnalyses` and the query runner do
   */
  async run(principal: Principal, publicId: string, input: Input): Promise<ReplyOf<'postDashboardPythonRun'>> {
    const { place } = await this.embedded.require(principal, { publicId });
    const { pythonCode: code } = await this.published(principal, place.workbookId, input);
    if (!code) throw new AppError('report.no_python', 'The report has no Python program');
    const caller = await this.runner.callerFor(principal, place.deploymentId);
    const { reportId, sqlQuery: query } = input;
    const run = await this.analyses.run(caller, { reportId, code, query }, () => this.runner.sql(caller, query));
    const { at, inputRowCount, stdout, stderr, result, failure } = run;
    return { at: at.toISOString(), inputRowCount, stdout, stderr, outputData: result, executionError: failure };
  }

  /** Of the version that is shown: what was published before has been withdrawn. */
  private published(
    principal: Principal,
    workbookId: number,
    { reportId, reportVersionId }: Input,
  ): Promise<FrozenReport> {
    // Leaves the line in the audit log.
    return this.database.mutate(principal, async (tx) => {
      const dashboard = await this.dashboards.find(tx, workbookId);
      const frozen = dashboard ? await this.dashboards.snapshots(tx, dashboard.versionId) : [];
      const found = frozen.find((each) => each.id === reportVersionId && each.reportId === reportId);
      if (found) return found;
      throw new AppError('report.not_on_dashboard', 'The dashboard that is published has no such report');
    });
  }
}
