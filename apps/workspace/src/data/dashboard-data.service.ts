import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf } from '@plinth/contract';
import { Database, type Transaction } from '@plinth/database';
import { AppError, invalidRequest } from '@plinth/errors';
import { LOGGER } from '@plinth/host';
import type { StreamReply } from '@plinth/messaging';
import type { Logger } from '@plinth/observability';
import { ContentRights, isEmbedUser } from '../content';
import { DashboardsRepository, type DashboardRow } from '../dashboards/dashboards.repository';
import type { FrozenReport } from '../dashboards/frozen-report';
import { EmbeddedDashboards } from '../embedding/embedded-dashboards.service';
import { QueryRunner, type QueryCaller } from '@plinth/queries';
import { csvReply, dataJson, jsonReply } from './data-replies';
import { DataResults, requireTimeZone, type Controls, type Data } from './data-results.service';
import { dataSourceOf } from './data-sources';
import { requireDownload } from './download-rights';
import { readAhead } from './read-ahead';
import { savedControls, type Widget } from './saved-controls';

type Input = NonNullable<BodyOf<'getDashboardData'>>;

type Snapshot = FrozenReport & { id: number };

/** A chart with what was frozen for it; nothing where its report was gone then. */
interface Chart {
  widget: Widget;
  frozen: Snapshot | undefined;
}

type Outcome = { data: Data } | { error: { code: string; message: string } };

/** Queries of one dashboard that run at the same time. */
const AT_ONCE = 4;
/** Charts of a dashboard that are read at most. */
const MOST_CHARTS = 200;

/** Answers what published dashboards show. */
@Injectable()
export class DashboardDataService {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly rights: ContentRights,
    private readonly embedded: EmbeddedDashboards,
    private readonly dashboards: DashboardsRepository,
    private readonly runner: QueryRunner,
    private readonly results: DataResults,
  ) {}

  /** @throws AppError `workbook.not_found` (404), `dashboard.not_published` (400), and as downloads and controls do. */
  async read(principal: Principal, deploymentId: number, workbookId: number, body: Input = {}): Promise<StreamReply> {
    const timezone = requireTimeZone(body.timezone);
    const { dashboard, snapshots } = await this.published(principal, deploymentId, workbookId);
    const caller = await this.runner.callerFor(principal, deploymentId);
    const widgets = dashboard.config.widgets ?? [];
    const saved = savedControls(widgets);
    const controls: Controls = {
      filters: body.filters ?? saved.filters,
      timeGrains: body.timeGrains ?? saved.timeGrains,
      memberSwitchers: body.memberSwitchers ?? saved.memberSwitchers,
      timezone,
      limit: body.limit ?? undefined,
      areShared: true,
    };
    const charts = chartsOf(widgets, snapshots, body.widgetId);
    if (body.format === 'csv') return this.csv(caller, charts, controls, body.widgetId);
    return jsonReply(dashboardJson(dashboard, this.outcomes(caller, charts, controls)));
  }

  private async published(
    principal: Principal,
    deploymentId: number,
    workbookId: number,
  ): Promise<{ dashboard: DashboardRow; snapshots: Snapshot[] }> {
    const require = await this.readable(principal, deploymentId, workbookId);
    // Leaves the line in the audit log.
    return this.database.mutate(principal, async (tx) => {
      await require(tx);
      const dashboard = await this.dashboards.find(tx, workbookId);
      if (dashboard?.status !== 'published')
        throw new AppError('dashboard.not_published', 'The workbook has no published dashboard');
      return { dashboard, snapshots: await this.dashboards.snapshots(tx, dashboard.versionId) };
    });
  }

  /** Embed users read what they see embedded, and no more of a workbook. */
  private async readable(
    principal: Principal,
    deploymentId: number,
    workbookId: number,
  ): Promise<(tx: Transaction) => Promise<unknown>> {
    if (isEmbedUser(principal)) {
      await this.embedded.require(principal, { deploymentId, workbookId });
      return async () => undefined;
    }
    const viewer = await this.rights.viewerOf(principal, deploymentId);
    return (tx) => this.rights.require(tx, viewer, { type: 'WORKBOOK', id: workbookId }, 'read');
  }

  private async csv(
    caller: QueryCaller,
    charts: readonly Chart[],
    controls: Controls,
    widgetId: string | null | undefined,
  ): Promise<StreamReply> {
    requireDownload(caller);
    const [chart] = charts;
    if (typeof widgetId !== 'string' || !chart) throw invalidRequest('/body/widgetId', 'must name a chart for CSV');
    return csvReply(await this.data(caller, chart, controls));
  }

  private outcomes(
    caller: QueryCaller,
    charts: readonly Chart[],
    controls: Controls,
  ): AsyncGenerator<[Chart, Outcome]> {
    return readAhead(charts, AT_ONCE, async (chart) => {
      try {
        return [chart, { data: await this.data(caller, chart, controls) }];
      } catch (error) {
        return [chart, this.failed(error)];
      }
    });
  }

  private async data(caller: QueryCaller, { frozen }: Chart, controls: Controls): Promise<Data> {
    if (!frozen) throw new AppError('report.not_found', 'There is no such report');
    return this.results.of(caller, dataSourceOf(frozen), controls);
  }

  private failed(error: unknown): Outcome {
    if (error instanceof AppError) return { error: { code: error.code, message: error.message } };
    this.logger.error({ err: error }, 'a widget could not be read');
    return { error: { code: 'service.internal', message: 'The widget could not be read' } };
  }
}

function chartsOf(
  widgets: readonly Widget[],
  snapshots: readonly Snapshot[],
  widgetId: string | null | undefined,
): Chart[] {
  const byReport = new Map(snapshots.map((each) => [each.reportId, each]));
  return widgets
    .filter(({ id, type }) => type === 'CHART' && (typeof widgetId !== 'string' || id === widgetId))
    .slice(0, MOST_CHARTS)
    .map((widget) => ({ widget, frozen: byReport.get(Number(widget.config?.['reportId'])) }));
}

/** `DashboardData` of the contract, chart by chart, so that no more than a few results are in memory. */
async function* dashboardJson(
  { id, versionId, versionNumber }: DashboardRow,
  outcomes: AsyncIterable<[Chart, Outcome]>,
): AsyncGenerator<string> {
  yield `{"dashboardId":${id},"versionId":${versionId},"versionNumber":${versionNumber},"widgets":[`;
  let separator = '';
  for await (const [chart, outcome] of outcomes) {
    yield `${separator}${JSON.stringify(factsOf(chart)).slice(0, -1)},`;
    separator = ',';
    if ('error' in outcome) yield `"data":null,"error":${JSON.stringify(outcome.error)}}`;
    else {
      yield '"error":null,"data":';
      yield* dataJson(outcome.data);
      yield '}';
    }
  }
  yield ']}';
}

function factsOf({ widget, frozen }: Chart): object {
  if (!frozen) return { widgetId: widget.id, reportId: null, snapshotId: null, kind: null, title: null };
  const { kind = null, title, name } = frozen;
  return { widgetId: widget.id, reportId: frozen.reportId, snapshotId: frozen.id, kind, title: title ?? name ?? null };
}
