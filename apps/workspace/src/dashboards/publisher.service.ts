import { Injectable } from '@nestjs/common';
import type { Schemas } from '@plinth/contract';
import type { Reader, Transaction } from '@plinth/database';
import type { ErrorDetail } from '@plinth/errors';
import { newPublicId, type Item, type Viewer } from '../content';
import { refuse, reportIdOf, type DashboardConfig } from './dashboard-config';
import { DashboardsRepository, type DashboardRow, type NewVersion } from './dashboards.repository';
import { freeze, type FrozenReport } from './frozen-report';
import { ReportsToFreezeRepository } from './reports-to-freeze.repository';

/** Makes versions of dashboards, each with its reports as they are at that moment. */
@Injectable()
export class Publisher {
  constructor(
    private readonly dashboards: DashboardsRepository,
    private readonly reports: ReportsToFreezeRepository,
  ) {}

  /**
   * The reports that the charts name, frozen.
   *
   * @param pointer - where the configuration stands in the request, for the problems.
   * @throws AppError `request.invalid` (400), naming every chart whose report is not there for the viewer.
   */
  async freeze(tx: Transaction, viewer: Viewer, config: DashboardConfig, pointer: string): Promise<FrozenReport[]> {
    const named = (config.widgets ?? []).map(reportIdOf);
    const ids = [...new Set(named.filter((id): id is number => Number.isSafeInteger(id)))];
    const rows = ids.length > 0 ? await this.reports.readable(tx, viewer, ids) : [];
    const known = new Map(rows.map((report) => [report.id, report]));
    const problems = named.flatMap((id, index): ErrorDetail[] => {
      const path = `${pointer}/widgets/${index}/config/reportId`;
      return id === undefined || known.has(id as number)
        ? []
        : [{ path, message: 'names no report that you may read' }];
    });
    refuse(problems);
    return ids.flatMap((id) => known.get(id) ?? []).map(freeze);
  }

  /** Publishes the next version of the workbook's dashboard, which the first one makes. The workbook is locked. */
  async publish(
    tx: Transaction,
    workbook: Pick<Item, 'id' | 'tenantId' | 'deploymentId'>,
    version: NewVersion & { reports: readonly FrozenReport[]; allowEmbed?: boolean },
    viewer: Viewer,
  ): Promise<Schemas['Dashboard']> {
    const by = viewer.userId;
    const { id: workbookId, tenantId, deploymentId } = workbook;
    const current = await this.dashboards.find(tx, workbookId);
    const made = { tenantId, deploymentId, workbookId, publicId: newPublicId(), createdBy: by };
    const id = current?.id ?? (await this.dashboards.insert(tx, made));
    if (version.allowEmbed !== undefined) await this.dashboards.setAllowEmbed(tx, id, version.allowEmbed);
    const versionId = await this.dashboards.insertVersion(tx, id, version, by);
    await this.dashboards.insertSnapshots(tx, versionId, version.reports);
    const published = await this.dashboards.findVersion(tx, workbookId, versionId);
    if (!published) throw new Error('A version that was published a moment ago is gone');
    return this.show(tx, viewer, published);
  }

  /** The dashboard of a workbook in its last version; undefined when nothing was published. */
  async published(from: Reader, viewer: Viewer, workbookId: number): Promise<Schemas['Dashboard'] | undefined> {
    const row = await this.dashboards.find(from, workbookId);
    return row && this.show(from, viewer, row);
  }

  /** Embed users are told nobody of the account. */
  async show(from: Reader, { embed }: Viewer, row: DashboardRow): Promise<Schemas['Dashboard']> {
    const createdBy = embed ? null : row.createdBy;
    return { ...row, createdBy, reportSnapshots: await this.dashboards.snapshots(from, row.versionId) };
  }
}
