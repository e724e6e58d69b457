import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, Schemas } from '@plinth/contract';
import type { Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import type { ReportPlacement } from './report-placement.entity';
import { ReportPlacementsRepository } from './report-placements.repository';
import type { StoredReport } from './reports.repository';
import { cellOf } from './result-location';

/** Where a result stands, as clients say it. */
export type Address = NonNullable<BodyOf<'disconnectReportFromWorkbook'>>;
type Placing = Schemas['ConnectReportInput'];

const MOST_OF_REPORT = 100;

/** The places of reports in spreadsheets. The report in question is locked. */
@Injectable()
export class Placements {
  constructor(private readonly placements: ReportPlacementsRepository) {}

  /** Makes or changes a placement. @throws AppError `report.too_many_placements` (409) */
  async place(tx: Transaction, { userId, tenantId }: Principal, report: StoredReport, placing: Placing): Promise<void> {
    const all = await this.placements.list(tx, [report.id]);
    const found = matching(all, placing) ?? all.find((each) => isAt(each, placing));
    if (!found && all.length >= MOST_OF_REPORT) {
      throw new AppError('report.too_many_placements', `A report stands in ${MOST_OF_REPORT} places at most`);
    }
    const { queryChecksum } = report;
    const fresh = found && placing.addressOnly === true ? {} : { queryChecksum };
    const base = found ?? newPlacement(tenantId, report, userId);
    await this.placements.save(tx, { ...base, ...addressIn(placing, base), ...fresh, ...given(placing) });
  }

  /** The placement that a client means who says part of its address: by its id, or else the last one. */
  async meant(
    tx: Transaction,
    { id }: StoredReport,
    placementId: string | null | undefined,
  ): Promise<ReportPlacement | undefined> {
    const all = await this.placements.list(tx, [id]);
    return typeof placementId === 'string' ? all.find((each) => each.id === placementId) : all.at(-1);
  }

  /** What is not found is not there already. */
  async remove(tx: Transaction, report: StoredReport, address: Address): Promise<void> {
    const found = matching(await this.placements.list(tx, [report.id]), address);
    if (found) await this.placements.delete(tx, found.id);
  }

  /** Notes that the result was put there once more. */
  async refresh(
    tx: Transaction,
    { userId }: Principal,
    report: StoredReport,
    address: NonNullable<BodyOf<'refreshReport'>>,
  ): Promise<void> {
    const found = matching(await this.placements.list(tx, [report.id]), address);
    if (!found) return;
    const now = { refreshedAt: new Date(), refreshedBy: userId, queryChecksum: report.queryChecksum };
    await this.placements.save(tx, { ...found, ...now, ...given(address) });
  }
}

/** The placement that is meant: by its id, or else by spreadsheet, sheet name and cell, all of which are needed. */
function matching(placements: readonly ReportPlacement[], address: Address): ReportPlacement | undefined {
  const { placementId, externalWorkbookId, sheetId } = address;
  const byId = placements.find(({ id }) => id === placementId);
  if (byId) return byId;
  const { sheetName, anchorCell } = cellOf(address);
  if (externalWorkbookId === undefined || sheetName === null || anchorCell === null) return undefined;
  return placements.find(
    (each) =>
      each.externalWorkbookId === externalWorkbookId &&
      each.sheetName === sheetName &&
      each.anchorCell === anchorCell &&
      (each.sheetId === null || (sheetId ?? each.sheetId) === each.sheetId),
  );
}

/** For locations that say no cell. */
const isAt = (each: ReportPlacement, { externalWorkbookId, resultLocation, sheetId }: Placing): boolean =>
  each.externalWorkbookId === externalWorkbookId &&
  each.resultLocation === resultLocation &&
  (each.sheetId === null || (sheetId ?? each.sheetId) === each.sheetId);

/** What is not said stays as it is. */
function addressIn(placing: Placing, base: ReportPlacement): Partial<ReportPlacement> {
  const { externalWorkbookId, resultLocation, workbookName, host, sheetId, endResultCell } = placing;
  const cell = cellOf(placing);
  return {
    externalWorkbookId,
    resultLocation,
    sheetName: cell.sheetName,
    anchorCell: cell.anchorCell,
    externalWorkbookName: workbookName ?? base.externalWorkbookName,
    host: host ?? base.host,
    sheetId: sheetId ?? base.sheetId,
    endResultCell: endResultCell ?? base.endResultCell,
  };
}

const given = ({ resultChecksum }: Pick<Placing, 'resultChecksum'>): Partial<ReportPlacement> =>
  resultChecksum === undefined || resultChecksum === null ? {} : { resultChecksum };

const newPlacement = (tenantId: number, report: StoredReport, userId: number | null): ReportPlacement => ({
  id: randomUUID(),
  tenantId,
  reportId: report.id,
  externalWorkbookId: '',
  externalWorkbookName: null,
  host: null,
  sheetId: null,
  sheetName: null,
  anchorCell: null,
  endResultCell: null,
  resultLocation: '',
  queryChecksum: report.queryChecksum,
  resultChecksum: null,
  placedAt: new Date(),
  placedBy: userId,
  refreshedAt: null,
  refreshedBy: null,
});
