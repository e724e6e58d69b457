import { Inject, Injectable } from '@nestjs/common';
import type { Schemas } from '@plinth/contract';
import { Database, type Transaction } from '@plinth/database';
import { requestContext } from '@plinth/observability';
import { ItemDescriptions, People, type Viewer } from '../content';
import { widgetsOf, type Widget } from './dashboard-widgets';
import type { ModelIndex } from './model-index';
import { membersOfQuery } from './query-members';
import { ScannedContentRepository, type ScannedItem } from './scanned-content.repository';

/** A broken thing and its place among all of the deployment. */
export interface Found {
  item: ScannedItem;
  /** Of a widget among those of its workbook; 0 for a report. */
  place: number;
  widget: (Widget & { dashboard: 'draft' | 'published' }) | null;
  missingMembers: string[];
  missingReportId: number | null;
}

/** Queries that the charts of a batch show. */
interface Queries {
  ofReports: ReadonlyMap<number, string | null>;
  ofSnapshots: ReadonlyMap<string, unknown>;
}

const NONE = { missingMembers: [], missingReportId: null };

/** Finds what uses members that a data model does not have. */
@Injectable()
export class BrokenContent {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly content: ScannedContentRepository,
    private readonly descriptions: ItemDescriptions,
    private readonly people: People,
  ) {}

  /** Everything broken from an item on, by its id, read in batches while it is asked for. */
  async *find(
    viewer: Viewer,
    model: ModelIndex,
    { from = 0, unreadable = false }: { from?: number; unreadable?: boolean } = {},
  ): AsyncGenerator<Found> {
    for (let next: number | undefined = from; next !== undefined;) {
      requestContext()?.signal?.throwIfAborted();
      const at: number = next;
      const { items, queries } = await this.database.transaction(viewer.tenantId, async (tx) => {
        const batch = await this.content.next(tx, viewer, { from: at, unreadable });
        return { items: batch, queries: await this.queriesFor(tx, viewer, batch) };
      });
      for (const item of items) yield* foundIn(item, model, queries);
      const last = items.at(-1);
      next = last && last.id + 1;
    }
  }

  async describe(viewer: Viewer, found: readonly Found[]): Promise<Schemas['BrokenContent'][]> {
    const items = found.map(({ item }) => item);
    const unnamed = await this.database.transaction(viewer.tenantId, (tx) =>
      this.descriptions.describe(tx, viewer, items),
    );
    const described = await this.people.name(viewer, unnamed);
    return found.map(({ item, widget, missingMembers, missingReportId }, index) => {
      const { folderPath = [], user = null } = described[index] ?? {};
      const { id, name, publicId, slug } = item;
      return {
        ...{ type: widget ? 'DASHBOARD_WIDGET' : 'REPORT', id, name, publicId, slug, folderPath, user },
        dashboard: widget?.dashboard ?? null,
        widgetId: widget?.id ?? null,
        widgetType: widget?.type ?? null,
        ...{ missingMembers, missingReportId },
      };
    });
  }

  private async queriesFor(tx: Transaction, viewer: Viewer, items: readonly ScannedItem[]): Promise<Queries> {
    const reportIds = items.flatMap(({ draft }) => widgetsOf(draft).flatMap(({ reportId }) => reportId ?? []));
    const versionIds = items.flatMap(({ versionId }) => versionId ?? []);
    const snapshots = await this.content.snapshotsOf(tx, versionIds);
    return {
      ofReports: await this.content.queriesOf(tx, viewer.deploymentId, [...new Set(reportIds)]),
      ofSnapshots: new Map(
        snapshots.map(({ versionId, reportId, snapshot }) => [`${versionId}/${reportId}`, snapshot]),
      ),
    };
  }
}

function foundIn(item: ScannedItem, model: ModelIndex, queries: Queries): Found[] {
  if (item.type === 'REPORT') {
    const missingMembers = missingIn(item.jsonQuery, model);
    return missingMembers.length === 0 ? [] : [{ ...NONE, item, place: 0, widget: null, missingMembers }];
  }
  const widgets = [
    ...widgetsOf(item.draft).map((widget) => ({ ...widget, dashboard: 'draft' as const })),
    ...widgetsOf(item.published).map((widget) => ({ ...widget, dashboard: 'published' as const })),
  ];
  return widgets.flatMap((widget, place) => {
    const missing =
      widget.dashboard === 'draft' ? inDraft(widget, model, queries) : inVersion(item, widget, model, queries);
    const isBroken = missing.missingMembers.length > 0 || missing.missingReportId !== null;
    return isBroken ? [{ item, place, widget, ...missing }] : [];
  });
}

type Missing = Pick<Found, 'missingMembers' | 'missingReportId'>;

function inDraft({ members, reportId }: Widget, model: ModelIndex, { ofReports }: Queries): Missing {
  if (reportId === null) return { ...NONE, missingMembers: model.missingAmong(members) };
  const query = ofReports.get(reportId);
  if (query === undefined) return { ...NONE, missingReportId: reportId };
  return { ...NONE, missingMembers: missingIn(query, model) };
}

/** A published chart shows what was frozen, whatever has become of its report. */
function inVersion(
  { versionId }: ScannedItem,
  { members, reportId }: Widget,
  model: ModelIndex,
  { ofSnapshots }: Queries,
): Missing {
  if (reportId === null) return { ...NONE, missingMembers: model.missingAmong(members) };
  const snapshot = ofSnapshots.get(`${versionId}/${reportId}`);
  if (snapshot === undefined) return { ...NONE, missingReportId: reportId };
  const { jsonQuery } = snapshot as { jsonQuery?: unknown };
  return { ...NONE, missingMembers: missingIn(typeof jsonQuery === 'string' ? jsonQuery : null, model) };
}

function missingIn(query: string | null, model: ModelIndex): string[] {
  const members = query === null ? undefined : membersOfQuery(query);
  return members ? model.missingOf(members) : [];
}
