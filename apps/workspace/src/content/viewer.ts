import type { EmbedCaller, Principal } from '@plinth/auth';
import { AppError } from '@plinth/errors';
import type { Item, ItemType } from './item.entity';

/** What one may do with a thing; each level includes those before it. */
export const levels = ['read', 'edit', 'manage'] as const;
export type Level = (typeof levels)[number];

/** As SQL compares it: 1 for `read` to 3 for `manage`. */
export const rankOf = (level: Level): number => levels.indexOf(level) + 1;

/** Whoever asks, with all that gives rights on content but ownership, which the database knows. */
export interface Viewer {
  tenantId: number;
  deploymentId: number;
  /** Null for the platform itself. */
  userId: number | null;
  /** May do everything with everything. */
  isAdmin: boolean;
  /** Rank on single things. */
  held: { itemIds: readonly number[]; ranks: readonly number[] };
  /** Rank on all things of a kind; 0 for none. */
  heldOnAll: Readonly<Record<ItemType, number>>;
  /** Of embed users alone, who hold nothing else. */
  embed?: EmbedViewer;
}

/** How embed users look at content: they read what is shared with them, and may do everything with what they own. */
export interface EmbedViewer {
  /** Null for all of an embed tenant together, who own nothing. */
  userId: number | null;
  /** Null for those of no embed tenant: what is shared with all embed users is theirs, too. */
  tenantName: string | null;
  /** Groups of the embed tenant whose shares are theirs, too. */
  groupIds: readonly number[];
  /** Which shares count: all of them, or those of things that embed users have made. */
  shares: 'all' | 'of embed users';
}

/** Who an item belongs to: a user of the account, an embed user, or the platform itself. */
export type Ownership = Pick<Item, 'ownerId' | 'embedOwnerId' | 'embedTenantName'>;

/** Of what the viewer makes. */
export const ownedBy = ({ userId, embed }: Viewer): Ownership => ({
  ownerId: userId,
  embedOwnerId: embed?.userId ?? null,
  embedTenantName: embed?.userId == null ? null : embed.tenantName,
});

/** Somebody who holds nothing. */
export const nobody = (tenantId: number, deploymentId: number): Viewer => ({
  tenantId,
  deploymentId,
  userId: null,
  isAdmin: false,
  held: { itemIds: [], ranks: [] },
  heldOnAll: { FOLDER: 0, WORKBOOK: 0, REPORT: 0 },
});

type EmbedUser = Principal & { embed: EmbedCaller & { embedUserId: number } };

/** False of a user of the account in an embed session, who has the rights that they always have. */
export const isEmbedUser = (principal: Principal): principal is EmbedUser => principal.embed?.embedUserId != null;

/** @throws AppError `deployment.not_found` (404) for another deployment than that of the session. */
export function embedViewerOf(
  { tenantId, embed }: EmbedUser,
  deploymentId: number,
  shares: EmbedViewer['shares'],
): Viewer {
  if (deploymentId !== embed.deploymentId) throw new AppError('deployment.not_found', 'There is no such deployment');
  const { embedUserId: userId, embedTenantName: tenantName, groupIds } = embed;
  return { ...nobody(tenantId, deploymentId), embed: { userId, tenantName, groupIds, shares } };
}

/** All of an embed tenant, or with null all embed users, with everything that is shared with them. */
export const audience = (tenantId: number, deploymentId: number, tenantName: string | null): Viewer => ({
  ...nobody(tenantId, deploymentId),
  embed: { userId: null, tenantName, groupIds: [], shares: 'all' },
});
