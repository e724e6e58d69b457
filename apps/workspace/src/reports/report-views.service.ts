import { Injectable } from '@nestjs/common';
import type { Schemas } from '@plinth/contract';
import type { Transaction } from '@plinth/database';
import { People, rankOf } from '../content';
import type { ReportPlacement } from './report-placement.entity';
import { ReportPlacementsRepository } from './report-placements.repository';
import { ReportsRepository, type Container, type StoredReport } from './reports.repository';

type Person = Schemas['ReportPerson'];

interface Surroundings {
  people: ReadonlyMap<number, Person>;
  containers: ReadonlyMap<number, Container>;
  placements: readonly ReportPlacement[];
}

const nobody: Person = { id: 0, email: '', firstName: null, picture: null };

/** Shows reports to clients, with whatever stands around them. */
@Injectable()
export class ReportViews {
  constructor(
    private readonly reports: ReportsRepository,
    private readonly placements: ReportPlacementsRepository,
    private readonly people: People,
  ) {}

  async of(tx: Transaction, report: StoredReport): Promise<Schemas['Report']> {
    const [view] = await this.ofAll(tx, report.tenantId, [report]);
    return view as Schemas['Report'];
  }

  async ofAll(tx: Transaction, tenantId: number, reports: readonly StoredReport[]): Promise<Schemas['Report'][]> {
    const ids = [...new Set(reports.flatMap(({ path }) => path))];
    const containers = new Map((await this.reports.containers(tx, ids)).map((each) => [each.id, each]));
    const users = reports.flatMap(({ ownerId, refreshedBy }) => [ownerId, refreshedBy]);
    const people = await this.people.describe(tenantId, users);
    const placements = new Map<number, ReportPlacement[]>();
    for (const placement of await this.placements.list(
      tx,
      reports.map(({ id }) => id),
    )) {
      const { reportId } = placement;
      placements.set(reportId, [...(placements.get(reportId) ?? []), placement]);
    }
    return reports.map((each) => viewOf(each, { people, containers, placements: placements.get(each.id) ?? [] }));
  }
}

function viewOf(report: StoredReport, { people, containers, placements }: Surroundings): Schemas['Report'] {
  const { id, deploymentId, name, title, description, version, publicId, queryChecksum, rank } = report;
  const around = report.path.flatMap((each) => containers.get(each) ?? []);
  const folderPath = around.filter(({ type }) => type === 'FOLDER').map((each) => ({ id: each.id, name: each.name }));
  const owner = personOf(people, report.ownerId) ?? nobody;
  return {
    ...{ id, deploymentId, type: 'REPORT', publicId, name, title, description, version },
    source: report.source as Schemas['Report']['source'],
    jsonQuery: report.jsonQuery,
    sqlQuery: report.sqlQuery,
    meta: report.meta,
    pivotItems: report.pivotItems as Schemas['PivotItems'] | null,
    currentQueryChecksum: queryChecksum,
    workbookId: around.find(({ type }) => type === 'WORKBOOK')?.id ?? null,
    folderId: folderPath.at(-1)?.id ?? null,
    folderPath,
    userId: owner.id,
    user: owner,
    ...(report.createdBy !== null && { createdBy: report.createdBy }),
    createdAt: report.createdAt.toISOString(),
    updatedAt: report.updatedAt.toISOString(),
    refreshedAt: report.refreshedAt?.toISOString() ?? null,
    refreshedBy: report.refreshedBy,
    // Clients want somebody here: until it is refreshed, that is the owner.
    refreshedByUser: personOf(people, report.refreshedBy) ?? owner,
    refreshedRowCount: report.refreshedRows,
    refreshedResultChecksum: report.resultChecksum,
    ...lastPlace(placements.at(-1)),
    externalWorkbookPlacements: placements.map((each) => placementView(each, queryChecksum)),
    rolesWithAccess: null,
    canEdit: rank >= rankOf('edit'),
    canManage: rank >= rankOf('manage'),
  };
}

const personOf = (people: Surroundings['people'], id: number | null): Person | undefined =>
  id === null ? undefined : people.get(id);

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
