import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@plinth/errors';
import { LOGGER } from '@plinth/host';
import type { Logger } from '@plinth/observability';
import type { Chart } from '@plinth/rendering';
import type { FrozenReport } from '../dashboards/frozen-report';
import { DataResults, type Controls } from '../data/data-results.service';
import { dataSourceOf } from '../data/data-sources';
import { readAhead } from '../data/read-ahead';
import type { Widget } from '../data/saved-controls';
import type { QueryCaller } from '@plinth/queries';

/** What stands in the place of a chart. */
export interface DrawnChart {
  title: string | null;
  description: string | null;
  chart: Chart | { error: string };
}

export interface ChartReading {
  controls: Controls;
  signal: AbortSignal | undefined;
  onRead: (done: number, total: number) => void;
}

/** Queries of one picture that run at the same time. */
const AT_ONCE = 4;
/** Charts of a picture. */
const MOST_CHARTS = 200;
/** Rows of a chart: more than a picture shows, and as many as the engine answers unasked. */
const MOST_ROWS = 10_000;
/** Rows of all charts, which are in memory together. */
const MOST_ROWS_TOGETHER = 200_000;

/** Reads what the charts of a dashboard show. */
@Injectable()
export class ChartData {
  constructor(
    private readonly results: DataResults,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** By the ids of the widgets; a chart that cannot be read has its error. @throws the reason of the signal */
  async of(
    viewer: QueryCaller,
    widgets: readonly Widget[],
    reports: readonly FrozenReport[],
    { controls, signal, onRead }: ChartReading,
  ): Promise<Map<string, DrawnChart>> {
    const byId = new Map(reports.map((report) => [report.reportId, report]));
    const charts = widgets.filter(({ type }) => type === 'CHART');
    const found = new Map<string, DrawnChart>();
    let rows = 0;
    const read = async ({ id, config }: Widget, index: number): Promise<[string, DrawnChart]> => {
      const report = byId.get(Number(config?.['reportId']));
      const isTooMuch = index >= MOST_CHARTS || rows >= MOST_ROWS_TOGETHER || signal?.aborted === true;
      const chart = isTooMuch ? { error: TOO_MUCH } : await this.read(viewer, report, controls);
      if ('rows' in chart) rows += chart.rows.length;
      return [id, { ...titlesOf(report), chart }];
    };
    for await (const [id, chart] of readAhead([...charts.entries()], AT_ONCE, ([at, widget]) => read(widget, at))) {
      found.set(id, chart);
      signal?.throwIfAborted();
      onRead(found.size, charts.length);
    }
    return found;
  }

  private async read(
    viewer: QueryCaller,
    report: FrozenReport | undefined,
    controls: Controls,
  ): Promise<DrawnChart['chart']> {
    if (!report) return { error: 'There is no such report' };
    try {
      const { columns, rows } = await this.results.of(viewer, dataSourceOf(report), { ...controls, limit: MOST_ROWS });
      const { kind = null, spec, preferences = null } = report;
      return { kind, spec, preferences, columns, rows };
    } catch (error) {
      if (error instanceof AppError) return { error: error.message };
      this.logger.error({ err: error }, 'a widget could not be read');
      return { error: 'The widget could not be read' };
    }
  }
}

const titlesOf = (report: FrozenReport | undefined): Pick<DrawnChart, 'title' | 'description'> => ({
  title: report?.title ?? report?.name ?? null,
  description: report?.description ?? null,
});

const TOO_MUCH = `A picture has at most ${MOST_CHARTS} charts and ${MOST_ROWS_TOGETHER} rows`;
