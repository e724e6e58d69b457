import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, PathOf, ReplyOf, Schemas } from '@plinth/contract';
import { Database, type Transaction } from '@plinth/database';
import { AppError, invalidRequest } from '@plinth/errors';
import {
  ContentRights,
  ContentTree,
  folderOrRoot,
  ItemsRepository,
  itemNotFound,
  ownedBy,
  rankOf,
  type Item,
  type RankedItem,
  type Unnamed,
  type Viewer,
} from '../content';
import { DraftsRepository } from '../dashboards/drafts.repository';
import { isSame, mergedMeta, sentMeta, type SentMeta } from './meta';
import { WorkbookViews } from './workbook-views.service';
import { WorkbooksRepository, type Meta } from './workbooks.repository';

/** What a change is made of; undefined stays as it is. */
interface Change {
  name: string | undefined;
  slug?: string | null | undefined;
  draft: SentMeta['draft'];
  /** What becomes of the metadata that a workbook has. */
  metaOf: (stored: Meta) => Meta;
}

type Step = () => Promise<void>;

type Workbook = Schemas['Workbook'];

@Injectable()
export class WorkbookWrites {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly rights: ContentRights,
    private readonly items: ItemsRepository,
    private readonly tree: ContentTree,
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
    return this.change(principal, viewer, (tx) => this.insert(tx, viewer, body, sent, null));
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
    // A slug that is taken would tell of content that they may not see.
    if (slug != null && viewer.embed) throw new AppError('access.denied', 'Embed users give no slugs');
    return this.change(principal, viewer, async (tx) => {
      const ref = { type: 'WORKBOOK' as const, id: workbookId };
      if (slug != null) await this.workbooks.lockSlug(tx, deploymentId, slug);
      const found = await this.rights.require(tx, viewer, ref, folderId === undefined ? 'edit' : 'manage');
      await this.move(tx, viewer, found, folderId);
      if (slug != null) await this.takeSlug(tx, viewer, found, slug, body.slugTakeover === true);
      const workbook = await this.rights.require(tx, viewer, ref, 'edit', true);
      const metaOf = (stored: Meta): Meta => meta ?? stored;
      return this.apply(tx, viewer, workbook, { name: nameIn(body), slug, draft, metaOf });
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
    return this.change(principal, viewer, async (tx) => {
      await this.workbooks.lockSlug(tx, deploymentId, slug);
      const id = await this.workbooks.idOfSlug(tx, deploymentId, slug);
      if (id === undefined) return this.insert(tx, viewer, body, sent, slug);
      const found = await this.holding(tx, viewer, id, slug, false);
      requireRank(found, folderId === undefined ? 'edit' : 'manage');
      await this.move(tx, viewer, found, folderId);
      const workbook = await this.holding(tx, viewer, id, slug, true);
      const metaOf = (stored: Meta): Meta => (sent.meta && body.meta ? mergedMeta(stored, sent.meta) : stored);
      return this.apply(tx, viewer, workbook, { name: nameIn(body), draft: sent.draft, metaOf });
    });
  }

  private async change(
    principal: Principal,
    viewer: Viewer,
    work: (tx: Transaction) => Promise<Unnamed<Workbook>>,
  ): Promise<Workbook> {
    return this.views.named(viewer, await this.database.mutate(principal, work), 'written');
  }

  private async insert(
    tx: Transaction,
    viewer: Viewer,
    { name, folderId }: Schemas['CreateWorkbookInput'],
    { meta = {}, draft = null }: SentMeta,
    slug: string | null,
  ): Promise<Unnamed<Workbook>> {
    const { tenantId, deploymentId } = viewer;
    const place = await this.tree.place(tx, viewer, folderOrRoot(folderId ?? null));
    const named = { type: 'WORKBOOK' as const, name: name?.trim() ?? 'Untitled' };
    const item = await this.items.insert(tx, { tenantId, deploymentId, ...ownedBy(viewer), ...named, ...place });
    await this.workbooks.insert(tx, item, { slug, meta, calculatedFields: {}, dashboardDraft: draft });
    return this.views.whole(tx, viewer, item);
  }

  /** What is as it shall be already is left alone, with the time of the last change. */
  private async apply(tx: Transaction, viewer: Viewer, item: RankedItem, change: Change): Promise<Unnamed<Workbook>> {
    const { name = item.name } = change;
    const steps = await this.edits(tx, item.id, change);
    for (const step of steps) await step();
    if (steps.length > 0 || name !== item.name)
      await this.items.update(tx, item.id, { name, updatedBy: viewer.userId });
    const after = await this.items.findFor(tx, viewer, 'WORKBOOK', item.id, false);
    if (!after) throw itemNotFound('WORKBOOK');
    return this.views.whole(tx, viewer, after);
  }

  private async edits(tx: Transaction, id: number, { slug, draft, metaOf }: Change): Promise<Step[]> {
    const stored = await this.workbooks.find(tx, id);
    if (!stored) throw itemNotFound('WORKBOOK');
    const meta = metaOf(stored.meta);
    return [
      ...when(slug !== undefined && slug !== stored.slug, () => this.workbooks.setSlug(tx, id, slug ?? null)),
      ...when(!isSame(meta, stored.meta), () => this.workbooks.setMeta(tx, id, meta)),
      ...when(draft !== undefined && !isSame(draft, stored.dashboardDraft), () =>
        this.drafts.save(tx, id, draft ?? null),
      ),
    ];
  }

  /** Before the workbook is locked: whoever moves things has the tree first. The folder is checked also when nothing moves. */
  private async move(tx: Transaction, viewer: Viewer, item: Item, folderId: number | null | undefined): Promise<void> {
    if (folderId === undefined) return;
    if (folderId !== item.parentId) await this.tree.move(tx, viewer, item, folderOrRoot(folderId));
    else if (folderId !== null) await this.rights.require(tx, viewer, { type: 'FOLDER', id: folderId }, 'edit');
  }

  /** From the workbook that has the slug, if another one has. */
  private async takeSlug(
    tx: Transaction,
    viewer: Viewer,
    { id, deploymentId }: Item,
    slug: string,
    takeover: boolean,
  ): Promise<void> {
    const holderId = await this.workbooks.idOfSlug(tx, deploymentId, slug);
    if (holderId === undefined || holderId === id) return;
    if (!takeover) throw new AppError('workbook.slug_taken', 'Another workbook has this slug already');
    await this.items.lock(tx, [id, holderId]);
    const holder = await this.items.findFor(tx, viewer, 'WORKBOOK', holderId, false);
    // Somebody may have deleted it before it was locked.
    if (!holder) return;
    requireRank(holder, 'edit');
    await this.workbooks.releaseSlug(tx, holderId, slug);
    await this.items.update(tx, holderId, { updatedBy: viewer.userId });
  }

  /** The workbook that has the slug; somebody may have deleted it or changed its slug since it was found. */
  private async holding(tx: Transaction, viewer: Viewer, id: number, slug: string, lock: boolean): Promise<RankedItem> {
    const item = await this.items.findFor(tx, viewer, 'WORKBOOK', id, lock);
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
