import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, QueryOf, ReplyOf } from '@plinth/contract';
import { byId, Database, keysetList, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { Commenters, type Commenter } from './commenters.service';
import { CommentsRepository, type ThreadFilter } from './comments.repository';
import { toContractComment, toContractThread } from './contract-comment';
import type { DashboardComment } from './dashboard-comment.entity';

/** A comment as the path of a request names it. */
interface CommentPath {
  publicId: string;
  commentId: number;
}

/** Of one thread. */
const MOST_REPLIES = 500;
/** What one page holds; a thread alone may have more. */
const PAGE_BYTES = 2 << 20;
const PAGE_COMMENTS = 2_000;

/** Threads of embed tenants on dashboards. Every transaction holds the embed tenant before a thread of it. */
@Injectable()
export class CommentsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly commenters: Commenters,
    private readonly comments: CommentsRepository,
  ) {}

  async list(
    principal: Principal,
    publicId: string,
    query: QueryOf<'listDashboardComments'>,
  ): Promise<ReplyOf<'listDashboardComments'>> {
    const { userId, place } = await this.commenters.of(principal, publicId);
    const filter = filterIn(query);
    const { items: roots, pageInfo } = await keysetList(query, {
      name: 'dashboard-comments',
      filters: { ...place, ...filter },
      positionOf: byId,
      read: (limit, [beforeId]) =>
        this.inTransaction(principal, (tx) => this.comments.listThreads(tx, place, filter, limit, beforeId)),
      roomFor: roomForThreads,
    });
    const ids = roots.filter(({ replyCount }) => replyCount > 0).map(({ id }) => id);
    const replies = await this.inTransaction(principal, (tx) => this.comments.listReplies(tx, ids));
    const items = roots.map((root) => {
      const ofThread = replies.filter(({ rootId }) => rootId === root.id);
      return toContractThread(root, ofThread, userId);
    });
    return { items, pageInfo };
  }

  async create(
    principal: Principal,
    publicId: string,
    { body, parentId }: BodyOf<'createDashboardComment'>,
  ): Promise<ReplyOf<'createDashboardComment'>> {
    const commenter = await this.commenters.of(principal, publicId);
    const { userId: authorId, place } = commenter;
    return this.write(commenter, async (tx) => {
      const root = parentId == null ? undefined : await this.threadFor(tx, commenter, parentId);
      if (root?.removedAt) throw commentNotFound();
      if (root && root.replyCount >= MOST_REPLIES) throw tooManyReplies();
      const id = await this.comments.insert(tx, place, { rootId: root?.id ?? null, authorId, body });
      await this.comments.measure(tx, root?.id ?? id);
      return this.described(tx, commenter, id);
    });
  }

  async update(
    principal: Principal,
    { publicId, commentId }: CommentPath,
    { body }: BodyOf<'updateDashboardComment'>,
  ): Promise<ReplyOf<'updateDashboardComment'>> {
    const commenter = await this.commenters.of(principal, publicId);
    return this.write(commenter, async (tx) => {
      const { id, rootId } = await this.ownFor(tx, commenter, commentId);
      await this.comments.setBody(tx, id, body);
      await this.comments.measure(tx, rootId ?? id);
      return this.described(tx, commenter, id);
    });
  }

  async remove(principal: Principal, { publicId, commentId }: CommentPath): Promise<ReplyOf<'removeDashboardComment'>> {
    const commenter = await this.commenters.of(principal, publicId);
    return this.write(commenter, async (tx) => {
      const { id, rootId } = await this.ownFor(tx, commenter, commentId);
      await this.comments.remove(tx, id);
      await this.comments.measure(tx, rootId ?? id);
      return {};
    });
  }

  async setResolved(
    principal: Principal,
    { publicId, commentId }: CommentPath,
    { resolved }: BodyOf<'setDashboardCommentResolved'>,
  ): Promise<ReplyOf<'setDashboardCommentResolved'>> {
    const commenter = await this.commenters.of(principal, publicId);
    return this.write(commenter, async (tx) => {
      const { id, authorId } = await this.threadFor(tx, commenter, commentId);
      if (authorId !== commenter.userId) throw notOwn('Only who has opened a thread resolves it');
      await this.comments.setResolved(tx, id, resolved);
      const replies = await this.comments.listReplies(tx, [id]);
      return toContractThread(await this.existing(tx, commenter, id), replies, commenter.userId);
    });
  }

  private inTransaction<T>({ tenantId }: Principal, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.database.transaction(tenantId, work);
  }

  private write<Reply>(commenter: Commenter, work: (tx: Transaction) => Promise<Reply>): Promise<Reply> {
    return this.database.mutate(commenter.principal, async (tx) => {
      await this.commenters.hold(tx, commenter);
      return work(tx);
    });
  }

  /** The thread, in which nobody else writes meanwhile. @throws AppError `comment.is_reply` (400) */
  private async threadFor(tx: Transaction, commenter: Commenter, id: number): Promise<DashboardComment> {
    if ((await this.held(tx, commenter, id)).rootId === null) return this.existing(tx, commenter, id);
    throw new AppError('comment.is_reply', 'The comment is a reply: name the one that opened the thread');
  }

  /** A comment of the caller's own that is there. @throws AppError `comment.not_own` (403) */
  private async ownFor(tx: Transaction, commenter: Commenter, id: number): Promise<DashboardComment> {
    await this.held(tx, commenter, id);
    const comment = await this.existing(tx, commenter, id);
    if (comment.removedAt) throw commentNotFound();
    if (comment.authorId !== commenter.userId) throw notOwn('The comment belongs to somebody else');
    return comment;
  }

  private async held(tx: Transaction, commenter: Commenter, id: number): Promise<DashboardComment> {
    const comment = await this.existing(tx, commenter, id);
    await this.comments.holdThread(tx, comment.rootId ?? comment.id);
    return comment;
  }

  /** @throws AppError `comment.not_found` (404), also for comments of other embed tenants and on other dashboards */
  private async existing(tx: Transaction, { place }: Commenter, id: number): Promise<DashboardComment> {
    const comment = await this.comments.find(tx, place, id);
    if (!comment) throw commentNotFound();
    return comment;
  }

  private async described(
    tx: Transaction,
    commenter: Commenter,
    id: number,
  ): Promise<ReplyOf<'createDashboardComment'>> {
    return toContractComment(await this.existing(tx, commenter, id), commenter.userId);
  }
}

const filterIn = ({ includeResolved, resolvedOnly }: QueryOf<'listDashboardComments'>): ThreadFilter => ({
  open: resolvedOnly !== true,
  resolved: includeResolved === true || resolvedOnly === true,
});

function roomForThreads(roots: readonly DashboardComment[]): number {
  let [bytes, comments] = [0, 0];
  const full = roots.findIndex(({ threadBytes, replyCount }) => {
    bytes += threadBytes;
    comments += replyCount + 1;
    return bytes > PAGE_BYTES || comments > PAGE_COMMENTS;
  });
  return full < 0 ? roots.length : Math.max(full, 1);
}

const commentNotFound = (): AppError => new AppError('comment.not_found', 'The dashboard has no such comment');

const notOwn = (message: string): AppError => new AppError('comment.not_own', message);

const tooManyReplies = (): AppError =>
  new AppError('comment.too_many_replies', `The thread has ${MOST_REPLIES} replies: open another one`);
