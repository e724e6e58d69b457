import { Injectable } from '@nestjs/common';
import type { Schemas } from '@plinth/contract';
import type { Transaction } from '@plinth/database';
import { ItemNotesRepository, ItemDescriptions, itemNotFound, type Item, type Viewer } from '../content';
import { Publisher } from '../dashboards/publisher.service';
import { WorkbooksRepository, type WorkbookRow } from './workbooks.repository';

/** Shows workbooks as the contract has them. */
@Injectable()
export class WorkbookViews {
  constructor(
    private readonly workbooks: WorkbooksRepository,
    private readonly notes: ItemNotesRepository,
    private readonly descriptions: ItemDescriptions,
    private readonly publisher: Publisher,
  ) {}

  /** One workbook with its dashboards. */
  async whole(tx: Transaction, viewer: Viewer, item: Item): Promise<Schemas['Workbook']> {
    const details = await this.workbooks.find(tx, item.id);
    if (!details) throw itemNotFound('WORKBOOK');
    const { dashboardDraft, ...rest } = details;
    const isFavorite = await this.notes.isMarked(tx, item.id, viewer.userId);
    const [workbook] = await this.rows(tx, viewer, [{ ...item, ...rest, isFavorite }]);
    if (!workbook) throw itemNotFound('WORKBOOK');
    const publishedDashboard = (await this.publisher.published(tx, viewer, item.id)) ?? null;
    const dashboardPublished = publishedDashboard?.config ?? null;
    return { ...workbook, dashboardDraft, dashboardPublished, publishedDashboard };
  }

  /** Rows of a list. */
  async rows(tx: Transaction, viewer: Viewer, rows: readonly WorkbookRow[]): Promise<Schemas['Workbook'][]> {
    const described = await this.descriptions.describe(tx, viewer, rows);
    return rows.flatMap(({ slug, meta, calculatedFields, isFavorite }, index) => {
      const item = described[index];
      return item ? [{ ...item, slug, meta, calculatedFields, isFavorite }] : [];
    });
  }
}
