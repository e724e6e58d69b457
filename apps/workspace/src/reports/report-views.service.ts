import { Injectable } from '@nestjs/common';
import type { Schemas } from '@plinth/contract';
import type { Transaction } from '@plinth/database';
import { ItemDescriptions, People, rankOf, type ContractItem, type Viewer } from '../content';
import type { ReportPlacement } from './report-placement.entity';
import { ReportPlacementsRepository } from './report-placements.repository';
import type { StoredReport } from './reports.repository';

type Person = Schemas['ReportPerson'];

interface Surroundings {
  item: ContractItem;
  people: ReadonlyMap<number, Person>;
  placements: readonly ReportPlacement[];
}

const nobody: Person = { id: 0, email: '', firstName: null, picture: null };

/** Shows reports to clients, with whatever stands around them. */
@Injectable()
export class ReportViews {
  constructor(
    private readonly items: ItemDescriptions,
    private readonly placements: ReportPlacementsRepository,
    private readonly people: People,
  ) {}

  async of(tx: Transaction, viewer: Viewer, report: StoredReport): Promise<Schemas['Report']> {
    const [view] = await this.ofAll(tx, viewer, [report]);
    return view as Schemas['Report'];
  }

  async ofAll(tx: Transaction, viewer: Viewer, reports: readonly StoredReport[]): Promise<Schemas['Report'][]> {
    const items = await this.items.describe(tx, viewer, reports);
    const people = await this.people.describe(
      viewer,
      reports.map(({ refreshedBy }) => refreshedBy),
    );
    // Embed users have no spreadsheets, and see nobody's.
    const ids = viewer.embed ? [] : reports.map(({ id }) => id);
    const placements = byReport(await this.placements.list(tx, ids));
    return reports.map((each, index) =>
      viewOf(viewer.embed ? { ...each, refreshedBy: null } : each, {
        item: items[index] as ContractItem,
        people,
        placements: placements.get(each.id) ?? [],
      }),
    );
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

function viewOf(report: StoredReport, { item, people, placements }: Surroundings): Schemas['Report'] {
  const { title, description, version, publicId, queryChecksum, rank, parentId } = report;
  const owner = item.user ?? nobody;
  return {
    ...item,
    ...{ publicId, title, description, version, userId: owner.id, user: owner },
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
    // Clients want somebody here: until it is refreshed, that is the owner.
    refreshedByUser: people.get(report.refreshedBy ?? 0) ?? owner,
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
