import { BaseRepository, type Transaction } from '@plinth/database';
import { newPublicId, type Item } from '../content';
import type { FrozenReport } from '../dashboards/frozen-report';

/** A workbook that gets copies of reports, which belong to whoever owns it. */
type Target = Pick<Item, 'id'>;

/** Copies of reports begin anew: without placements, and as if they had never been run. */
export class ReportCopiesRepository extends BaseRepository {
  /** Copies all reports of a workbook into another one. Answers the ids of the copies by those of the originals. */
  async copyAll(tx: Transaction, workbookId: number, target: Target): Promise<Map<number, number>> {
    const originals = await this.managerFor(tx).query<{ id: number }[]>(
      `select id from item where parent_id = $1 and type = 'REPORT' order by id for no key update`,
      [workbookId],
    );
    const ids = originals.map(({ id }) => id);
    if (ids.length === 0) return new Map();
    // Ids are given in the order of the rows.
    const copies = await this.managerFor(tx).query<{ id: number }[]>(
      `with copy as (
         insert into item (${copiedColumns})
         select ${fromTarget('i.name')} from item w, item i where w.id = $2 and i.id = any($1::bigint[]) order by i.id
         returning id
       ) select id from copy order by id`,
      [ids, target.id],
    );
    const copied = copies.map(({ id }) => id);
    await this.managerFor(tx).query(
      `insert into report (id, tenant_id, deployment_id, public_id, title, description, source, json_query, sql_query, meta,
         pivot_items, query_checksum)
       select c.id, r.tenant_id, r.deployment_id, c.public_id, r.title, r.description, r.source, r.json_query, r.sql_query,
         r.meta, r.pivot_items, r.query_checksum
       from unnest($1::bigint[], $2::bigint[], $3::text[]) c(original, id, public_id) join report r on r.id = c.original`,
      [ids, copied, ids.map(newPublicId)],
    );
    return new Map(ids.map((id, index) => [id, copied[index] as number]));
  }

  /** One new report in the workbook for each frozen one. Answers the new ids by those of the originals. */
  async insertFrozen(
    tx: Transaction,
    target: Target,
    reports: readonly Omit<FrozenReport, 'versionNumber'>[],
  ): Promise<Map<number, number>> {
    const ids = reports.map(({ reportId }) => reportId);
    if (ids.length === 0) return new Map();
    const made = await this.managerFor(tx).query<{ id: number }[]>(
      `with made as (
         insert into item (${copiedColumns})
         select ${fromTarget('r.name')} from item w, unnest($2::text[]) with ordinality r(name, place) where w.id = $1 order by r.place
         returning id
       ) select id from made order by id`,
      [target.id, reports.map(({ name }) => name ?? 'Untitled')],
    );
    const newIds = made.map(({ id }) => id);
    const rows = reports.map((report, index) => ({ ...report, id: newIds[index], publicId: newPublicId() }));
    await this.managerFor(tx).query(
      `insert into report (id, tenant_id, deployment_id, public_id, title, description, json_query, sql_query, meta)
       select i.id, i.tenant_id, i.deployment_id, r->>'publicId', r->>'title', r->>'description', r->>'jsonQuery',
         r->>'sqlQuery', r->'meta'
       from unnest($1::text[]::json[]) r join item i on i.id = (r->>'id')::bigint`,
      [rows.map((row) => JSON.stringify(row))],
    );
    return new Map(ids.map((id, index) => [id, newIds[index] as number]));
  }
}

const copiedColumns = `tenant_id, deployment_id, type, name, parent_id, path, owner_id, created_by, updated_by, embed_owner_id,
  embed_tenant_name`;

const fromTarget = (name: string): string =>
  `w.tenant_id, w.deployment_id, 'REPORT', ${name}, w.id, w.path || w.id, w.owner_id, w.owner_id, w.owner_id,
    w.embed_owner_id, w.embed_tenant_name`;
