import { Injectable } from '@nestjs/common';
import type { Transaction } from '@plinth/database';
import { invalidRequest } from '@plinth/errors';
import { ContentRights, ItemsRepository, TreeRepository, type RankedItem, type Viewer } from '../content';

/** A place in the tree, as an item has it. */
export interface TreePlace {
  parentId: number | null;
  path: number[];
}

/** What a client says of where a report shall lie. */
export interface WantedPlace {
  workbookId?: number | null | undefined;
  folderId?: number | null | undefined;
}

const root: TreePlace = { parentId: null, path: [] };

/** Finds the places that reports go to: a workbook, a folder or the root. The tree keeps still until the transaction ends. */
@Injectable()
export class ReportPlaces {
  constructor(
    private readonly rights: ContentRights,
    private readonly items: ItemsRepository,
    private readonly tree: TreeRepository,
  ) {}

  /** @throws AppError `workbook.not_found` and `folder.not_found` (404), `access.denied` (403), `request.invalid` (400) */
  async forNew(tx: Transaction, viewer: Viewer, wanted: WantedPlace): Promise<TreePlace> {
    await this.tree.lock(tx, viewer.deploymentId, 'shared');
    if (typeof wanted.workbookId === 'number') return this.inWorkbook(tx, viewer, wanted.workbookId, wanted.folderId);
    return typeof wanted.folderId === 'number' ? this.inFolder(tx, viewer, wanted.folderId) : root;
  }

  /**
   * Undefined when the report stays where it is. Who moves a report has to manage it, and to edit where it goes.
   *
   * @throws as {@link forNew}
   */
  async forMoved(
    tx: Transaction,
    viewer: Viewer,
    report: RankedItem,
    { workbookId, folderId }: WantedPlace,
  ): Promise<TreePlace | undefined> {
    if (workbookId === undefined && folderId === undefined) return undefined;
    const isLeaving = typeof workbookId !== 'number' && folderId === undefined;
    if (isLeaving && !(await this.isInWorkbook(tx, report))) return undefined;
    const goal: WantedPlace = isLeaving ? { folderId: report.path.at(-2) ?? null } : { workbookId, folderId };
    if ((goal.workbookId ?? goal.folderId ?? null) === report.parentId) return undefined;
    await this.rights.require(tx, viewer, { type: 'REPORT', id: report.id }, 'manage');
    return this.forNew(tx, viewer, goal);
  }

  private async inWorkbook(
    tx: Transaction,
    viewer: Viewer,
    id: number,
    folderId: number | null | undefined,
  ): Promise<TreePlace> {
    const workbook = await this.rights.require(tx, viewer, { type: 'WORKBOOK', id }, 'edit');
    if (typeof folderId === 'number' && folderId !== workbook.parentId) {
      throw invalidRequest('/body/folderId', 'is not the folder of the workbook');
    }
    return within(workbook);
  }

  private async inFolder(tx: Transaction, viewer: Viewer, id: number): Promise<TreePlace> {
    return within(await this.rights.require(tx, viewer, { type: 'FOLDER', id }, 'edit'));
  }

  private async isInWorkbook(tx: Transaction, { parentId }: RankedItem): Promise<boolean> {
    return parentId !== null && (await this.items.isOfType(tx, parentId, 'WORKBOOK'));
  }
}

const within = ({ id, path }: RankedItem): TreePlace => ({ parentId: id, path: [...path, id] });
