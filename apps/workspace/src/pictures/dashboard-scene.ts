import type {
  Caption,
  ContainerTab,
  ContainerWidget,
  ControlField,
  Place,
  Scene,
  SceneGrid,
  SceneWidget,
} from '@plinth/rendering';
import type { DashboardConfig } from '../dashboards/dashboard-config';
import type { Controls } from '../data/data-results.service';
import type { Widget } from '../data/saved-controls';
import type { DrawnChart } from './chart-data.service';
import { filterText, memberText } from './control-texts';
import { themeIn } from './dashboard-theme';

type Inner = Exclude<SceneWidget, ContainerWidget>;
type Chosen = Pick<Controls, 'filters' | 'timeGrains' | 'memberSwitchers'>;

export interface SceneParts {
  config: DashboardConfig;
  /** By the ids of the widgets. */
  charts: ReadonlyMap<string, DrawnChart>;
  chosen: Chosen;
  /** How controls are changed, by the ids of their widgets; absent in pictures. */
  fields?: ReadonlyMap<string, ControlField>;
}

/** What of a scene follows from the dashboard and its data. */
export function sceneParts({
  config,
  charts,
  chosen,
  fields,
}: SceneParts): Pick<Scene, 'theme' | 'colours' | 'captions' | 'grid' | 'widgets'> {
  const widgets = config.widgets ?? [];
  return {
    ...themeIn(config.theme),
    captions: captionsOf(widgets, chosen),
    grid: gridOf(config),
    widgets: config.kind === 'APP' ? [APP] : arranged(widgets, (widget) => drawn(widget, charts, chosen, fields)),
  };
}

/** A program cannot be drawn. */
const APP: SceneWidget = { id: 'app', type: 'PLACEHOLDER', name: 'Dashboard app', x: 0, y: 0, w: 12, h: 4 };

function gridOf({ layout }: DashboardConfig): SceneGrid {
  const [across, down] = layout?.margin ?? [];
  const margin = across === undefined || down === undefined ? null : ([across, down] as const);
  return { columns: layout?.cols?.lg ?? null, rowHeight: layout?.rowHeight ?? null, margin };
}

/** Widgets that name a container by `config.parentId` lie in it, in the tab that `config.tabId` names, or the first. */
function arranged(widgets: readonly Widget[], draw: (widget: Widget) => Inner): SceneWidget[] {
  const containers = new Set(widgets.filter(({ type }) => type === 'CONTAINER').map(({ id }) => id));
  const parentOf = ({ type, config }: Widget): unknown =>
    type !== 'CONTAINER' && containers.has(config?.['parentId'] as string) ? config?.['parentId'] : undefined;
  return widgets
    .filter((widget) => parentOf(widget) === undefined)
    .map((widget) => {
      if (widget.type !== 'CONTAINER') return draw(widget);
      const inside = widgets.filter((each) => parentOf(each) === widget.id);
      return {
        ...placed(widget),
        type: 'CONTAINER',
        title: textIn(widget, 'title'),
        tabs: tabsOf(widget, inside, draw),
      };
    });
}

function tabsOf({ config }: Widget, inside: readonly Widget[], draw: (widget: Widget) => Inner): ContainerTab[] {
  const named = config?.['tabs'];
  const tabs = (Array.isArray(named) ? named : []).filter(isTab);
  if (tabs.length === 0) return [{ title: null, widgets: inside.map(draw) }];
  const ids = new Set(tabs.map(({ id }) => id));
  const tabOf = (widget: Widget): unknown => {
    const id = widget.config?.['tabId'];
    return ids.has(id as string) ? id : tabs[0]?.id;
  };
  return tabs.map(({ id, title }) => ({
    title: typeof title === 'string' ? title : null,
    widgets: inside.filter((each) => tabOf(each) === id).map(draw),
  }));
}

const isTab = (value: unknown): value is { id: string; title?: unknown } =>
  typeof value === 'object' && value !== null && typeof (value as { id?: unknown }).id === 'string';

function drawn(
  widget: Widget,
  charts: ReadonlyMap<string, DrawnChart>,
  chosen: Chosen,
  fields: SceneParts['fields'],
): Inner {
  const at = placed(widget);
  switch (widget.type) {
    case 'CHART':
      return { ...at, type: 'CHART', ...chartOf(widget, charts.get(widget.id)) };
    case 'TEXT': {
      const text = textIn(widget, 'text', 'content', 'markdown') ?? '';
      return { ...at, type: 'TEXT', title: textIn(widget, 'title'), text };
    }
    case 'FILTER':
    case 'TIME_GRAIN':
    case 'FIELD':
      return { ...at, type: widget.type, ...controlTexts(widget, chosen), ...fieldOf(fields, widget) };
    case 'DIVIDER':
      return { ...at, type: 'DIVIDER' };
    case 'AI':
      return { ...at, type: 'PLACEHOLDER', title: textIn(widget, 'title'), name: 'AI summary' };
    default:
      return { ...at, type: 'SPACER' };
  }
}

const fieldOf = (fields: SceneParts['fields'], { id }: Widget): { field?: ControlField } => {
  const field = fields?.get(id);
  return field === undefined ? {} : { field };
};

function chartOf(widget: Widget, found: DrawnChart | undefined): DrawnChart {
  const { title, description, chart } = found ?? NO_REPORT;
  return { title: textIn(widget, 'title') ?? title, description, chart };
}

const NO_REPORT: DrawnChart = { title: null, description: null, chart: { error: 'There is no such report' } };

const placed = ({ id, position }: Widget): Place & { id: string } => {
  const { x, y, w, h } = position;
  return { id, x, y, w, h };
};

function textIn({ config }: Widget, ...names: readonly string[]): string | null {
  const found = names.map((name) => config?.[name]).find((value) => typeof value === 'string');
  return typeof found === 'string' ? found : null;
}

/** What holds for the member of a control, not what the control has saved. */
function controlTexts(
  widget: Widget,
  { filters, timeGrains, memberSwitchers }: Chosen,
): { label: string; value: string } {
  const member = textIn(widget, 'member') ?? '';
  const of = ({ member: name }: { member: string }): boolean => name === member;
  const values = {
    FILTER: () => filters.filter(of).map(filterText),
    TIME_GRAIN: () => timeGrains.filter(of).map(({ grain }) => grain),
    FIELD: () => memberSwitchers.filter(of).map(({ selected }) => memberText(selected)),
  };
  const value = values[widget.type as keyof typeof values]().join(', ');
  return { label: textIn(widget, 'title', 'label') ?? memberText(member), value: value || 'All' };
}

/** What is chosen and has no control of its own. */
function captionsOf(widgets: readonly Widget[], { filters, timeGrains, memberSwitchers }: Chosen): Caption[] {
  const shown = new Set(widgets.map((widget) => `${widget.type} ${textIn(widget, 'member') ?? ''}`));
  const among = <Each extends { member: string }>(type: string, given: readonly Each[]): Each[] =>
    given.filter(({ member }) => !shown.has(`${type} ${member}`));
  return [
    ...among('FILTER', filters).map((each) => ({ label: memberText(each.member), value: filterText(each) })),
    ...among('TIME_GRAIN', timeGrains).map(({ member, grain }) => ({ label: memberText(member), value: grain })),
    ...among('FIELD', memberSwitchers).map(({ member, selected }) => ({
      label: memberText(member),
      value: memberText(selected),
    })),
  ];
}
