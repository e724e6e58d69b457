import { Inject, Injectable } from '@nestjs/common';
import { systemPrincipal, type Principal } from '@plinth/auth';
import type { Schemas } from '@plinth/contract';
import type { Transaction } from '@plinth/database';
import { AppError, type ErrorCode } from '@plinth/errors';
import { BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import type { ItemRef, ItemType } from './item.entity';
import { ItemsRepository, type RankedItem } from './items.repository';
import { embedViewerOf, isEmbedUser, nobody, rankOf, type Level, type Viewer } from './viewer';

const notFound = {
  FOLDER: ['folder.not_found', 'There is no such folder'],
  WORKBOOK: ['workbook.not_found', 'There is no such workbook'],
  REPORT: ['report.not_found', 'There is no such report'],
} as const satisfies Record<ItemType, readonly [ErrorCode, string]>;

const kinds = { Folder: 'FOLDER', Workbook: 'WORKBOOK', Report: 'REPORT' } as const;

/** Finds out what a caller may do with content, and refuses what they may not. */
@Injectable()
export class ContentRights {
  constructor(
    @Inject(BUS) private readonly bus: Bus,
    private readonly items: ItemsRepository,
  ) {}

  /**
   * Asks the control plane, so that a change of rights is felt at once. An embed user is somebody who makes content: they
   * look at their own, and at that of other embed users which is shared with them.
   *
   * @throws AppError `deployment.not_found` (404), `access.denied` (403) for embed users who make none, and for sessions
   *   that are for one dashboard
   */
  async viewerOf(principal: Principal, deploymentId: number): Promise<Viewer> {
    requireWholeWorkspace(principal);
    if (isEmbedUser(principal)) {
      if (!principal.embed.isCreator)
        throw new AppError('access.denied', 'This needs an embed session in creator mode');
      return embedViewerOf(principal, deploymentId, 'of embed users');
    }
    return this.userOf(principal, deploymentId);
  }

  /** As {@link viewerOf}, to see what is embedded: everything that is shared with an embed user counts. */
  async audienceOf(principal: Principal, deploymentId: number): Promise<Viewer> {
    return isEmbedUser(principal)
      ? embedViewerOf(principal, deploymentId, 'all')
      : this.userOf(principal, deploymentId);
  }

  /**
   * The folder, or null for the root, to look at what is in it: also one that is only on the way to something readable.
   *
   * @throws AppError `folder.not_found` (404)
   */
  look(tx: Transaction, who: Viewer, folderId: number): Promise<RankedItem>;
  look(tx: Transaction, who: Viewer, folderId: number | null): Promise<RankedItem | null>;
  async look(tx: Transaction, who: Viewer, folderId: number | null): Promise<RankedItem | null> {
    return folderId === null ? null : this.seen(tx, who, { type: 'FOLDER', id: folderId });
  }

  /**
   * The item, locked until the transaction ends when `lock` says so.
   *
   * @throws AppError `….not_found` (404) when it is not there or not to be seen, `access.denied` (403) when it may be seen
   *   and the level is not held.
   */
  async require(tx: Transaction, who: Viewer, { type, id }: ItemRef, level: Level, lock = false): Promise<RankedItem> {
    const item = await this.seen(tx, who, { type, id }, lock);
    if (item.rank < rankOf(level)) throw new AppError('access.denied', `This needs the right to ${level} it`);
    return item;
  }

  private async userOf({ tenantId, userId, isAdmin }: Principal, deploymentId: number): Promise<Viewer> {
    if (userId === null || isAdmin) {
      await this.bus.ask('describeDeployment', systemPrincipal(tenantId), { deploymentId });
      return { ...viewer(tenantId, deploymentId, []), userId, isAdmin };
    }
    const { policies } = await this.bus.ask('describeContentRights', systemPrincipal(tenantId), {
      deploymentId,
      userId,
    });
    return { ...viewer(tenantId, deploymentId, policies), userId, isAdmin };
  }

  private async seen(tx: Transaction, who: Viewer, { type, id }: ItemRef, lock = false): Promise<RankedItem> {
    const item = await this.items.findFor(tx, who, type, id, lock);
    if (!item?.visible) throw itemNotFound(type);
    return item;
  }
}

/** @throws AppError `access.denied` (403) for a session that is for one dashboard. */
export function requireWholeWorkspace({ embed }: Principal): void {
  if (embed && embed.publicDashboardId !== null)
    throw new AppError('access.denied', 'This session is for one dashboard alone');
}

export function itemNotFound(type: ItemType): AppError {
  const [code, message] = notFound[type];
  return new AppError(code, message);
}

function viewer(
  tenantId: number,
  deploymentId: number,
  policies: readonly Schemas['ContentPolicy'][],
): Omit<Viewer, 'userId' | 'isAdmin'> {
  const heldOnAll = { FOLDER: 0, WORKBOOK: 0, REPORT: 0 };
  const held = { itemIds: [] as number[], ranks: [] as number[] };
  for (const { resourceType, resourceId, level } of policies) {
    const kind = kinds[resourceType];
    if (resourceId === null) heldOnAll[kind] = Math.max(heldOnAll[kind], rankOf(level));
    else held.ranks[held.itemIds.push(resourceId) - 1] = rankOf(level);
  }
  return { ...nobody(tenantId, deploymentId), held, heldOnAll };
}
