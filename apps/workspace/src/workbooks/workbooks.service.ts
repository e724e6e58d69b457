import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { PathOf, QueryOf, ReplyOf } from '@plinth/contract';
import { byId, Database, keysetList } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { ItemNotesRepository, ContentRights, ContentTree } from '../content';
import { WorkbookViews } from './workbook-views.service';
import { WorkbooksRepository, type ListedWorkbook, type WorkbookRow } from './workbooks.repository';

type WorkbookPath = PathOf<'getWorkbook'>;

/** Reading workbooks, deleting them, and what single users note about them. */
@Injectable()
export class WorkbooksService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly rights: ContentRights,
    private readonly tree: ContentTree,
    private readonly workbooks: WorkbooksRepository,
    private readonly notes: ItemNotesRepository,
    private readonly views: WorkbookViews,
  ) {}

  async list(
    principal: Principal,
    { deploymentId }: PathOf<'getWorkbooks'>,
    { folderId, ...query }: QueryOf<'getWorkbooks'>,
  ): Promise<ReplyOf<'getWorkbooks'>> {
    const viewer = await this.rights.viewerOf(principal, deploymentId);
    const reader = this.database.reader(principal.tenantId, 'lists');
    const place = folderId === undefined ? undefined : await this.rights.look(reader, viewer, folderId || null);
    let isCut = false;
    const page = keysetList(query, {
      name: 'workbooks',
      filters: { deploymentId, folderId },
      positionOf: byId,
      read: async (limit, [afterId]) => {
        const found = await this.workbooks.list(reader, viewer, place, limit, afterId);
        const fitting = found.filter(isComplete);
        isCut = fitting.length < found.length;
        return fitting;
      },
    });
    const [{ items: rows, pageInfo }, count] = await Promise.all([page, this.workbooks.count(reader, viewer, place)]);
    const items = await this.views.allNamed(viewer, await this.views.rows(reader, viewer, rows));
    return { items, data: items, pageInfo: { ...pageInfo, hasNextPage: pageInfo.hasNextPage || isCut }, count };
  }

  async get(principal: Principal, { deploymentId, workbookId }: WorkbookPath): Promise<ReplyOf<'getWorkbook'>> {
    const viewer = await this.rights.viewerOf(principal, deploymentId);
    const { tenantId } = principal;
    const { userId } = viewer;
    const reader = this.database.reader(tenantId, 'few rows');
    const [item, isViewed] = await Promise.all([
      this.rights.require(reader, viewer, { type: 'WORKBOOK', id: workbookId }, 'read'),
      this.notes.isViewed(reader, workbookId, userId),
    ]);
    if (userId !== null && !isViewed) await this.notes.view(this.database, tenantId, workbookId, userId);
    return this.views.named(viewer, await this.views.whole(reader, viewer, item), 'read');
  }

  /** Its reports go to its folder; all else that only it has ends with it (ruling 30). */
  async delete(principal: Principal, { deploymentId, workbookId }: WorkbookPath): Promise<ReplyOf<'deleteWorkbook'>> {
    const viewer = await this.rights.viewerOf(principal, deploymentId);
    return this.database.mutate(principal, async (tx) => {
      await this.tree.remove(tx, viewer, { type: 'WORKBOOK', id: workbookId });
      return {};
    });
  }

  async mark(principal: Principal, path: WorkbookPath): Promise<ReplyOf<'markWorkbookAsFavorite'>> {
    return this.note(principal, path, (...about) => this.notes.mark(...about));
  }

  async unmark(principal: Principal, path: WorkbookPath): Promise<ReplyOf<'unmarkWorkbookAsFavorite'>> {
    return this.note(principal, path, (...about) => this.notes.unmark(...about));
  }

  private async note(
    principal: Principal,
    { deploymentId, workbookId }: WorkbookPath,
    write: ItemNotesRepository['mark'],
  ): Promise<undefined> {
    const viewer = await this.rights.viewerOf(principal, deploymentId);
    const { userId } = viewer;
    if (userId === null) throw new AppError('access.denied', 'Only users mark what they like');
    await this.database.mutate(principal, async (tx) => {
      await this.rights.require(tx, viewer, { type: 'WORKBOOK', id: workbookId }, 'read');
      await write(tx, workbookId, userId);
      return null;
    });
    return undefined;
  }
}

const isComplete = (row: ListedWorkbook): row is WorkbookRow => row.meta !== null;
