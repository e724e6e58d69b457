import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database } from '@plinth/database';
import { ContentRights, type Viewer } from '../content';
import { QueryRunner } from '@plinth/queries';
import { Placements } from './placements.service';
import { ReportRuns } from './report-runs.service';
import { ReportViews } from './report-views.service';
import { ReportsRepository, type StoredReport } from './reports.repository';

/** Runs the queries of reports anew. */
@Injectable()
export class ReportRefreshService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly rights: ContentRights,
    private readonly reports: ReportsRepository,
    private readonly placements: Placements,
    private readonly runner: QueryRunner,
    private readonly runs: ReportRuns,
    private readonly views: ReportViews,
  ) {}

  async refresh(
    principal: Principal,
    deploymentId: number,
    id: number,
    address: BodyOf<'refreshReport'>,
  ): Promise<ReplyOf<'refreshReport'>> {
    const viewer = await this.rights.viewerOf(principal, deploymentId);
    const report = await this.readable(viewer, id);
    const { rows } = await this.runs.run(await this.runner.callerFor(principal, deploymentId), report);
    const refreshed = {
      refreshedAt: new Date(),
      refreshedBy: principal.userId,
      refreshedRows: rows.length,
      resultChecksum: createHash('sha256').update(JSON.stringify(rows)).digest('hex'),
    };
    const written = await this.database.mutate(principal, async (tx) => {
      const item = await this.rights.require(tx, viewer, { type: 'REPORT', id }, 'read', true);
      await this.reports.update(tx, id, refreshed);
      // What was put there is the result of the query that ran, which may have changed meanwhile.
      if (address) await this.placements.refresh(tx, principal, report, address);
      return this.views.of(tx, viewer, { ...(await this.reports.findOf(tx, id)), ...item });
    });
    return this.views.named(viewer, written, 'written');
  }

  private readable(viewer: Viewer, id: number): Promise<StoredReport> {
    return this.database.transaction(viewer.tenantId, async (tx) => {
      const item = await this.rights.require(tx, viewer, { type: 'REPORT', id }, 'read');
      return { ...(await this.reports.findOf(tx, id)), ...item };
    });
  }
}
