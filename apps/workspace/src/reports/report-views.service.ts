import { Injectable } from '@nestjs/common';
import type { Schemas } from '@plinth/contract';
import type { Reader } from '@plinth/database';
import {
  ItemDescriptions,
  People,
  rankOf,
  userRef,
  type ContractItem,
  type Shown,
  type Unnamed,
  type Viewer,
} from '../content';
import type { ReportPlacement } from './report-placement.entity';
import { ReportPlacementsRepository } from './report-placements.repository';
import type { StoredReport } from './reports.repository';

type Person = Schemas['ReportPerson'];

interface Surroundings {
  item: Unnamed<ContractItem>;
  placements: readonly ReportPlacement[];
}

type Report = Schemas['Report'];

/** What a transaction knows of a report. */
export type UnnamedReport = Unnamed<Omit<Report, 'userId' | 'refreshedByUser'>>;

const nobody: Person = { id: 0, email: '', firstName: null, picture: null };

/** Shows reports to clients, with whatever stands around them: what a transaction knows, and after it whose they are. */
@Injectable()
export class ReportViews {
  constructor(
    private readonly items: ItemDescriptions,
    private readonly placements: ReportPlacementsRepository,
    private readonly people: People,
  ) {}

  async of(from: Reader, viewer: Viewer, report: StoredReport): Promise<UnnamedReport> {
    const [view] = await this.ofAll(from, viewer, [report]);
    return view as UnnamedReport;
  }

  async ofAll(from: Reader, viewer: Viewer, reports: readonly StoredReport[]): Promise<UnnamedReport[]> {
    // Embed users have no spreadsheets, and see nobody's.
    const ids = viewer.embed ? [] : reports.map(({ id }) => id);
    const [items, placed] = await Promise.all([
      this.items.describe(from, viewer, reports),
      this.placements.list(from, ids),
    ]);
    const placements = byReport(placed);
    return reports.map((each, index) =>
      viewOf(viewer.embed ? { ...each, refreshedBy: null } : each, {
        item: items[index] as Unnamed<ContractItem>,
        placements: placements.get(each.id) ?? [],
      }),
    );
  }

  /** One whose transaction is done. */
  async named(viewer: Viewer, report: UnnamedReport, shown: Shown): Promise<Report> {
    const [named] = await this.allNamed(viewer, [report], shown);
    return named as Report;
  }

  async allNamed(viewer: Viewer, reports: readonly UnnamedReport[], shown: Shown = 'read'): Promise<Report[]> {
    const refs = reports.flatMap(({ user, refreshedBy }) => [user, userRef(refreshedBy)]);
    const who = await this.people.describe(viewer, refs, shown);
    return reports.map((report) => {
      const owner = who(report.user) ?? nobody;
      // Clients want somebody here: until it is refreshed, that is the owner.
      const refreshedByUser = who(userRef(report.refreshedBy)) ?? owner;
      return { ...report, userId: owner.id, user: owner, refreshedByUser };
    });
  }
}

function byReport(placements: readonly ReportPlacement[]): Map<number, ReportPlacement[]> {
  const groups = new Map<number, ReportPlacement[]>();
  for (const placement of placements) {
    const group = groups.get(placement.reportId);
    if (group) group.push(placement);
    else groups.set(placement.reportId, [placement]);
  }
  return groups;
}

function viewOf(report: StoredReport, { item, placements }: Surroundings): UnnamedReport {
  const { title, description, version, publicId, queryChecksum, rank, parentId } = report;
  return {
    ...item,
    ...{ publicId, title, description, version },
    source: report.source as Schemas['Report']['source'],
    jsonQuery: report.jsonQuery,
    sqlQuery: report.sqlQuery,
    meta: report.meta,
    pivotItems: report.pivotItems as Schemas['PivotItems'] | null,
    currentQueryChecksum: queryChecksum,
    // It lies in a folder, or else in a workbook.
    workbookId: parentId === item.folderId ? null : parentId,
    refreshedAt: report.refreshedAt?.toISOString() ?? null,
    refreshedBy: report.refreshedBy,
    refreshedRowCount: report.refreshedRows,
    refreshedResultChecksum: report.resultChecksum,
    ...lastPlace(placements.at(-1)),
    externalWorkbookPlacements: placements.map((each) => placementView(each, queryChecksum)),
    rolesWithAccess: null,
    canEdit: rank >= rankOf('edit'),
    canManage: rank >= rankOf('manage'),
  };
}

const lastPlace = (
  last: ReportPlacement | undefined,
): Pick<Schemas['Report'], 'externalWorkbookId' | 'resultLocation' | 'endResultCell'> => ({
  externalWorkbookId: last?.externalWorkbookId ?? null,
  resultLocation: last?.resultLocation ?? null,
  endResultCell: last?.endResultCell ?? null,
});

function placementView(placement: ReportPlacement, current: string | null): Schemas['ReportPlacement'] {
  const { id, host, sheetId, sheetName, anchorCell, endResultCell, resultLocation } = placement;
  const { queryChecksum, resultChecksum } = placement;
  return {
    ...{ id, host, sheetId, sheetName, anchorCell, endResultCell, resultLocation, queryChecksum, resultChecksum },
    workbookId: placement.externalWorkbookId,
    workbookName: placement.externalWorkbookName,
    syncStatus: syncStatus(queryChecksum, current),
    placedAt: placement.placedAt.toISOString(),
    placedByUserId: placement.placedBy,
    refreshedAt: placement.refreshedAt?.toISOString() ?? null,
    refreshedByUserId: placement.refreshedBy,
  };
}

function syncStatus(placed: string | null, current: string | null): Schemas['ReportPlacement']['syncStatus'] {
  if (placed === null || current === null) return 'UNKNOWN';
  return placed === current ? 'UP_TO_DATE' : 'CHANGED';
}
