import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf, Schemas } from '@plinth/contract';
import { advisoryLockId, Database, type Transaction } from '@plinth/database';
import { AppError, invalidRequest } from '@plinth/errors';
import {
  ContentRights,
  ContentTree,
  granted,
  itemNotFound,
  ItemNotesRepository,
  ItemsRepository,
  rankOf,
  type Level,
  type RankedItem,
  type Viewer,
  requireOwnPublicId,
} from '../content';
import { ReportViews } from './report-views.service';
import { publicIdTaken, ReportWrites } from './report-writes.service';
import { ReportsRepository, type StoredReport } from './reports.repository';

@Injectable()
export class ReportsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly rights: ContentRights,
    private readonly items: ItemsRepository,
    private readonly notes: ItemNotesRepository,
    private readonly tree: ContentTree,
    private readonly reports: ReportsRepository,
    private readonly views: ReportViews,
    private readonly writes: ReportWrites,
  ) {}

  async get(principal: Principal, deploymentId: number, id: number): Promise<ReplyOf<'getReport'>> {
    const viewer = await this.rights.viewerOf(principal, deploymentId);
    const { tenantId, userId } = principal;
    const reader = this.database.reader(tenantId, 'few rows');
    const [found, isViewed] = await Promise.all([
      this.reports.find(reader, viewer, id),
      this.notes.isViewed(reader, id, userId),
    ]);
    const report = granted(found, 'REPORT', 'read');
    if (userId !== null && !isViewed) await this.notes.view(this.database, tenantId, id, userId);
    return this.views.named(viewer, await this.views.of(reader, viewer, report), 'read');
  }

  async create(
    principal: Principal,
    deploymentId: number,
    body: BodyOf<'createReport'>,
  ): Promise<ReplyOf<'createReport'>> {
    const viewer = await this.rights.viewerOf(principal, deploymentId);
    return this.change(principal, viewer, (tx) => this.writes.create(tx, principal, viewer, body ?? {}));
  }

  async update(
    principal: Principal,
    deploymentId: number,
    id: number,
    body: BodyOf<'updateReport'>,
  ): Promise<ReplyOf<'updateReport'>> {
    const viewer = await this.rights.viewerOf(principal, deploymentId);
    return this.change(principal, viewer, async (tx) => {
      await this.tree.hold(tx, viewer);
      const item = await this.require(tx, viewer, id, 'edit', true);
      await this.writes.update(tx, principal, viewer, item, body ?? {});
      return this.changed(tx, viewer, id);
    });
  }

  async delete(principal: Principal, deploymentId: number, id: number): Promise<ReplyOf<'deleteReport'>> {
    const viewer = await this.rights.viewerOf(principal, deploymentId);
    return this.database.mutate(principal, async (tx) => {
      await this.tree.remove(tx, viewer, { type: 'REPORT', id });
      return {};
    });
  }

  /** Writers of one public id take turns, so what is decided stays so, unless somebody comes by another operation. */
  async upsert(
    principal: Principal,
    deploymentId: number,
    publicId: string,
    body: BodyOf<'upsertReportByPublicId'> = {},
  ): Promise<ReplyOf<'upsertReportByPublicId'>> {
    requireOwnPublicId('/path/publicId', publicId);
    if (typeof body.publicId === 'string' && body.publicId !== publicId) {
      throw invalidRequest('/body/publicId', 'is another one than in the path');
    }
    const viewer = await this.rights.viewerOf(principal, deploymentId);
    return this.change(principal, viewer, async (tx) => {
      await this.reports.takeTurn(tx, advisoryLockId('report', principal.tenantId, publicId));
      await this.tree.hold(tx, viewer);
      const item = await this.held(tx, viewer, publicId);
      if (!item) return this.writes.create(tx, principal, viewer, { ...body, publicId }, branchChanged);
      await this.writes.update(tx, principal, viewer, item, body);
      return this.changed(tx, viewer, item.id);
    });
  }

  private async change(
    principal: Principal,
    viewer: Viewer,
    work: (tx: Transaction) => Promise<StoredReport>,
  ): Promise<Schemas['Report']> {
    const changed = await this.database.mutate(principal, async (tx) => this.views.of(tx, viewer, await work(tx)));
    return this.views.named(viewer, changed, 'written');
  }

  /** The report of the deployment with the public id, to be changed; undefined when nobody has the id. */
  private async held(tx: Transaction, viewer: Viewer, publicId: string): Promise<RankedItem | undefined> {
    const found = await this.reports.findByPublicId(tx, publicId);
    if (!found) return undefined;
    if (found.deploymentId !== viewer.deploymentId) throw publicIdTaken();
    const item = await this.items.findFor(tx, viewer, 'REPORT', found.id, true);
    if (!item) throw branchChanged();
    if (item.rank < rankOf('edit')) throw new AppError('access.denied', 'This needs the right to edit it');
    return item;
  }

  /** Moved elsewhere, it may be less to its editor than it was. */
  private async changed(tx: Transaction, viewer: Viewer, id: number): Promise<StoredReport> {
    const item = await this.items.findFor(tx, viewer, 'REPORT', id, false);
    if (!item) throw itemNotFound('REPORT');
    return this.stored(tx, item);
  }

  private require(tx: Transaction, viewer: Viewer, id: number, level: Level, lock = false): Promise<RankedItem> {
    return this.rights.require(tx, viewer, { type: 'REPORT', id }, level, lock);
  }

  private async stored(tx: Transaction, item: RankedItem): Promise<StoredReport> {
    return { ...(await this.reports.findOf(tx, item.id)), ...item };
  }
}

const branchChanged = (): AppError =>
  new AppError('upsert_branch_changed', 'Another writer has created or deleted the report: send the request again');
