import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf, Schemas } from '@plinth/contract';
import { Database, type Transaction } from '@plinth/database';
import { ContentRights } from '../content';
import { Placements } from './placements.service';
import { ReportViews } from './report-views.service';
import { ReportsRepository, type StoredReport } from './reports.repository';

/** Where reports stand in the spreadsheets of people who may read them. */
@Injectable()
export class ReportPlacementsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly rights: ContentRights,
    private readonly reports: ReportsRepository,
    private readonly placements: Placements,
    private readonly views: ReportViews,
  ) {}

  connect(
    principal: Principal,
    deploymentId: number,
    id: number,
    body: BodyOf<'connectReportToWorkbook'>,
  ): Promise<ReplyOf<'connectReportToWorkbook'>> {
    return this.change(principal, deploymentId, id, (tx, report) => this.placements.place(tx, principal, report, body));
  }

  disconnect(
    principal: Principal,
    deploymentId: number,
    id: number,
    body: BodyOf<'disconnectReportFromWorkbook'>,
  ): Promise<ReplyOf<'disconnectReportFromWorkbook'>> {
    return this.change(principal, deploymentId, id, (tx, report) => this.placements.remove(tx, report, body ?? {}));
  }

  private async change(
    principal: Principal,
    deploymentId: number,
    id: number,
    work: (tx: Transaction, report: StoredReport) => Promise<void>,
  ): Promise<Schemas['Report']> {
    const viewer = await this.rights.viewerOf(principal, deploymentId);
    const placed = await this.database.mutate(principal, async (tx) => {
      const item = await this.rights.require(tx, viewer, { type: 'REPORT', id }, 'read', true);
      const report = { ...(await this.reports.findOf(tx, id)), ...item };
      await work(tx, report);
      return this.views.of(tx, viewer, report);
    });
    return this.views.named(viewer, placed, 'written');
  }
}
