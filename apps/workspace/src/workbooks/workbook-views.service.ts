import { Injectable } from '@nestjs/common';
import type { Schemas } from '@plinth/contract';
import type { Reader } from '@plinth/database';
import {
  ItemNotesRepository,
  ItemDescriptions,
  itemNotFound,
  People,
  type Shown,
  type Item,
  type Unnamed,
  type Viewer,
} from '../content';
import { Publisher } from '../dashboards/publisher.service';
import { WorkbooksRepository, type WorkbookRow } from './workbooks.repository';

type Workbook = Schemas['Workbook'];

/** Shows workbooks as the contract has them: what a transaction knows, and after it whose they are. */
@Injectable()
export class WorkbookViews {
  constructor(
    private readonly workbooks: WorkbooksRepository,
    private readonly notes: ItemNotesRepository,
    private readonly descriptions: ItemDescriptions,
    private readonly publisher: Publisher,
    private readonly people: People,
  ) {}

  /** One workbook with its dashboards. */
  async whole(from: Reader, viewer: Viewer, item: Item): Promise<Unnamed<Workbook>> {
    const [details, isFavorite, publishedDashboard = null] = await Promise.all([
      this.workbooks.find(from, item.id),
      this.notes.isMarked(from, item.id, viewer.userId),
      this.publisher.published(from, viewer, item.id),
    ]);
    if (!details) throw itemNotFound('WORKBOOK');
    const { dashboardDraft, ...rest } = details;
    const [workbook] = await this.rows(from, viewer, [{ ...item, ...rest, isFavorite }]);
    if (!workbook) throw itemNotFound('WORKBOOK');
    const dashboardPublished = publishedDashboard?.config ?? null;
    return { ...workbook, dashboardDraft, dashboardPublished, publishedDashboard };
  }

  /** One whose transaction is done. */
  async named(viewer: Viewer, workbook: Unnamed<Workbook>, shown: Shown): Promise<Workbook> {
    const [named] = await this.people.name(viewer, [workbook], shown);
    return named as Workbook;
  }

  allNamed(viewer: Viewer, workbooks: readonly Unnamed<Workbook>[]): Promise<Workbook[]> {
    return this.people.name(viewer, workbooks);
  }

  /** Rows of a list. */
  async rows(from: Reader, viewer: Viewer, rows: readonly WorkbookRow[]): Promise<Unnamed<Workbook>[]> {
    const described = await this.descriptions.describe(from, viewer, rows);
    return rows.flatMap(({ slug, meta, calculatedFields, isFavorite }, index) => {
      const item = described[index];
      return item ? [{ ...item, slug, meta, calculatedFields, isFavorite }] : [];
    });
  }
}
