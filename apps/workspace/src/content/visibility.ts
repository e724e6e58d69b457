import type { ItemType } from './item.entity';
import { rankOf, type Viewer } from './viewer';

/** SQL with the values of its parameters, which begin at `$1`. */
export interface RightsSql {
  /** Common table expressions, with the word `with`. */
  with: string;
  /** Rank of the viewer on the item `i`: 0 when they hold nothing on it, 3 when they may do everything. */
  rank: string;
  /** Whether the item `i` is shown: readable, or a folder on the way to something readable. */
  visible: string;
  values: unknown[];
}

/**
 * The one place that decides who may do what with content (ruling 25): owners and administrators everything; policies on the
 * item, on all items of its kind, and on whatever it lies in. What one owns holds for everything beneath, too.
 *
 * Queries name the item `i`, and number their own parameters after these.
 */
export function rightsOf({ deploymentId, userId, isAdmin, held, heldOnAll }: Viewer): RightsSql {
  const rankOfKind = (alias: string): string => `(case ${alias}.type ${kinds(heldOnAll)} end)`;
  const owned = `exists (select from item o where o.id = any(i.path) and o.owner_id = $2)`;
  const around = `(select max(${rankOfKind('c')}) from item c where c.id = any(i.path))`;
  const policies = `(select max(h.rank) from unnest($4::bigint[], $5::int[]) h(id, rank) where h.id = i.id or h.id = any(i.path))`;
  const manage = rankOf('manage');
  return {
    with: `with on_the_way as materialized (
      select distinct unnest(i.path) as id from item i
      where not $3 and i.deployment_id = $1
        and (i.owner_id = $2 or i.id = any($4::bigint[]) or ${rankOfKind('i')} > 0)
    )`,
    rank: `(case when $3 or i.owner_id = $2 or ${owned} then ${manage}
      else greatest(0, ${rankOfKind('i')}, ${around}, ${policies}) end)`,
    visible: `($3 or i.owner_id = $2 or ${rankOfKind('i')} > 0 or i.id = any($4::bigint[]) or i.path && $4::bigint[]
      or ${owned} or ${around} > 0 or i.type = 'FOLDER' and i.id in (select id from on_the_way))`,
    values: [deploymentId, userId, isAdmin, held.itemIds, held.ranks],
  };
}

const kinds = (ranks: Readonly<Record<ItemType, number>>): string =>
  Object.entries(ranks)
    .map(([type, rank]) => `when '${type}' then ${rank}`)
    .join(' ');
