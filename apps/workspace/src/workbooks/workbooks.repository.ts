import { advisoryLockId, BaseRepository, type Reader, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { itemColumns, rightsOf, type Item, type RankedItem, type Viewer, type Whereabouts } from '../content';
import type { DashboardConfig } from '../dashboards/dashboard-config';

/** What clients keep with a workbook. */
export type Meta = Record<string, unknown>;

/** What only workbooks have. */
export interface WorkbookDetails {
  slug: string | null;
  meta: Meta;
  calculatedFields: Record<string, unknown>;
  dashboardDraft: DashboardConfig | null;
}

export type WorkbookRow = Item & Omit<WorkbookDetails, 'dashboardDraft'> & { isFavorite: boolean };

/** A row without its contents when the page has no room for it. */
export type ListedWorkbook = WorkbookRow | (Omit<WorkbookRow, 'meta'> & { meta: null });

/** The folder whose workbooks are meant: null for the root, undefined for all of the deployment. */
export type Place = RankedItem | null | undefined;

/** JSON of one page; with larger rows a page has fewer of them. */
const PAGE_BYTES = 8 * 2 ** 20;

export class WorkbooksRepository extends BaseRepository {
  /**
   * Oldest first, those newer than `afterId` when it is given. `meta` is null in rows that the page has no room for, of which
   * there is none but at its end.
   */
  list(reader: Reader, viewer: Viewer, place: Place, limit: number, afterId?: number): Promise<ListedWorkbook[]> {
    const { where, from, values } = readable(viewer, place);
    return this.planned(
      reader,
      `${rightsOf(viewer, whereabouts(place)).with}, page as (
         select i.id, octet_length(w.meta::text) + octet_length(w.calculated_fields::text) as bytes
         ${from} where ${where} and ($9::bigint is null or i.id > $9) order by i.id limit $10
       ), fitting as (
         select id, sum(bytes) over (order by id) - bytes < ${PAGE_BYTES} as fits from page
       )
       select ${itemColumns}, w.slug, case when p.fits then w.meta end as meta,
         case when p.fits then w.calculated_fields end as "calculatedFields",
         exists (select from favorite f where f.item_id = i.id and f.user_id = $2) as "isFavorite"
       from fitting p join item i on i.id = p.id join workbook w on w.id = i.id order by i.id`,
      [...values, afterId ?? null, limit],
    );
  }

  async count(reader: Reader, viewer: Viewer, place: Place): Promise<number> {
    const { where, from, values } = readable(viewer, place);
    const [row] = await this.planned<{ count: number }>(
      reader,
      `${rightsOf(viewer, whereabouts(place)).with} select count(*)::int as count ${from} where ${where}`,
      values,
    );
    return row?.count ?? 0;
  }

  async find(from: Reader, id: number): Promise<WorkbookDetails | undefined> {
    const [row] = await this.prepared<WorkbookDetails>(
      from,
      `select slug, meta, calculated_fields as "calculatedFields", dashboard_draft as "dashboardDraft"
       from workbook where id = $1`,
      [id],
    );
    return row;
  }

  /** Held until the transaction ends by whoever gives the slug to a workbook. */
  async lockSlug(tx: Transaction, deploymentId: number, slug: string): Promise<void> {
    await this.managerFor(tx).query('select pg_advisory_xact_lock($1)', [
      advisoryLockId('workbook slug', deploymentId, slug),
    ]);
  }

  async idOfSlug(tx: Transaction, deploymentId: number, slug: string): Promise<number | undefined> {
    const [row] = await this.managerFor(tx).query<{ id: number }[]>(
      'select id from workbook where deployment_id = $1 and slug = $2',
      [deploymentId, slug],
    );
    return row?.id;
  }

  async insert(tx: Transaction, { id, tenantId, deploymentId }: Item, details: WorkbookDetails): Promise<void> {
    const { slug, meta, calculatedFields, dashboardDraft } = details;
    const json = [meta, calculatedFields, dashboardDraft].map((value) => value && JSON.stringify(value));
    await this.giveSlug(
      tx,
      `insert into workbook (id, tenant_id, deployment_id, slug, meta, calculated_fields, dashboard_draft)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [id, tenantId, deploymentId, slug, ...json],
    );
  }

  async setMeta(tx: Transaction, id: number, meta: Meta): Promise<void> {
    await this.managerFor(tx).query('update workbook set meta = $2 where id = $1', [id, JSON.stringify(meta)]);
  }

  /** Nothing when the workbook has another slug by now. */
  async releaseSlug(tx: Transaction, id: number, slug: string): Promise<void> {
    await this.managerFor(tx).query('update workbook set slug = null where id = $1 and slug = $2', [id, slug]);
  }

  async setSlug(tx: Transaction, id: number, slug: string | null): Promise<void> {
    await this.giveSlug(tx, 'update workbook set slug = $2 where id = $1', [id, slug]);
  }

  /** @throws AppError `upsert_branch_changed` (409) when an import, which takes no lock of slugs, came between. */
  private async giveSlug(tx: Transaction, statement: string, values: unknown[]): Promise<void> {
    await this.mapUnique({ workbook_deployment_id_slug_unique: slugGone }, () =>
      this.managerFor(tx).query(statement, values),
    );
  }
}

const slugGone = (): AppError =>
  new AppError('upsert_branch_changed', 'Another workbook got the slug meanwhile: try again');

/** Of workbooks, who may see one may read it. */
function readable(viewer: Viewer, place: Place): { from: string; where: string; values: unknown[] } {
  const { visible, values } = rightsOf(viewer, whereabouts(place));
  return {
    from: 'from item i join workbook w on w.id = i.id',
    where: `i.deployment_id = $1 and i.type = 'WORKBOOK' and ${lyingIn(place)} and ${visible}`,
    values: [...values, place?.id ?? null],
  };
}

const whereabouts = (place: Place): Whereabouts => (place === undefined ? 'in folders' : { parent: place });

function lyingIn(place: Place): string {
  if (place === undefined) return '$8::bigint is null';
  return place === null ? '$8::bigint is null and i.parent_id is null' : 'i.parent_id = $8::bigint';
}
