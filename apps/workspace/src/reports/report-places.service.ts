import { Injectable } from '@nestjs/common';
import type { Transaction } from '@plinth/database';
import { invalidRequest } from '@plinth/errors';
import { ContentRights, folderOrRoot, ItemsRepository, type ItemRef, type RankedItem, type Viewer } from '../content';

/** What a client says of where a report shall lie. */
export interface WantedPlace {
  workbookId?: number | null | undefined;
  folderId?: number | null | undefined;
}

/** Finds out what reports shall lie in: a workbook, a folder, or null for the root. */
@Injectable()
export class ReportPlaces {
  constructor(
    private readonly rights: ContentRights,
    private readonly items: ItemsRepository,
  ) {}

  /** @throws AppError `workbook.not_found` (404), `access.denied` (403), `request.invalid` (400) */
  async wanted(tx: Transaction, viewer: Viewer, { workbookId, folderId }: WantedPlace): Promise<ItemRef | null> {
    if (typeof workbookId !== 'number') return folderOrRoot(folderId ?? null);
    const ref: ItemRef = { type: 'WORKBOOK', id: workbookId };
    const { parentId } = await this.rights.require(tx, viewer, ref, 'edit');
    if (typeof folderId === 'number' && folderId !== parentId) {
      throw invalidRequest('/body/folderId', 'is not the folder of the workbook');
    }
    return ref;
  }

  /** Undefined when the report stays where it is. @throws as {@link wanted} */
  async movedTo(
    tx: Transaction,
    viewer: Viewer,
    report: RankedItem,
    { workbookId, folderId }: WantedPlace,
  ): Promise<ItemRef | null | undefined> {
    if (workbookId === undefined && folderId === undefined) return undefined;
    const isLeaving = typeof workbookId !== 'number' && folderId === undefined;
    if (isLeaving && !(await this.isInWorkbook(tx, report))) return undefined;
    const wanted = isLeaving ? { folderId: report.path.at(-2) ?? null } : { workbookId, folderId };
    if ((wanted.workbookId ?? wanted.folderId ?? null) === report.parentId) return undefined;
    return this.wanted(tx, viewer, wanted);
  }

  private async isInWorkbook(tx: Transaction, { parentId }: RankedItem): Promise<boolean> {
    return parentId !== null && !(await this.items.foldersAmong(tx, [parentId])).has(parentId);
  }
}
