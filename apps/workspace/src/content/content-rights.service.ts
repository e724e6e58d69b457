import { Inject, Injectable } from '@nestjs/common';
import { systemPrincipal, type Principal } from '@plinth/auth';
import type { accessSettings, ConfigOf } from '@plinth/config';
import type { Schemas } from '@plinth/contract';
import type { Reader, Transaction } from '@plinth/database';
import { AppError, type ErrorCode } from '@plinth/errors';
import { BUS, CONFIG } from '@plinth/host';
import { ShortCache, type Bus } from '@plinth/messaging';
import type { ItemRef, ItemType } from './item.entity';
import { ItemsRepository, type RankedItem } from './items.repository';
import { embedViewerOf, isEmbedUser, nobody, rankOf, type Level, type Viewer } from './viewer';

const notFound = {
  FOLDER: ['folder.not_found', 'There is no such folder'],
  WORKBOOK: ['workbook.not_found', 'There is no such workbook'],
  REPORT: ['report.not_found', 'There is no such report'],
} as const satisfies Record<ItemType, readonly [ErrorCode, string]>;

const kinds = { Folder: 'FOLDER', Workbook: 'WORKBOOK', Report: 'REPORT' } as const;

/** What policies give a user in a deployment. */
type Holdings = Pick<Viewer, 'held' | 'heldOnAll'>;

/** Finds out what a caller may do with content, and refuses what they may not. */
@Injectable()
export class ContentRights {
  /** What users hold, and administrators with null in place of their ids. */
  private readonly remembered: ShortCache<Holdings>;

  constructor(
    @Inject(BUS) private readonly bus: Bus,
    private readonly items: ItemsRepository,
    @Inject(CONFIG) { credentialCacheMs }: ConfigOf<typeof accessSettings>,
  ) {
    const topics = ['control-plane.credential.changed', 'control-plane.deployment.changed'];
    this.remembered = new ShortCache<Holdings>(credentialCacheMs, { maximumEntries: 1_000 }).clearOn(bus, ...topics);
  }

  /**
   * Asks the control plane, and remembers the answer for as long as gateways remember credentials. An embed user is somebody who makes content: they
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
  look(from: Reader, who: Viewer, folderId: number): Promise<RankedItem>;
  look(from: Reader, who: Viewer, folderId: number | null): Promise<RankedItem | null>;
  async look(from: Reader, who: Viewer, folderId: number | null): Promise<RankedItem | null> {
    return folderId === null ? null : seen(await this.items.findFor(from, who, 'FOLDER', folderId), 'FOLDER');
  }

  /**
   * The item, locked until the transaction ends when `lock` says so.
   *
   * @throws AppError `….not_found` (404) when it is not there or not to be seen, `access.denied` (403) when it may be seen
   *   and the level is not held.
   */
  async require(from: Reader, who: Viewer, { type, id }: ItemRef, level: Level): Promise<RankedItem>;
  async require(tx: Transaction, who: Viewer, { type, id }: ItemRef, level: Level, lock: boolean): Promise<RankedItem>;
  async require(from: Reader, who: Viewer, { type, id }: ItemRef, level: Level, lock = false): Promise<RankedItem> {
    return granted(await this.items.findFor(from, who, type, id, lock), type, level);
  }

  private async userOf({ tenantId, userId, isAdmin }: Principal, deploymentId: number): Promise<Viewer> {
    const holderId = isAdmin ? null : userId;
    const ask = (): Promise<Holdings> => this.holdingsOf(tenantId, deploymentId, holderId);
    const holdings = (await this.remembered.resolve(`${tenantId}:${deploymentId}:${holderId}`, ask)) ?? (await ask());
    return { ...nobody(tenantId, deploymentId), ...holdings, userId, isAdmin };
  }

  private async holdingsOf(tenantId: number, deploymentId: number, userId: number | null): Promise<Holdings> {
    const asking = systemPrincipal(tenantId);
    if (userId !== null) {
      return holdingsIn((await this.bus.ask('describeContentRights', asking, { deploymentId, userId })).policies);
    }
    await this.bus.ask('describeDeployment', asking, { deploymentId });
    return holdingsIn([]);
  }
}

/** @throws AppError `access.denied` (403) for a session that is for one dashboard. */
export function requireWholeWorkspace({ embed }: Principal): void {
  if (embed && embed.publicDashboardId !== null)
    throw new AppError('access.denied', 'This session is for one dashboard alone');
}

/**
 * What was found, when the viewer whom it was found for holds the level on it.
 *
 * @throws AppError as {@link ContentRights.require} does
 */
export function granted<T extends RankedItem>(found: T | undefined, type: ItemType, level: Level): T {
  const item = seen(found, type);
  if (item.rank < rankOf(level)) throw new AppError('access.denied', `This needs the right to ${level} it`);
  return item;
}

function seen<T extends RankedItem>(found: T | undefined, type: ItemType): T {
  if (!found?.visible) throw itemNotFound(type);
  return found;
}

export function itemNotFound(type: ItemType): AppError {
  const [code, message] = notFound[type];
  return new AppError(code, message);
}

function holdingsIn(policies: readonly Schemas['ContentPolicy'][]): Holdings {
  const heldOnAll = { FOLDER: 0, WORKBOOK: 0, REPORT: 0 };
  const held = { itemIds: [] as number[], ranks: [] as number[] };
  for (const { resourceType, resourceId, level } of policies) {
    const kind = kinds[resourceType];
    if (resourceId === null) heldOnAll[kind] = Math.max(heldOnAll[kind], rankOf(level));
    else held.ranks[held.itemIds.push(resourceId) - 1] = rankOf(level);
  }
  return { held, heldOnAll };
}
