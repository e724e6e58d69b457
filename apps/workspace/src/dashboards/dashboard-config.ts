import type { Schemas } from '@plinth/contract';
import { AppError, type ErrorDetail } from '@plinth/errors';

export type DashboardConfig = Schemas['DashboardConfig'];
export type DashboardConfigInput = Schemas['DashboardConfigInput'] | Schemas['DashboardConfigDraftInput'];

type Widget = Schemas['DashboardWidget'];
type WidgetInput = Schemas['DashboardWidgetDraftInput'];

/**
 * The configuration as it is stored: each widget with an id of its own and a type of today. Everything else stays as it came.
 *
 * @param pointer - JSON pointer of the configuration in the request, for the problems.
 * @throws AppError `request.invalid` (400), naming every widget whose id another one has.
 */
export function storedConfig(config: DashboardConfigInput, pointer: string): DashboardConfig {
  const { widgets } = config as { widgets?: WidgetInput[] | null };
  if (!widgets) return config as DashboardConfig;
  refuseRepeatedIds(widgets, pointer);
  const nextId = freeIds(widgets);
  return { ...config, widgets: widgets.map((widget) => withCurrentType({ ...widget, id: widget.id ?? nextId() })) };
}

/** With other widgets in the place of some. */
export const withWidgets = (config: DashboardConfig, change: (widget: Widget) => Widget): DashboardConfig =>
  config.widgets ? { ...config, widgets: config.widgets.map(change) } : config;

/** With charts that name other reports. */
export const withReports = (config: DashboardConfig, reportIds: ReadonlyMap<number, number>): DashboardConfig =>
  withWidgets(config, (widget) => {
    const reportId = reportIds.get(reportIdOf(widget) as number);
    return reportId === undefined ? widget : { ...widget, config: { ...widget.config, reportId } };
  });

/** What a chart names as its report, whatever that is; undefined for other widgets and for charts without one. */
export const reportIdOf = ({ type, config }: Widget): unknown =>
  type === 'CHART' ? (config?.['reportId'] ?? undefined) : undefined;

function refuseRepeatedIds(widgets: readonly WidgetInput[], pointer: string): void {
  const seen = new Set<string>();
  const problems: ErrorDetail[] = [];
  for (const [index, { id }] of widgets.entries()) {
    if (id == null) continue;
    if (seen.has(id)) problems.push({ path: `${pointer}/widgets/${index}/id`, message: 'is the id of another widget' });
    seen.add(id);
  }
  refuse(problems);
}

/** @throws AppError `request.invalid` (400) when there is any problem. */
export function refuse(problems: readonly ErrorDetail[]): void {
  if (problems.length === 0) return;
  const text = problems.map(({ path, message }) => `${path} ${message}`).join('; ');
  throw new AppError('request.invalid', text, { details: problems });
}

/** The same configuration gets the same ids, so that sending it again changes nothing. */
function freeIds(widgets: readonly WidgetInput[]): () => string {
  const taken = new Set(widgets.map(({ id }) => id));
  let number = 0;
  return () => {
    do number += 1;
    while (taken.has(`widget-${number}`));
    return `widget-${number}`;
  };
}

const withCurrentType = (widget: WidgetInput & { id: string }): Widget =>
  widget.type === 'TABS_CONTAINER'
    ? ({ ...widget, type: 'CONTAINER', config: { ...widget.config, layout: 'tabs' } } as Widget)
    : (widget as Widget);
