import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, PathOf, ReplyOf, Schemas } from '@plinth/contract';
import { Database, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import {
  audience,
  ContentRights,
  ContentTree,
  ItemsRepository,
  itemNotFound,
  ownedBy,
  rankOf,
  type Item,
  type ItemRef,
  type Viewer,
} from '../content';
import { withReports } from '../dashboards/dashboard-config';
import { Publisher } from '../dashboards/publisher.service';
import { ReportCopiesRepository } from './report-copies.repository';
import { WorkbookViews } from './workbook-views.service';
import { WorkbooksRepository } from './workbooks.repository';

const NAME_LENGTH = 255;

@Injectable()
export class WorkbookCopies {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly rights: ContentRights,
    private readonly items: ItemsRepository,
    private readonly tree: ContentTree,
    private readonly workbooks: WorkbooksRepository,
    private readonly reports: ReportCopiesRepository,
    private readonly publisher: Publisher,
    private readonly views: WorkbookViews,
  ) {}

  async duplicate(
    principal: Principal,
    { deploymentId, workbookId }: PathOf<'duplicateWorkbook'>,
    body: BodyOf<'duplicateWorkbook'> = {},
  ): Promise<ReplyOf<'duplicateWorkbook'>> {
    const isShared = body.shared === true;
    const { embed, tenantId } = principal;
    if (isShared && !embed?.isCreator)
      throw new AppError('access.denied', 'Only embed sessions in creator mode copy from the shared workspace');
    const viewer = await this.rights.viewerOf(principal, deploymentId);
    const from = isShared ? audience(tenantId, deploymentId, embed?.embedTenantName ?? null) : viewer;
    const made = await this.database.mutate(principal, async (tx) => {
      const source = await this.rights.require(tx, from, { type: 'WORKBOOK', id: workbookId }, 'read');
      const copy = await (isShared ? this.copyPublished(tx, viewer, source) : this.copyAll(tx, viewer, source));
      return this.views.whole(tx, viewer, copy);
    });
    return this.views.named(viewer, made, 'written');
  }

  /** The workbook with its reports, the draft of its dashboard and the published one. */
  private async copyAll(tx: Transaction, viewer: Viewer, source: Item): Promise<Item> {
    const item = await this.insertItem(tx, viewer, source, await this.folderBeside(tx, viewer, source));
    const details = await this.workbooks.find(tx, source.id);
    if (!details) throw itemNotFound('WORKBOOK');
    const reportIds = await this.reports.copyAll(tx, source.id, item);
    const dashboardDraft = details.dashboardDraft && withReports(details.dashboardDraft, reportIds);
    await this.workbooks.insert(tx, item, { ...details, slug: null, dashboardDraft });
    const published = await this.publisher.published(tx, viewer, source.id);
    if (published) await this.publishAgain(tx, viewer, item, published, reportIds);
    return item;
  }

  /** What embed users see of a workbook, and nothing else of it: its published dashboard. */
  private async copyPublished(tx: Transaction, viewer: Viewer, source: Item): Promise<Item> {
    const published = await this.publisher.published(tx, viewer, source.id);
    const details = await this.workbooks.find(tx, source.id);
    if (!published || !details)
      throw new AppError('dashboard.not_published', 'The workbook has no published dashboard');
    const item = await this.insertItem(tx, viewer, source, null);
    const reportIds = await this.reports.insertFrozen(tx, item, published.reportSnapshots);
    const dashboardDraft = withReports(published.config, reportIds);
    const calculatedFields = (await this.workbooks.find(tx, source.id))?.calculatedFields ?? {};
    await this.workbooks.insert(tx, item, { slug: null, meta: {}, calculatedFields, dashboardDraft });
    await this.publishAgain(tx, viewer, item, published, reportIds);
    return item;
  }

  /** Locks the original, too, so that it is copied as it is at one moment. */
  private async insertItem(tx: Transaction, viewer: Viewer, source: Item, folder: ItemRef | null): Promise<Item> {
    const { tenantId, deploymentId } = viewer;
    const place = await this.tree.place(tx, viewer, folder);
    await this.items.lock(tx, [source.id]);
    const name = [...`Copy of ${source.name}`].slice(0, NAME_LENGTH).join('');
    return this.items.insert(tx, { tenantId, deploymentId, type: 'WORKBOOK', name, ...ownedBy(viewer), ...place });
  }

  /** Null for the root, also when the viewer may only read the folder. */
  private async folderBeside(tx: Transaction, viewer: Viewer, { parentId }: Item): Promise<ItemRef | null> {
    if (parentId === null) return null;
    const folder = await this.items.findFor(tx, viewer, 'FOLDER', parentId, false);
    return folder && folder.rank >= rankOf('edit') ? { type: 'FOLDER', id: parentId } : null;
  }

  /** The reports stay as they were frozen; those of the workbook are now the copies. */
  private async publishAgain(
    tx: Transaction,
    viewer: Viewer,
    item: Item,
    { title = null, description = null, config, reportSnapshots }: Schemas['Dashboard'],
    reportIds: ReadonlyMap<number, number>,
  ): Promise<void> {
    const reports = reportSnapshots.map(({ id: _id, ...report }) => ({
      ...report,
      reportId: reportIds.get(report.reportId) ?? report.reportId,
    }));
    const version = { title, description, config: withReports(config, reportIds), reports };
    await this.publisher.publish(tx, item, version, viewer);
  }
}
