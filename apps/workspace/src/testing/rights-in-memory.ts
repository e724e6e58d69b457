import type { Item } from '../content/item.entity';
import { rankOf, type Viewer } from '../content/viewer';

/** An item with those whom it is shared with. */
export type SharedItem = Pick<Item, 'id' | 'type' | 'path' | 'ownerId' | 'embedOwnerId' | 'embedTenantName'> & {
  shares: ({ embedTenantName: string | null } | { groupId: number } | { embedUserId: number })[];
};

/** The rules of content, one item after another: rank of each item that the viewer sees, by its id. */
export function rightsInMemory(items: readonly SharedItem[], who: Viewer): Record<number, number> {
  const byId = new Map(items.map((item) => [item.id, item]));
  const lineOf = (item: SharedItem) => [...item.path.flatMap((id) => byId.get(id) ?? []), item];
  const ranks = new Map(items.map((item) => [item.id, Math.max(...lineOf(item).map((each) => ownRank(each, who)))]));
  const seen = (item: SharedItem): boolean =>
    who.isAdmin ||
    (ranks.get(item.id) ?? 0) > 0 ||
    (item.type === 'FOLDER' && items.some(({ id, path }) => path.includes(item.id) && (ranks.get(id) ?? 0) > 0));
  return Object.fromEntries(
    items.filter(seen).map(({ id }) => [id, who.isAdmin ? rankOf('manage') : ranks.get(id)]),
  ) as Record<number, number>;
}

/** What the viewer holds on the item itself. */
function ownRank(item: SharedItem, { userId, embed, held, heldOnAll }: Viewer): number {
  const isOwner = embed ? isSame(item.embedOwnerId, embed.userId) : isSame(item.ownerId, userId);
  if (isOwner) return rankOf('manage');
  const ofKind = item.embedOwnerId === null ? heldOnAll[item.type] : 0;
  const named = held.itemIds.map((id, place) => (id === item.id ? (held.ranks[place] ?? 0) : 0));
  return Math.max(0, ofKind, ...named, isSharedWith(item, embed) ? rankOf('read') : 0);
}

function isSharedWith({ shares, embedOwnerId }: SharedItem, embed: Viewer['embed']): boolean {
  if (!embed) return false;
  return shares.some((share) => {
    if ('groupId' in share) return embed.groupIds.includes(share.groupId);
    if ('embedUserId' in share) return share.embedUserId === embed.userId;
    const counts = embed.shares === 'all' || embedOwnerId !== null;
    return counts && (share.embedTenantName === null || share.embedTenantName === embed.tenantName);
  });
}

const isSame = (one: number | null, other: number | null): boolean => one !== null && one === other;
