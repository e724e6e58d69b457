import type { Schemas } from '@plinth/contract';
import type { DashboardComment } from './dashboard-comment.entity';

/** The comment as the contract has it for one of its readers. */
export const toContractComment = (
  comment: DashboardComment,
  readerId: number,
): Schemas['EmbedDashboardCommentDto'] => ({
  id: comment.id,
  dashboardId: String(comment.dashboardId),
  body: comment.body,
  userId: comment.authorId,
  isOwn: comment.authorId === readerId,
  createdAt: comment.createdAt.toISOString(),
  editedAt: comment.editedAt?.toISOString() ?? null,
  removedAt: comment.removedAt?.toISOString() ?? null,
});

/** The thread as the contract has it for one of its readers. */
export const toContractThread = (
  root: DashboardComment,
  replies: readonly DashboardComment[],
  readerId: number,
): Schemas['EmbedDashboardCommentThreadDto'] => ({
  root: toContractComment(root, readerId),
  replies: replies.map((reply) => toContractComment(reply, readerId)),
  resolvedAt: root.resolvedAt?.toISOString() ?? null,
  resolvedBy: root.resolvedAt && root.authorId,
});
