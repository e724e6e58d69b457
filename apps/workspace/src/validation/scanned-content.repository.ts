import { BaseRepository, type Transaction } from '@plinth/database';
import { itemColumns, rightsOf, type Item, type Viewer } from '../content';

/** A report, or a workbook with its dashboards, as far as their members go. */
export interface ScannedItem extends Item {
  rank: number;
  publicId: string | null;
  slug: string | null;
  jsonQuery: string | null;
  draft: unknown;
  published: unknown;
  versionId: number | null;
}

export interface Snapshot {
  versionId: number;
  reportId: number;
  snapshot: unknown;
}

const BATCH_ITEMS = 100;
/** Bytes as they are stored of what one batch holds beyond its first item. */
const BATCH_BYTES = 2 << 20;
/** A query that is longer is not looked into. */
const MAX_QUERY_LENGTH = 1 << 20;

const query = `(case when length(r.json_query) <= ${MAX_QUERY_LENGTH} then r.json_query end)`;
const bytes = `coalesce(pg_column_size(r.json_query), 0) + coalesce(pg_column_size(w.dashboard_draft), 0)
  + coalesce(pg_column_size(v.config), 0)
  + coalesce((select sum(pg_column_size(s.snapshot)) from report_snapshot s where s.version_id = v.id), 0)`;

export class ScannedContentRepository extends BaseRepository {
  /** The next items of the viewer's deployment by id, as many as are well held at once; those unreadable on demand. */
  async next(
    tx: Transaction,
    viewer: Viewer,
    { from, unreadable }: { from: number; unreadable: boolean },
  ): Promise<ScannedItem[]> {
    const rights = rightsOf(viewer);
    return this.managerFor(tx).query<ScannedItem[]>(
      `${rights.with}, items as (
         select ${itemColumns}, ${rights.rank} as rank from item i
         where i.deployment_id = $1 and i.type <> 'FOLDER' and i.id >= $8
           and ($9 or ${rights.rank} > 0)
         order by i.id limit ${BATCH_ITEMS}
       ), sized as (
         select i.*, r.public_id as "publicId", w.slug, ${query} as "jsonQuery", w.dashboard_draft as draft, v.config as published, v.id as "versionId",
           row_number() over (order by i.id) as place, sum(${bytes}) over (order by i.id) as bytes
         from items i
         left join report r on r.id = i.id
         left join workbook w on w.id = i.id
         left join lateral (
           select v.id, v.config from dashboard d join dashboard_version v on v.dashboard_id = d.id
           where d.workbook_id = w.id order by v.version_number desc limit 1
         ) v on true
       )
       select * from sized where place = 1 or bytes <= ${BATCH_BYTES} order by id`,
      [...rights.values, from, unreadable],
    );
  }

  /** Queries of reports of a deployment; null of those that have none to look into. */
  async queriesOf(
    tx: Transaction,
    deploymentId: number,
    reportIds: readonly number[],
  ): Promise<Map<number, string | null>> {
    if (reportIds.length === 0) return new Map();
    const rows = await this.managerFor(tx).query<{ id: number; jsonQuery: string | null }[]>(
      `select r.id, ${query} as "jsonQuery" from report r where r.id = any($2::bigint[]) and r.deployment_id = $1`,
      [deploymentId, reportIds],
    );
    return new Map(rows.map(({ id, jsonQuery }) => [id, jsonQuery]));
  }

  /** What charts of published dashboards show. */
  async snapshotsOf(tx: Transaction, versionIds: readonly number[]): Promise<Snapshot[]> {
    if (versionIds.length === 0) return [];
    return this.managerFor(tx).query<Snapshot[]>(
      `select version_id as "versionId", report_id as "reportId", snapshot from report_snapshot
       where version_id = any($1::bigint[]) order by id`,
      [versionIds],
    );
  }

  /** Reports that the viewer may read and that have no query to look into. */
  async countUnchecked(tx: Transaction, viewer: Viewer): Promise<number> {
    const rights = rightsOf(viewer);
    const rows = await this.managerFor(tx).query<{ count: number }[]>(
      `${rights.with} select count(*)::int as count from item i join report r on r.id = i.id
       where i.deployment_id = $1 and r.deployment_id = $1 and ${rights.rank} > 0
         and (r.json_query is null and r.sql_query is not null or length(r.json_query) > ${MAX_QUERY_LENGTH})`,
      rights.values,
    );
    return rows[0]?.count ?? 0;
  }
}
