import type { ItemType } from './item.entity';
import { rankOf, type EmbedViewer, type Viewer } from './viewer';

/** SQL with the values of its parameters, which begin at `$1`. */
export interface RightsSql {
  /** Common table expressions, with the words `with recursive`. */
  with: string;
  /** Rank of the viewer on the item `i`: 0 when they hold nothing on it, 3 when they may do everything. */
  rank: string;
  /** Whether the item `i` is shown: readable, or a folder on the way to something readable. */
  visible: string;
  /** Whether the viewer holds something on the item `i` itself, wherever it lies. */
  anchored: string;
  values: unknown[];
}

const [READ, MANAGE] = [rankOf('read'), rankOf('manage')];

/**
 * Where all items of a query lie: `anywhere` is for few of them, the next two are for lists of many. `in folders` says that no
 * report of a workbook is among them. A parent is the folder that all lie in, or null for the root.
 */
export type Whereabouts = 'anywhere' | 'throughout' | 'in folders' | { parent: { rank: number } | null };

/**
 * The one place that decides who may do what with content (ruling 25): owners and administrators everything; policies on the
 * item, on all items of its kind, and on whatever it lies in. What one owns holds for everything beneath, too. Embed users
 * read what is shared with them, their embed tenant or a group of it; what they own is for them and administrators, and for
 * those to whom a policy names it.
 *
 * Queries name the item `i`, and number their own parameters after these.
 *
 * @param where the items of the query lie.
 */
export function rightsOf(viewer: Viewer, where: Whereabouts = 'anywhere'): RightsSql {
  const { isAdmin, embed } = viewer;
  const sql = isAdmin ? everything : decisionOn(viewer, where);
  return {
    // A parameter that no text mentions has no type, so that all of them are mentioned here.
    with: `with recursive caller as (
        select $1::bigint as deployment_id, $2::bigint as user_id, $3::bigint as embed_user_id,
          $6::text as embed_tenant_name, $7::bigint[] as embed_group_ids
      ),
      held as (select id, rank from unnest($4::bigint[], $5::int[]) h(id, rank)${embed ? ` union all ${shares(embed)}` : ''}
      )${embed ? own : ''}${onTheWay(viewer)}${isAdmin ? '' : reach(viewer, where)}`,
    ...sql,
    anchored: isAdmin ? 'true' : anchored(viewer),
    values: valuesOf(viewer),
  };
}

const valuesOf = ({ deploymentId, userId, held, embed }: Viewer): unknown[] => {
  const { userId: embedUserId, tenantName, groupIds } = embed ?? { userId: null, tenantName: null, groupIds: [] };
  return [deploymentId, userId, embedUserId, held.itemIds, held.ranks, tenantName, groupIds];
};

type Decision = Pick<RightsSql, 'rank' | 'visible'>;

const everything: Decision = { rank: `${MANAGE}`, visible: 'true' };

function decisionOn(viewer: Viewer, where: Whereabouts): Decision {
  if (typeof where === 'object') return within(viewer, where.parent?.rank ?? 0);
  return asksReach(viewer, where) ? listed(viewer) : anywhere(viewer);
}

/** Of items that may lie anywhere: asks everything that each of them lies in. */
function anywhere(viewer: Viewer): Decision {
  const owned = liesInOwn(viewer);
  const around = kindsHeld(viewer) && `(select max(${rankOfKind(viewer, 'c')}) from item c where c.id = any(i.path))`;
  const policies = viewer.embed
    ? `(case when ${isHeld} or i.path && ${heldIds} then ${READ} end)`
    : `(select max(h.rank) from held h where h.id = i.id or h.id = any(i.path))`;
  return {
    rank: `(case when ${isOwner(viewer, 'i')} or ${owned} then ${MANAGE}
      else greatest(0, ${rankOfKind(viewer, 'i')}, ${around || 0}, ${policies}) end)`,
    visible: `(${holds(viewer)} or i.path && ${heldIds} or ${owned} ${around && `or ${around} > 0`} or ${leadsOn(viewer)})`,
  };
}

/** Of many items: what they have something of is found once, with all that it holds, and each item is asked what it lies in. */
function listed(viewer: Viewer): Decision {
  const beneath = isOneOf(viewer, 'i.parent_id', 'reach');
  return { rank: anywhere(viewer).rank, visible: `(${holds(viewer)} or ${beneath} or ${leadsOn(viewer)})` };
}

