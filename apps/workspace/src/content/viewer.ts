import type { ItemType } from './item.entity';

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
}
