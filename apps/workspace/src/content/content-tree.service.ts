import { Injectable } from '@nestjs/common';
import type { Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { ContentNotices } from './content-notices';
import { ContentRights } from './content-rights.service';
import type { ItemRef } from './item.entity';
import type { RankedItem } from './items.repository';
import { isTooDeep, TreeRepository } from './tree.repository';
import type { Viewer } from './viewer';

/** Where an item lies. */
export interface Place {
  parentId: number | null;
  path: number[];
}

/** The one way in which things are put into the tree, moved in it and taken out of it, with the rights that this needs. */
@Injectable()
export class ContentTree {
  constructor(
    private readonly rights: ContentRights,
    private readonly tree: TreeRepository,
    private readonly notices: ContentNotices,
  ) {}

  /**
   * The place of something new in a folder, or for a report in a workbook, which the viewer may edit. It stays where it is
   * until the transaction ends.
   *
   * @throws AppError as `ContentRights.require` does
   */
  async place(tx: Transaction, who: Viewer, parent: ItemRef | null): Promise<Place> {
    await this.tree.lock(tx, who.deploymentId, 'shared');
    return placeIn(parent && (await this.rights.require(tx, who, parent, 'edit')));
  }

  /** As {@link place} for a folder. @throws AppError `folder.too_deep` (400) */
  async placeFolder(tx: Transaction, who: Viewer, parentId: number | null): Promise<Place> {
    const place = await this.place(tx, who, folderOrRoot(parentId));
    if (isTooDeep(place.path, 1)) throw tooDeep();
    return place;
  }

  /** Nothing moves until the transaction ends, for whoever locks a report before it is moved; alone: nothing comes or goes. */
  async hold(tx: Transaction, { deploymentId }: Viewer, how: 'shared' | 'alone' = 'shared'): Promise<void> {
    await this.tree.lock(tx, deploymentId, how);
  }

  /**
   * Moves an item with everything beneath into a folder, or a report into a workbook, or to the root.
   *
   * @throws AppError `folder.inside_itself`, `folder.too_deep` (400), and as `ContentRights.require` does for the item,
   *   which takes the right to manage it, and for the parent, which takes the right to edit it
   */
  async move(tx: Transaction, who: Viewer, ref: ItemRef, parent: ItemRef | null): Promise<RankedItem> {
    await this.lockFor(tx, who, ref);
    const item = await this.rights.require(tx, who, ref, 'manage', true);
    const { path } = placeIn(parent && (await this.rights.require(tx, who, parent, 'edit')));
    if (path.includes(item.id)) throw new AppError('folder.inside_itself', 'A folder cannot be moved into itself');
    if (item.type === 'FOLDER' && isTooDeep(path, await this.tree.heightOf(tx, item.id))) throw tooDeep();
    await this.tree.move(tx, item, path);
    this.notices.announce(tx);
    await this.tree.touch(tx, item.id, who.userId);
    return this.rights.require(tx, who, ref, 'read');
  }

  /**
   * Deletes an item. What lies in a folder goes to the root, and the reports of a workbook to its folder; everything else
   * that a workbook or a report has goes with it.
   *
   * @throws AppError `folder.has_folders` (400), and as `ContentRights.require` does for the right to manage it
   */
  async remove(tx: Transaction, who: Viewer, ref: ItemRef): Promise<void> {
    await this.lockFor(tx, who, ref);
    const item = await this.rights.require(tx, who, ref, 'manage', true);
    if (item.type === 'FOLDER' && (await this.tree.holdsFolders(tx, item.id))) {
      throw new AppError('folder.has_folders', 'Delete or move the folders in this folder first');
    }
    if (item.type !== 'REPORT') await this.tree.empty(tx, item, item.type === 'FOLDER' ? [] : item.path);
    for (const dashboardId of await this.tree.dashboardsOf(tx, item.id)) {
      tx.emit('dashboard.deleted', { deploymentId: item.deploymentId, dashboardId });
    }
    await this.tree.delete(tx, item.id);
    this.notices.announce(tx);
  }

  /** Nothing lies in a report, so that no path changes but its own. */
  private lockFor(tx: Transaction, { deploymentId }: Viewer, { type }: ItemRef): Promise<void> {
    return this.tree.lock(tx, deploymentId, type === 'REPORT' ? 'shared' : 'alone');
  }
}

export const folderOrRoot = (id: number | null): ItemRef | null => (id === null ? null : { type: 'FOLDER', id });

const placeIn = (parent: RankedItem | null): Place =>
  parent ? { parentId: parent.id, path: [...parent.path, parent.id] } : { parentId: null, path: [] };

const tooDeep = (): AppError => new AppError('folder.too_deep', 'Folders nest at most 10 deep');
