import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf, Schemas } from '@plinth/contract';
import { Database, recordAction, type Step, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import {
  ContentRights,
  ContentTree,
  folderOrRoot,
  People,
  type ItemRef,
  type ItemType,
  type Unnamed,
  type Viewer,
} from '../content';
import { FeedItems, type FeedItem } from './feed-items.service';

type Failure = Schemas['WorkspaceBulkFailure'];

/** What the audit log says of each thing, as of one that was deleted alone. */
const deletions: Readonly<Record<ItemType, { event: string; target: string }>> = {
  FOLDER: { event: 'Deleted folder', target: 'folderId' },
  WORKBOOK: { event: 'Deleted workbook', target: 'workbookId' },
  REPORT: { event: 'Deleted report', target: 'reportId' },
};

/** Moves and deletes things of all kinds, one or many. */
@Injectable()
export class WorkspaceChanges {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly rights: ContentRights,
    private readonly tree: ContentTree,
    private readonly feedItems: FeedItems,
    private readonly people: People,
  ) {}

  async move(
    principal: Principal,
    deploymentId: number,
    { type, id, folderId = null }: BodyOf<'moveWorkspaceObject'>,
  ): Promise<ReplyOf<'moveWorkspaceObject'>> {
    const who = await this.rights.viewerOf(principal, deploymentId);
    const moved = await this.database.mutate(principal, (tx) => this.moved(tx, who, { type, id }, folderId));
    const [item] = await this.people.name(who, [moved], 'written');
    return item as FeedItem;
  }

  async moveAll(
    principal: Principal,
    deploymentId: number,
    { items, folderId = null }: BodyOf<'bulkMoveWorkspaceObjects'>,
  ): Promise<ReplyOf<'bulkMoveWorkspaceObjects'>> {
    const who = await this.rights.viewerOf(principal, deploymentId);
    const { moved, failed } = await this.database.mutateInSteps(principal, async (step) => {
      const { done, failed: refused } = await forEach(step, items, async (tx, ref) => {
        const item = await this.moved(tx, who, ref, folderId);
        recordAction(tx, principal, {
          event: 'Moved workspace item',
          deploymentId,
          attributes: { ...ref, folderId },
        });
        return item;
      });
      return { moved: done, failed: refused };
    });
    return { moved: await this.people.name(who, moved, 'written'), failed };
  }

  async deleteAll(
    principal: Principal,
    deploymentId: number,
    { items }: BodyOf<'bulkDeleteWorkspaceObjects'>,
  ): Promise<ReplyOf<'bulkDeleteWorkspaceObjects'>> {
    const who = await this.rights.viewerOf(principal, deploymentId);
    return this.database.mutateInSteps(principal, async (step) => {
      const { done: deleted, failed } = await forEach(step, items, async (tx, ref) => {
        await this.tree.remove(tx, who, ref);
        const { event, target } = deletions[ref.type];
        recordAction(tx, principal, { event, deploymentId, attributes: { [target]: ref.id } });
        return ref;
      });
      return { deleted, failed };
    });
  }

  private async moved(tx: Transaction, who: Viewer, ref: ItemRef, folderId: number | null): Promise<Unnamed<FeedItem>> {
    const [item] = await this.feedItems.describe(tx, who, [await this.tree.move(tx, who, ref, folderOrRoot(folderId))]);
    return item as Unnamed<FeedItem>;
  }
}

/** One transaction for each thing, in the order of the request; a refusal concerns its thing alone. */
async function forEach<T>(
  step: Step,
  items: readonly ItemRef[],
  work: (tx: Transaction, ref: ItemRef) => Promise<T>,
): Promise<{ done: T[]; failed: Failure[] }> {
  const distinct = new Map(items.map(({ type, id }) => [`${type} ${id}`, { type, id }]));
  const [done, failed]: [T[], Failure[]] = [[], []];
  for (const ref of distinct.values()) {
    try {
      done.push(await step((tx) => work(tx, ref)));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      failed.push({ ...ref, error: { status: error.status, message: error.message } });
    }
  }
  return { done, failed };
}
