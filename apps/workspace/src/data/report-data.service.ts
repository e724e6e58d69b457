import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf } from '@plinth/contract';
import { Database } from '@plinth/database';
import type { StreamReply } from '@plinth/messaging';
import { ContentRights } from '../content';
import { QueryRunner } from '@plinth/queries';
import { presentationIn, ReportsRepository } from '../reports';
import { csvReply, dataJson, jsonReply } from './data-replies';
import { DataResults, requireTimeZone } from './data-results.service';
import { dataSourceOf } from './data-sources';
import { requireDownload } from './download-rights';

/** Answers the rows of reports as they are now. */
@Injectable()
export class ReportDataService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly rights: ContentRights,
    private readonly reports: ReportsRepository,
    private readonly runner: QueryRunner,
    private readonly results: DataResults,
  ) {}

  async read(
    principal: Principal,
    deploymentId: number,
    id: number,
    body: BodyOf<'getReportData'> = {},
  ): Promise<StreamReply> {
    const timezone = requireTimeZone(body.timezone);
    const viewer = await this.rights.viewerOf(principal, deploymentId);
    // Leaves the line in the audit log.
    const report = await this.database.mutate(principal, async (tx) => {
      await this.rights.require(tx, viewer, { type: 'REPORT', id }, 'read');
      const { jsonQuery, sqlQuery, meta } = await this.reports.findOf(tx, id);
      return { jsonQuery, sqlQuery, meta };
    });
    const caller = await this.runner.callerFor(principal, deploymentId);
    if (body.format === 'csv') requireDownload(caller);
    const data = await this.results.of(
      caller,
      dataSourceOf({ reportId: id, ...presentationIn(report.meta), ...report }),
      {
        filters: body.filters ?? [],
        timeGrains: body.timeGrains ?? [],
        memberSwitchers: body.memberSwitchers ?? [],
        timezone,
        limit: body.limit ?? undefined,
        areShared: false,
      },
    );
    return body.format === 'csv' ? csvReply(data) : jsonReply(dataJson(data));
  }
}