/** Of items that lie in one place: what follows from it is the same for all of them and is not asked of each. */
function within(viewer: Viewer, inherited: number): Decision {
  const policies = viewer.embed
    ? `(case when ${isHeld} then ${READ} end)`
    : `(select max(h.rank) from held h where h.id = i.id)`;
  return {
    rank: `(case when ${isOwner(viewer, 'i')} then ${MANAGE}
      else greatest(${inherited}, ${rankOfKind(viewer, 'i')}, ${policies}) end)`,
    visible: inherited > 0 ? 'true' : `(${holds(viewer)} or ${leadsOn(viewer)})`,
  };
}

/** Whether the viewer holds something on the item `i` itself: each part of it has an index. */
const anchored = (viewer: Viewer): string => holds(viewer, `i.id = any(${heldIds})`);

/** The same, to ask it of each item of a list: PostgreSQL hashes ids that it is given, and can find by them, too. */
function holds(viewer: Viewer, held = `i.id = any(${viewer.embed ? heldIds : '$4::bigint[]'})`): string {
  const kinds = kindsHeld(viewer);
  const ofKind = kinds && ` or i.type in (${kinds}) and i.embed_owner_id is null`;
  return `(${isOwner(viewer, 'i')} or ${held}${ofKind})`;
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

/**
 * An array that is made first leaves indexes their use, and the planner, which else looks at every id for every index, its
 * time: with a hundred ids planning took longer than all the rest.
 */
const heldIds = 'array(select id from held)';

const shares = ({ shares: counting }: EmbedViewer): string => `
  select s.item_id, ${READ} from embed_share s
  where s.deployment_id = $1 and (s.embed_tenant_name = $6 or s.embed_tenant_name is null) ${
    counting === 'all' ? '' : 'and (select o.embed_owner_id from item o where o.id = s.item_id) is not null'
  }
  union all
  select s.item_id, ${READ} from content_share s
  where s.deployment_id = $1 and (s.embed_user_id = $3 or s.group_id = any($7::bigint[]))`;

/** The kinds of which the viewer holds something on all items, as SQL lists them; empty for none. */
const kindsHeld = ({ heldOnAll }: Viewer): string =>
  Object.entries(heldOnAll)
    .filter(([, rank]) => rank > 0)
    .map(([type]) => `'${type}'`)
    .join(', ');

const leadsOn = (viewer: Viewer): string => `i.type = 'FOLDER' and ${isOneOf(viewer, 'i.id', 'on_the_way')}`;

/** Embed users see little, often of a large deployment: an array leaves indexes their use. Others see much: it is hashed. */
const isOneOf = ({ embed }: Viewer, column: string, ids: 'reach' | 'on_the_way'): string =>
  embed ? `${column} = any(array(select id from ${ids}))` : `${column} in (select id from ${ids})`;

/** Of embed users, to whom everything is shared for reading. */
const isHeld = `i.id in (select id from held)`;

const onTheWay = (viewer: Viewer): string =>
  viewer.isAdmin
    ? ''
    : `, on_the_way as materialized (
      select distinct unnest(i.path) as id from item i where i.deployment_id = $1 and ${anchored(viewer)}
    )`;

/** Others than embed users may reach so many workbooks that each report is better asked for its path. */
const asksReach = ({ embed }: Viewer, where: Whereabouts): boolean =>
  where === 'in folders' || (where === 'throughout' && embed !== undefined);

/** Folders, and where reports of workbooks are listed workbooks, of which the viewer holds something, with all beneath. */
function reach(viewer: Viewer, where: Whereabouts): string {
  if (!asksReach(viewer, where)) return '';
  const holding = where === 'throughout' ? `i.type <> 'REPORT'` : `i.type = 'FOLDER'`;
  return `, reach as (
      select i.id from item i where i.deployment_id = $1 and ${holding} and ${anchored(viewer)}
      union
      select i.id from reach r join item i on i.parent_id = r.id where ${holding}
    )`;
}

/** What is held on all of a kind does not reach what embed users own. */
const rankOfKind = ({ heldOnAll }: Viewer, alias: string): string =>
  `(case when ${alias}.embed_owner_id is null then case ${alias}.type ${kinds(heldOnAll)} end else 0 end)`;

const kinds = (ranks: Readonly<Record<ItemType, number>>): string =>
  Object.entries(ranks)
    .map(([type, rank]) => `when '${type}' then ${rank}`)
    .join(' ');
