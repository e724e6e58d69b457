import { BaseRepository, containing, type Reader, type Transaction } from '@plinth/database';
import { itemColumns, rightsOf, type RankedItem, type Viewer } from '../content';
import { Report } from './report.entity';

/** A report with its item and what the viewer may do with it. */
export type StoredReport = RankedItem & Omit<Report, 'id' | 'tenantId' | 'deploymentId'>;

export interface ReportFilter {
  workbookId: number | undefined;
  folderId: number | undefined;
  externalWorkbookId: string | undefined;
  search: string | undefined;
}

export type ReportSort = 'id' | 'name' | 'createdAt' | 'updatedAt' | 'lastViewedAt';

export interface ReportOrder {
  sort: ReportSort;
  direction: 'asc' | 'desc';
}

/** A report in a list; `sortKey` is what the list is ordered by, as text that the database reads back. */
export type ListedReport = StoredReport & { sortKey: string };

/** Where a list goes on: after the report with this key and id, or after so many. */
export interface ReportStart {
  after?: readonly [sortKey: string | undefined, id: number | undefined];
  offset?: number;
}

const sorts: Record<ReportSort, { expression: string; type: string }> = {
  id: { expression: 'i.id', type: 'bigint' },
  name: { expression: 'lower(i.name)', type: 'text' },
  createdAt: { expression: 'i.created_at', type: 'timestamptz' },
  updatedAt: { expression: 'i.updated_at', type: 'timestamptz' },
  lastViewedAt: { expression: 'v.viewed_at', type: 'timestamptz' },
};

const reportColumns = `r.public_id as "publicId", r.title, r.description, r.source, r.json_query as "jsonQuery",
  r.sql_query as "sqlQuery", r.meta, r.pivot_items as "pivotItems", r.version, r.query_checksum as "queryChecksum",
  r.refreshed_at as "refreshedAt", r.refreshed_by as "refreshedBy", r.refreshed_rows as "refreshedRows",
  r.result_checksum as "resultChecksum"`;

const filtered = `i.deployment_id = $1 and i.type = 'REPORT' and ($8::bigint is null or i.parent_id = $8)
  and ($9::bigint is null or i.parent_id = $9 or $8 is not null and i.path[cardinality(i.path) - 1] = $9)
  and ($10::text is null or lower(i.name) like lower($10))
  and ($11::text is null or exists (
    select from report_placement p where p.report_id = i.id and p.external_workbook_id = $11))`;

export class ReportsRepository extends BaseRepository {
  /** The report of the viewer's deployment, whatever they may do with it. */
  async find(from: Reader, viewer: Viewer, id: number): Promise<StoredReport | undefined> {
    const rights = rightsOf(viewer);
    const [report] = await this.prepared<StoredReport>(
      from,
      `${rights.with}
       select ${itemColumns}, ${rights.rank} as rank, ${rights.visible} as visible, ${reportColumns}
       from item i join report r on r.id = i.id where i.deployment_id = $1 and i.id = $8`,
      [...rights.values, id],
    );
    return report;
  }

  /** Those that the viewer may read. */
  list(
    from: Reader,
    viewer: Viewer,
    filter: ReportFilter,
    { sort, direction }: ReportOrder,
    limit: number,
    { after: [key, id] = [undefined, undefined], offset = 0 }: ReportStart,
  ): Promise<ListedReport[]> {
    const rights = rightsOf(viewer, 'throughout');
    const { expression, type } = sorts[sort];
    return this.planned(
      from,
      `${rights.with}
       select ${itemColumns}, ${rights.rank} as rank, true as visible, ${reportColumns}, (${expression})::text as "sortKey"
       from item i join report r on r.id = i.id left join item_view v on v.item_id = i.id and v.user_id = $2
       where ${filtered} and ${rights.visible}
         and ($12::text is null or (${expression}, i.id) ${direction === 'asc' ? '>' : '<'} ($12::${type}, $13::bigint))
       order by ${expression} ${direction} nulls last, i.id ${direction} limit $14 offset $15`,
      [...rights.values, ...valuesOf(filter), key ?? null, id ?? null, limit, offset],
    );
  }

  async count(from: Reader, viewer: Viewer, filter: ReportFilter): Promise<number> {
    const rights = rightsOf(viewer, 'throughout');
    const [row] = await this.planned<{ count: number }>(
      from,
      `${rights.with} select count(*) as count from (
         select ${rights.rank} as rank from item i where ${filtered} and ${rights.visible}
       ) as seen`,
      [...rights.values, ...valuesOf(filter)],
    );
    return Number(row?.count);
  }

  /** What belongs to an item of the kind; the item is there. */
  async findOf(tx: Transaction, itemId: number): Promise<Report> {
    const [report] = await this.prepared<Report>(
      tx,
      `select r.id, r.tenant_id as "tenantId", r.deployment_id as "deploymentId", ${reportColumns}
       from report r where r.id = $1`,
      [itemId],
    );
    if (!report) throw new Error(`Item ${itemId} is no report`);
    return report;
  }

  async findByPublicId(tx: Transaction, publicId: string): Promise<Pick<Report, 'id' | 'deploymentId'> | undefined> {
    const found = await this.managerFor(tx).findOne(Report, {
      where: { publicId },
      select: { id: true, deploymentId: true },
    });
    return found ?? undefined;
  }

  /** One after another for the same public id, until the transaction ends. */
  async takeTurn(tx: Transaction, lockId: string): Promise<void> {
    await this.managerFor(tx).query('select pg_advisory_xact_lock($1)', [lockId]);
  }

  /** @throws the given error when the public id is taken. */
  async insert(tx: Transaction, report: Report, onTaken: () => Error): Promise<void> {
    await this.mapUnique({ report_tenant_id_public_id_unique: onTaken }, () =>
      this.prepared(
        tx,
        `insert into report (id, tenant_id, deployment_id, public_id, title, description, source, json_query, sql_query,
           meta, pivot_items, version, query_checksum, refreshed_at, refreshed_by, refreshed_rows, result_checksum)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
        [
          ...[report.id, report.tenantId, report.deploymentId, report.publicId, report.title, report.description],
          ...[report.source, report.jsonQuery, report.sqlQuery, asJson(report.meta), asJson(report.pivotItems)],
          ...[report.version, report.queryChecksum, report.refreshedAt, report.refreshedBy, report.refreshedRows],
          report.resultChecksum,
        ],
      ),
    );
  }

  async update(tx: Transaction, id: number, change: Partial<Report>): Promise<void> {
    await this.managerFor(tx).update(Report, { id }, change as never);
  }
}

const asJson = (value: object | null): string | null => (value === null ? null : JSON.stringify(value));

const valuesOf = ({ workbookId, folderId, search, externalWorkbookId }: ReportFilter): unknown[] => [
  workbookId ?? null,
  folderId ?? null,
  containing(search),
  externalWorkbookId ?? null,
];
