import { Injectable } from '@nestjs/common';
import type { Schemas } from '@plinth/contract';
import type { Transaction } from '@plinth/database';
import { itemNotFound, People, TreeRepository, type Item, type Viewer } from '../content';
import { Publisher } from '../dashboards/publisher.service';
import { ItemNotesRepository } from './item-notes.repository';
import { WorkbooksRepository, type WorkbookRow } from './workbooks.repository';

/** Shows workbooks as the contract has them. */
@Injectable()
export class WorkbookViews {
  constructor(
    private readonly workbooks: WorkbooksRepository,
    private readonly notes: ItemNotesRepository,
    private readonly tree: TreeRepository,
    private readonly people: People,
    private readonly publisher: Publisher,
  ) {}

  /** One workbook with its dashboards. */
  async whole(tx: Transaction, viewer: Viewer, item: Item): Promise<Schemas['Workbook']> {
    const details = await this.workbooks.find(tx, item.id);
    if (!details) throw itemNotFound('WORKBOOK');
    const { dashboardDraft, ...rest } = details;
    const isFavorite = await this.notes.isMarked(tx, item.id, viewer.userId);
    const [workbook] = await this.rows(tx, [{ ...item, ...rest, isFavorite }]);
    if (!workbook) throw itemNotFound('WORKBOOK');
    const publishedDashboard = (await this.publisher.published(tx, item.id)) ?? null;
    const dashboardPublished = publishedDashboard?.config ?? null;
    return { ...workbook, dashboardDraft, dashboardPublished, publishedDashboard };
  }

  /** Rows of a list. */
  async rows(tx: Transaction, rows: readonly WorkbookRow[]): Promise<Schemas['Workbook'][]> {
    const names = await this.tree.names(
      tx,
      rows.flatMap(({ path }) => path),
    );
    const owners = await this.people.describe(
      tx.tenantId as number,
      rows.map(({ ownerId }) => ownerId),
    );
    return rows.map((row) => ({
      id: row.id,
      deploymentId: row.deploymentId,
      type: 'WORKBOOK' as const,
      name: row.name,
      slug: row.slug,
      folderId: row.parentId,
      folderPath: row.path.map((id) => ({ id, name: names.get(id) ?? '' })),
      meta: row.meta,
      calculatedFields: row.calculatedFields,
      isFavorite: row.isFavorite,
      user: row.ownerId === null ? null : (owners.get(row.ownerId) ?? null),
      userId: row.ownerId,
      ...(row.createdBy !== null && { createdBy: row.createdBy }),
      createdAt: row.createdAt.toISOString(),
      updatedAt: row.updatedAt.toISOString(),
    }));
  }
}
