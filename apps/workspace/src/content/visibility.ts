import type { ItemType } from './item.entity';
import { rankOf, type EmbedViewer, type Viewer } from './viewer';

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

const [READ, MANAGE] = [rankOf('read'), rankOf('manage')];

/**
 * Where all items of a query lie: `in folders` says that no report of a workbook is among them, for lists of many; a parent is
 * the folder that all lie in, or null for the root.
 */
export type Whereabouts = 'anywhere' | 'in folders' | { parent: { rank: number } | null };

/**
 * The one place that decides who may do what with content (ruling 25): owners and administrators everything; policies on the
 * item, on all items of its kind, and on whatever it lies in. What one owns holds for everything beneath, too. Embed users
 * read what is shared with them; what they own is for them and administrators, and for those to whom a policy names it.
 *
 * Queries name the item `i`, and number their own parameters after these.
 *
 * @param where the items of the query lie.
 */
export function rightsOf(viewer: Viewer, where: Whereabouts = 'anywhere'): RightsSql {
  const { deploymentId, userId, isAdmin, held, embed } = viewer;
  const sql = isAdmin ? everything : decisionOn(viewer, where);
  return {
    // A parameter that no text mentions has no type, so that all of them are mentioned here.
    with: `with caller as (
        select $1::bigint as deployment_id, $2::bigint as user_id, $3::bigint as embed_user_id, $6::text as embed_tenant_name
      ),
      held as (select id, rank from unnest($4::bigint[], $5::int[]) h(id, rank)${embed ? ` union all ${shares(embed)}` : ''}
      )${embed ? own : ''}${onTheWay(viewer)}${where === 'in folders' && !isAdmin ? reach(viewer) : ''}`,
    ...sql,
    values: [deploymentId, userId, embed?.userId ?? null, held.itemIds, held.ranks, embed?.tenantName ?? null],
  };
}

type Decision = Pick<RightsSql, 'rank' | 'visible'>;

const everything: Decision = { rank: `${MANAGE}`, visible: 'true' };

function decisionOn(viewer: Viewer, where: Whereabouts): Decision {
  if (where === 'anywhere') return anywhere(viewer);
  return where === 'in folders' ? inFolders(viewer) : within(viewer, where.parent?.rank ?? 0);
}

/** Of items that may lie anywhere: asks everything that each of them lies in. */
function anywhere(viewer: Viewer): Decision {
  const owned = liesInOwn(viewer);
  const around = kindsHeld(viewer) && `(select max(${rankOfKind(viewer, 'c')}) from item c where c.id = any(i.path))`;
  const policies = `(select max(h.rank) from held h where h.id = i.id or h.id = any(i.path))`;
  return {
    rank: `(case when ${isOwner(viewer, 'i')} or ${owned} then ${MANAGE}
      else greatest(0, ${rankOfKind(viewer, 'i')}, ${around || 0}, ${policies}) end)`,
    visible: `(${anchored(viewer)} or i.path && ${heldIds(viewer)} or ${owned} ${around && `or ${around} > 0`} or ${leadsOn})`,
  };
}

/** Of many items: the folders that they have something of are found once, and each item is asked for the folder that it lies in. */
function inFolders(viewer: Viewer): Decision {
  const beneath = 'i.parent_id in (select id from reach)';
  return { rank: anywhere(viewer).rank, visible: `(${anchored(viewer)} or ${beneath} or ${leadsOn})` };
}

/** Of items that lie in one place: what follows from it is the same for all of them and is not asked of each. */
function within(viewer: Viewer, inherited: number): Decision {
  const policies = `(select max(h.rank) from held h where h.id = i.id)`;
  return {
    rank: `(case when ${isOwner(viewer, 'i')} then ${MANAGE}
      else greatest(${inherited}, ${rankOfKind(viewer, 'i')}, ${policies}) end)`,
    visible: inherited > 0 ? 'true' : `(${anchored(viewer)} or ${leadsOn})`,
  };
}

/** Whether the viewer holds something on the item `i` itself: each part of it has an index. */
function anchored(viewer: Viewer): string {
  const kinds = kindsHeld(viewer);
  const ofKind = kinds && ` or i.type in (${kinds}) and i.embed_owner_id is null`;
  return `(${isOwner(viewer, 'i')} or i.id = any(${heldIds(viewer)})${ofKind})`;
}

const isOwner = ({ embed }: Viewer, alias: string): string =>
  embed ? `${alias}.embed_owner_id = $3` : `${alias}.owner_id = $2`;

/** Embed users have few things, often in a large deployment: an array of them is less work than a look at each path. */
const liesInOwn = (viewer: Viewer): string =>
  viewer.embed
    ? 'i.path && array(select id from own)'
    : `exists (select from item o where o.id = any(i.path) and ${isOwner(viewer, 'o')})`;

const own = `, own as materialized (
    select o.id from item o where o.deployment_id = $1 and o.embed_owner_id = $3 and o.type <> 'REPORT'
  )`;

/** What is shared with embed users is known to the database alone; an array that is made first leaves indexes their use. */
const heldIds = ({ embed }: Viewer): string => (embed ? 'array(select id from held)' : '$4::bigint[]');

const shares = ({ shares: counting }: EmbedViewer): string => `
  select s.item_id, ${READ} from embed_share s
  where s.deployment_id = $1 and (s.embed_tenant_name = $6 or s.embed_tenant_name is null) ${
    counting === 'all' ? '' : 'and exists (select from item o where o.id = s.item_id and o.embed_owner_id is not null)'
  }`;

/** The kinds of which the viewer holds something on all items, as SQL lists them; empty for none. */
const kindsHeld = ({ heldOnAll }: Viewer): string =>
  Object.entries(heldOnAll)
    .filter(([, rank]) => rank > 0)
    .map(([type]) => `'${type}'`)
    .join(', ');

const leadsOn = `i.type = 'FOLDER' and i.id in (select id from on_the_way)`;

const onTheWay = (viewer: Viewer): string =>
  viewer.isAdmin
    ? ''
    : `, on_the_way as materialized (
      select distinct unnest(i.path) as id from item i where i.deployment_id = $1 and ${anchored(viewer)}
    )`;

/** Folders of which the viewer holds something, with all folders beneath. */
const reach = (viewer: Viewer): string => `, anchors as materialized (
      select i.id from item i where i.deployment_id = $1 and i.type = 'FOLDER' and ${anchored(viewer)}
    ), reach as materialized (
      select id from anchors union all
      select i.id from item i where i.deployment_id = $1 and i.type = 'FOLDER' and i.path && array(select id from anchors)
    )`;

/** What is held on all of a kind does not reach what embed users own. */
const rankOfKind = ({ heldOnAll }: Viewer, alias: string): string =>
  `(case when ${alias}.embed_owner_id is null then case ${alias}.type ${kinds(heldOnAll)} end else 0 end)`;

const kinds = (ranks: Readonly<Record<ItemType, number>>): string =>
  Object.entries(ranks)
    .map(([type, rank]) => `when '${type}' then ${rank}`)
    .join(' ');
