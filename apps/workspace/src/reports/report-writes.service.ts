import { Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf } from '@plinth/contract';
import type { Transaction } from '@plinth/database';
import { AppError, invalidRequest } from '@plinth/errors';
import {
  ContentTree,
  ItemsRepository,
  newPublicId,
  ownedBy,
  rankOf,
  requireOwnPublicId,
  type RankedItem,
  type Viewer,
} from '../content';
import { Placements } from './placements.service';
import type { Report } from './report.entity';
import { ReportPlaces } from './report-places.service';
import { queryChecksum, requireJsonQuery } from './report-query';
import { ReportsRepository, type StoredReport } from './reports.repository';

type Update = NonNullable<BodyOf<'updateReport'>>;
type Creation = NonNullable<BodyOf<'createReport'>>;
type Definition = Pick<Report, 'title' | 'jsonQuery' | 'sqlQuery' | 'meta' | 'pivotItems'>;

const definition = ['title', 'jsonQuery', 'sqlQuery', 'meta', 'pivotItems'] as const;

/** Makes and changes reports, each within a transaction that is given. */
@Injectable()
export class ReportWrites {
  constructor(
    private readonly items: ItemsRepository,
    private readonly tree: ContentTree,
    private readonly reports: ReportsRepository,
    private readonly places: ReportPlaces,
    private readonly placements: Placements,
  ) {}

  /** @param onTaken is thrown when another report has the public id. */
  async create(
    tx: Transaction,
    principal: Principal,
    viewer: Viewer,
    body: Creation,
    onTaken: () => Error = publicIdTaken,
  ): Promise<StoredReport> {
    requireValid(body);
    // One that is taken would tell of content that they may not see.
    if (body.publicId != null && viewer.embed) throw new AppError('access.denied', 'Embed users choose no public ids');
    const { tenantId, deploymentId } = viewer;
    const place = await this.tree.place(tx, viewer, await this.places.wanted(tx, viewer, body));
    const name = nameIn(body.name) ?? 'Untitled';
    const owned = { tenantId, deploymentId, type: 'REPORT' as const, name, ...ownedBy(viewer) };
    const item = await this.items.insert(tx, { ...owned, ...place });
    const written = { ...empty, ...definitionIn(body) };
    const report = { ...newReport, ...written, source: body.source ?? null, queryChecksum: queryChecksum(written) };
    const stored = { ...report, publicId: body.publicId ?? newPublicId() };
    await this.reports.insert(tx, { ...stored, id: item.id, tenantId, deploymentId }, onTaken);
    const created = { ...item, ...stored, rank: rankOf('manage'), visible: true };
    await this.placeAsSaid(tx, principal, created, body);
    return created;
  }

  /** The tree is held, the item is locked, and the viewer may edit it. */
  async update(tx: Transaction, principal: Principal, viewer: Viewer, item: RankedItem, body: Update): Promise<void> {
    requireValid(body);
    const stored = await this.reports.findOf(tx, item.id);
    const { expectedVersion, publicId } = body;
    if (typeof expectedVersion === 'number' && expectedVersion !== stored.version)
      throw versionConflict(stored.version);
    if (typeof publicId === 'string' && publicId !== stored.publicId) {
      throw invalidRequest('/body/publicId', 'cannot be changed any more');
    }
    const changed = await this.define(tx, principal, { ...item, ...stored }, body);
    const parent = await this.places.movedTo(tx, viewer, item, body);
    if (parent !== undefined) await this.tree.move(tx, viewer, item, parent);
    await this.placeAsSaid(tx, principal, changed, body);
  }

  /** A request that says what the report has already changes nothing. */
  private async define(
    tx: Transaction,
    { userId }: Principal,
    report: StoredReport,
    body: Update,
  ): Promise<StoredReport> {
    const name = nameIn(body.name) ?? report.name;
    const wanted = { ...definitionOf(report), ...definitionIn(body) };
    const isSame = JSON.stringify([report.name, definitionOf(report)]) === JSON.stringify([name, wanted]);
    if (isSame) return report;
    const change = { ...wanted, version: report.version + 1, queryChecksum: queryChecksum(wanted) };
    await this.items.update(tx, report.id, { name, updatedBy: userId });
    await this.reports.update(tx, report.id, change);
    return { ...report, ...change, name };
  }

  private async placeAsSaid(
    tx: Transaction,
    principal: Principal,
    report: StoredReport,
    body: Creation & Pick<Update, 'placementId'>,
  ): Promise<void> {
    if (typeof body.externalWorkbookId !== 'string' && typeof body.resultLocation !== 'string') return;
    const stored = await this.placements.meant(tx, report, body.placementId);
    const externalWorkbookId = body.externalWorkbookId ?? stored?.externalWorkbookId;
    const resultLocation = body.resultLocation ?? stored?.resultLocation;
    if (externalWorkbookId === undefined) throw invalidRequest('/body/externalWorkbookId', 'is required');
    if (resultLocation === undefined) throw invalidRequest('/body/resultLocation', 'is required');
    await this.placements.place(tx, principal, report, { ...body, externalWorkbookId, resultLocation });
  }
}

const empty: Definition = { title: null, jsonQuery: null, sqlQuery: null, meta: null, pivotItems: null };

const newReport = {
  description: null,
  version: 1,
  refreshedAt: null,
  refreshedBy: null,
  refreshedRows: null,
  resultChecksum: null,
};

export const publicIdTaken = (): AppError =>
  new AppError('report.public_id_taken', 'Another report of the account has this public id');

const versionConflict = (version: number): AppError =>
  new AppError('report.version_conflict', `The report has changed in the meantime and is version ${version} now`);

/** Undefined for no name. */
const nameIn = (name: string | null | undefined): string | undefined => name?.trim() || undefined;

function requireValid({ jsonQuery, publicId }: Pick<Creation, 'jsonQuery' | 'publicId'>): void {
  requireJsonQuery(jsonQuery);
  if (typeof publicId === 'string') requireOwnPublicId('/body/publicId', publicId);
}

/** What the request says; null clears it. */
const definitionIn = (body: Update): Partial<Definition> =>
  Object.fromEntries(
    definition.flatMap((field) => (body[field] === undefined ? [] : [[field, body[field]]])),
  ) as Partial<Definition>;

const definitionOf = ({ title, jsonQuery, sqlQuery, meta, pivotItems }: Definition): Definition => ({
  ...{ title, jsonQuery, sqlQuery, meta, pivotItems },
});
