import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { QueryOf, ReplyOf } from '@plinth/contract';
import { Database, keysetList, pageInfo, resolvePaging, type Page, type Reader } from '@plinth/database';
import { invalidRequest } from '@plinth/errors';
import { ContentRights, type Viewer } from '../content';
import { ReportViews } from './report-views.service';
import { ReportsRepository, type ListedReport, type ReportFilter, type ReportOrder } from './reports.repository';

type Query = QueryOf<'getReports'>;

/** What a list is restricted to and ordered by. */
interface Listing {
  viewer: Viewer;
  filter: ReportFilter;
  order: ReportOrder;
}

@Injectable()
export class ReportListService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly rights: ContentRights,
    private readonly reports: ReportsRepository,
    private readonly views: ReportViews,
  ) {}

  /** Clients that page by number want to know how many there are; a cursor needs no count. */
  async list(principal: Principal, deploymentId: number, query: Query): Promise<ReplyOf<'getReports'>> {
    requireOnePaging(query);
    const viewer = await this.rights.viewerOf(principal, deploymentId);
    const { workbookId, folderId, externalWorkbookId, search, sortBy, sortDirection } = query;
    const order: ReportOrder = { sort: sortBy ?? 'id', direction: sortDirection === 'DESC' ? 'desc' : 'asc' };
    const listing = { viewer, filter: { workbookId, folderId, externalWorkbookId, search }, order };
    const isNumbered = query.page !== undefined || query.limit !== undefined;
    const { items: rows, pageInfo: info } = await this.page(listing, query, isNumbered);
    const reader = this.readerOf(viewer);
    const wantsCount = query.first === undefined && query.after === undefined;
    const [unnamed, count] = await Promise.all([
      this.views.ofAll(reader, viewer, rows),
      wantsCount ? this.reports.count(reader, viewer, listing.filter) : null,
    ]);
    const items = await this.views.allNamed(viewer, unnamed);
    return { items, data: items, count, pageInfo: info };
  }

  private page(listing: Listing, query: Query, isNumbered: boolean): Promise<Page<ListedReport>> {
    const { page, limit, first } = query;
    if (isNumbered) {
      const size = resolvePaging({ limit, offset: 0 }, {});
      const rows = 'limit' in size ? size.limit : 0;
      return this.slice(listing, rows, ((page ?? 1) - 1) * rows);
    }
    if (listing.order.sort !== 'lastViewedAt') return this.after(listing, query);
    const size = resolvePaging({ first });
    return this.slice(listing, 'first' in size ? size.first : 0, 0);
  }

  private after({ viewer, filter, order }: Listing, query: Query): Promise<Page<ListedReport>> {
    return keysetList(query, {
      name: 'reports',
      filters: { ...filter, ...order, deploymentId: viewer.deploymentId },
      positionOf: ({ sortKey, id }: ListedReport): [string, number] => [sortKey, id],
      read: (limit, after) =>
        this.reports.list(this.readerOf(viewer), viewer, filter, order, limit, { after: [after[0], after[1]] }),
    });
  }

  private async slice({ viewer, filter, order }: Listing, limit: number, offset: number): Promise<Page<ListedReport>> {
    const rows = await this.reports.list(this.readerOf(viewer), viewer, filter, order, limit + 1, { offset });
    return { items: rows.slice(0, limit), pageInfo: pageInfo([], rows.length > limit, offset > 0) };
  }

  private readerOf({ tenantId }: Viewer): Reader {
    return this.database.reader(tenantId, 'lists');
  }
}

function requireOnePaging({ first, after, limit, page, sortBy }: Query): void {
  const isNumbered = page !== undefined || limit !== undefined;
  if (isNumbered && (first !== undefined || after !== undefined)) {
    throw invalidRequest('/query', 'takes first and after, or limit and page, not both');
  }
  if (sortBy === 'lastViewedAt' && after !== undefined) {
    throw invalidRequest('/query/after', 'does not go with the order of lastViewedAt');
  }
}
