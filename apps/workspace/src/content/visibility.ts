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

const MANAGE = rankOf('manage');

/**
 * The one place that decides who may do what with content (ruling 25): owners and administrators everything; policies on the
 * item, on all items of its kind, and on whatever it lies in. What one owns holds for everything beneath, too.
 *
 * Queries name the item `i`, and number their own parameters after these.
 *
 * @param parent folder, or null for the root, in which all items of the query lie: what follows from it is the same for all
 *   of them and is not asked of each.
 */
export function rightsOf(viewer: Viewer, parent?: { rank: number } | null): RightsSql {
  const { deploymentId, userId, isAdmin, held } = viewer;
  const sql = isAdmin ? everything : parent === undefined ? anywhere(viewer) : within(viewer, parent?.rank ?? 0);
  return {
    // A parameter that no text mentions has no type, so that all of them are mentioned here.
    with: `with caller as (select $1::bigint as deployment_id, $2::bigint as user_id, $3::boolean as is_admin),
      held as (select id, rank from unnest($4::bigint[], $5::int[]) h(id, rank))${onTheWay(viewer)}`,
    ...sql,
    values: [deploymentId, userId, isAdmin, held.itemIds, held.ranks],
  };
}

type Decision = Pick<RightsSql, 'rank' | 'visible'>;

const everything: Decision = { rank: `${MANAGE}`, visible: 'true' };

/** Of items that may lie anywhere: asks everything that they lie in. */
function anywhere(viewer: Viewer): Decision {
  const owned = `exists (select from item o where o.id = any(i.path) and o.owner_id = $2)`;
  const around = `(select max(${rankOfKind(viewer, 'c')}) from item c where c.id = any(i.path))`;
  const policies = `(select max(h.rank) from held h where h.id = i.id or h.id = any(i.path))`;
  return {
    rank: `(case when i.owner_id = $2 or ${owned} then ${MANAGE}
      else greatest(0, ${rankOfKind(viewer, 'i')}, ${around}, ${policies}) end)`,
    visible: `(${anchored(viewer)} or i.path && $4::bigint[] or ${owned} or ${around} > 0 or ${leadsOn})`,
  };
}

/** Of items that lie in one place. */
function within(viewer: Viewer, inherited: number): Decision {
  const policies = `(select max(h.rank) from held h where h.id = i.id)`;
  return {
    rank: `(case when i.owner_id = $2 then ${MANAGE}
      else greatest(${inherited}, ${rankOfKind(viewer, 'i')}, ${policies}) end)`,
    visible: inherited > 0 ? 'true' : `(${anchored(viewer)} or ${leadsOn})`,
  };
}

/** Whether the viewer holds something on the item `i` itself. */
const anchored = (viewer: Viewer): string =>
  `(i.owner_id = $2 or i.id = any($4::bigint[]) or ${rankOfKind(viewer, 'i')} > 0)`;

const leadsOn = `i.type = 'FOLDER' and i.id in (select id from on_the_way)`;

const onTheWay = (viewer: Viewer): string =>
  viewer.isAdmin
    ? ''
    : `, on_the_way as materialized (
      select distinct unnest(i.path) as id from item i where i.deployment_id = $1 and ${anchored(viewer)}
    )`;

const rankOfKind = ({ heldOnAll }: Viewer, alias: string): string => `(case ${alias}.type ${kinds(heldOnAll)} end)`;

const kinds = (ranks: Readonly<Record<ItemType, number>>): string =>
  Object.entries(ranks)
    .map(([type, rank]) => `when '${type}' then ${rank}`)
    .join(' ');
