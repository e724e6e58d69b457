import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, PathOf, ReplyOf, Schemas } from '@plinth/contract';
import { Database, type Transaction } from '@plinth/database';
import { AppError, invalidRequest } from '@plinth/errors';
import {
  ContentRights,
  ItemsRepository,
  itemNotFound,
  rankOf,
  TreeRepository,
  type Item,
  type RankedItem,
  type Viewer,
} from '../content';
import { DraftsRepository } from '../dashboards/drafts.repository';
import { isSame, mergedMeta, sentMeta, type SentMeta } from './meta';
import { WorkbookViews } from './workbook-views.service';
import { WorkbooksRepository, type Meta } from './workbooks.repository';

/** What a change is made of; undefined stays as it is. */
interface Change {
  name: string | undefined;
  folderId: number | null | undefined;
  slug?: string | null | undefined;
  draft: SentMeta['draft'];
  /** What becomes of the metadata that a workbook has. */
  metaOf: (stored: Meta) => Meta;
}

type Step = () => Promise<void>;

@Injectable()
export class WorkbookWrites {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly rights: ContentRights,
    private readonly items: ItemsRepository,
    private readonly tree: TreeRepository,
    private readonly workbooks: WorkbooksRepository,
    private readonly drafts: DraftsRepository,
    private readonly views: WorkbookViews,
  ) {}

  async create(
    principal: Principal,
    { deploymentId }: PathOf<'createWorkbook'>,
    body: Schemas['CreateWorkbookInput'] = {},
  ): Promise<ReplyOf<'createWorkbook'>> {
    const sent = sentMeta(body.meta);
    const viewer = await this.rights.viewerOf(principal, deploymentId);
    return this.database.mutate(principal, async (tx) => {
      await this.tree.lock(tx, deploymentId, 'shared');
      return this.insert(tx, viewer, body, sent, null);
    });
  }

  async update(
    principal: Principal,
    { deploymentId, workbookId }: PathOf<'updateWorkbook'>,
    body: NonNullable<BodyOf<'updateWorkbook'>> = {},
  ): Promise<ReplyOf<'updateWorkbook'>> {
    const { meta, draft } = sentMeta(body.meta);
    const { folderId } = body;
    const slug = body.slug == null ? body.slug : slugOf(body.slug, '/body/slug');
    const viewer = await this.rights.viewerOf(principal, deploymentId);
    return this.database.mutate(principal, async (tx) => {
      if (folderId !== undefined) await this.tree.lock(tx, deploymentId, 'exclusive');
      const holderId = slug == null ? undefined : await this.holderOf(tx, deploymentId, slug, workbookId);
      const level = folderId === undefined ? 'edit' : 'manage';
      const workbook = await this.rights.require(tx, viewer, { type: 'WORKBOOK', id: workbookId }, level, true);
      if (holderId !== undefined) await this.takeSlug(tx, viewer, holderId, body.slugTakeover === true);
      const metaOf = (stored: Meta): Meta => meta ?? stored;
      return this.apply(tx, viewer, workbook, { name: nameIn(body), folderId, slug, draft, metaOf });
    });
  }

  async upsert(
    principal: Principal,
    { deploymentId, slug: asSent }: PathOf<'upsertWorkbookBySlug'>,
    body: Schemas['CreateWorkbookInput'] = {},
  ): Promise<ReplyOf<'upsertWorkbookBySlug'>> {
    const slug = slugOf(asSent, '/path/slug');
    const sent = sentMeta(body.meta);
    const { folderId } = body;
    const viewer = await this.rights.viewerOf(principal, deploymentId);
    return this.database.mutate(principal, async (tx) => {
      await this.tree.lock(tx, deploymentId, folderId === undefined ? 'shared' : 'exclusive');
      await this.workbooks.lockSlug(tx, deploymentId, slug);
      const id = await this.workbooks.idOfSlug(tx, deploymentId, slug);
      if (id === undefined) return this.insert(tx, viewer, body, sent, slug);
      const workbook = await this.holding(tx, viewer, id, slug);
      requireRank(workbook, folderId === undefined ? 'edit' : 'manage');
      const metaOf = (stored: Meta): Meta => (sent.meta && body.meta ? mergedMeta(stored, sent.meta) : stored);
      return this.apply(tx, viewer, workbook, { name: nameIn(body), folderId, draft: sent.draft, metaOf });
    });
  }

  private async insert(
    tx: Transaction,
    viewer: Viewer,
    { name, folderId }: Schemas['CreateWorkbookInput'],
    { meta = {}, draft = null }: SentMeta,
    slug: string | null,
  ): Promise<Schemas['Workbook']> {
    const { tenantId, deploymentId, userId: ownerId } = viewer;
    const folder = await this.destination(tx, viewer, folderId ?? null);
    const place = { parentId: folder?.id ?? null, path: folder ? [...folder.path, folder.id] : [] };
    const named = { type: 'WORKBOOK' as const, name: name?.trim() ?? 'Untitled' };
    const item = await this.items.insert(tx, { tenantId, deploymentId, ownerId, ...named, ...place });
    await this.workbooks.insert(tx, item, { slug, meta, calculatedFields: {}, dashboardDraft: draft });
    return this.views.whole(tx, viewer, item);
  }

  /** What is as it shall be already is left alone, with the time of the last change. */
  private async apply(tx: Transaction, viewer: Viewer, item: RankedItem, change: Change): Promise<Schemas['Workbook']> {
    const moving = await this.move(tx, viewer, item, change.folderId);
    const steps = [...(await this.edits(tx, item, change)), ...moving];
    for (const step of steps) await step();
    if (steps.length === 0) return this.views.whole(tx, viewer, item);
    await this.items.touch(tx, item.id, viewer.userId);
    const after = await this.items.findFor(tx, viewer, 'WORKBOOK', item.id, false);
    if (!after) throw itemNotFound('WORKBOOK');
    return this.views.whole(tx, viewer, after);
  }

  private async edits(tx: Transaction, { id, name: before }: Item, change: Change): Promise<Step[]> {
    const { name = before, slug, draft, metaOf } = change;
    const stored = await this.workbooks.find(tx, id);
    if (!stored) throw itemNotFound('WORKBOOK');
    const meta = metaOf(stored.meta);
    return [
      ...when(name !== before, () => this.items.rename(tx, id, name)),
      ...when(slug !== undefined && slug !== stored.slug, () => this.workbooks.setSlug(tx, id, slug ?? null)),
      ...when(!isSame(meta, stored.meta), () => this.workbooks.setMeta(tx, id, meta)),
      ...when(draft !== undefined && !isSame(draft, stored.dashboardDraft), () =>
        this.drafts.save(tx, id, draft ?? null),
      ),
    ];
  }

  /** Checked also when nothing has to move. */
  private async move(tx: Transaction, viewer: Viewer, item: Item, folderId: Change['folderId']): Promise<Step[]> {
    if (folderId === undefined) return [];
    const folder = await this.destination(tx, viewer, folderId);
    return when(folderId !== item.parentId, () => this.tree.place(tx, item, folder, viewer.userId));
  }

  private async destination(tx: Transaction, viewer: Viewer, id: number | null): Promise<RankedItem | null> {
    return id === null ? null : this.rights.require(tx, viewer, { type: 'FOLDER', id }, 'edit');
  }

  /** The other workbook that has a slug; it and the one that wants it are locked, in an order that all have. */
  private async holderOf(tx: Transaction, deploymentId: number, slug: string, id: number): Promise<number | undefined> {
    await this.workbooks.lockSlug(tx, deploymentId, slug);
    const holderId = await this.workbooks.idOfSlug(tx, deploymentId, slug);
    if (holderId === undefined || holderId === id) return undefined;
    await this.items.lock(tx, [id, holderId]);
    // The holder may have gone, or taken another slug, before it was locked.
    return this.workbooks.idOfSlug(tx, deploymentId, slug);
  }

  private async takeSlug(tx: Transaction, viewer: Viewer, holderId: number, takeover: boolean): Promise<void> {
    if (!takeover) throw new AppError('workbook.slug_taken', 'Another workbook has this slug already');
    const holder = await this.items.findFor(tx, viewer, 'WORKBOOK', holderId, false);
    if (holder) requireRank(holder, 'edit');
    await this.workbooks.setSlug(tx, holderId, null);
    await this.items.touch(tx, holderId, viewer.userId);
  }

  /** The workbook that has the slug, locked; somebody may have deleted it or changed its slug since it was found. */
  private async holding(tx: Transaction, viewer: Viewer, id: number, slug: string): Promise<RankedItem> {
    const item = await this.items.findFor(tx, viewer, 'WORKBOOK', id, true);
    if (item && (await this.workbooks.find(tx, id))?.slug === slug) return item;
    throw new AppError('upsert_branch_changed', 'Somebody else created or deleted the workbook meanwhile: try again');
  }
}

function requireRank({ rank }: RankedItem, level: 'edit' | 'manage'): void {
  if (rank < rankOf(level))
    throw new AppError('access.denied', `The workbook with this slug needs the right to ${level} it`);
}

const when = (isNeeded: boolean, step: Step): Step[] => (isNeeded ? [step] : []);

const nameIn = ({ name }: { name?: string | null }): string | undefined => name?.trim();

function slugOf(sent: string, pointer: string): string {
  const slug = sent.trim().toLowerCase();
  if (slug === '') throw invalidRequest(pointer, 'must not be blank');
  return slug;
}
