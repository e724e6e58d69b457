import { sankey, sankeyLinkHorizontal } from 'd3-sankey';
import { columnsOf, formatterOf, isNumeric, numberOf } from '../drawing/format-value';
import { element, line } from '../drawing/svg';
import type { Fragment } from '../protocol';
import type { Chart, ChartColumn } from '../scene';
import { note, NotDrawable, svg, type Tools } from './widget-tools';

const MOST_LINKS = 300;
const SIZE = 11;
const NODE = 12;

interface Flow {
  source: string;
  target: string;
  value: number;
}

/** From one thing to another, as broad as the value. */
export function drawSankey(chart: Chart, tools: Tools): Fragment {
  const flows = flowsOf(chart);
  if (flows.length === 0) return note(tools, 'No rows');
  const { nodes, links } = laidOut(flows, tools);
  const path = sankeyLinkHorizontal();
  const { palette } = tools.theme;
  const colour = (index = 0): string => palette[index % palette.length] ?? tools.theme.accent;
  const bands = links.map((link) =>
    element('path', {
      d: (path(link) ?? '').replace(/(\.\d\d)\d+/g, '$1'),
      fill: 'none',
      stroke: colour(typeof link.source === 'object' ? link.source.index : 0),
      'stroke-opacity': 0.35,
      'stroke-width': Math.max(1, link.width ?? 1),
    }),
  );
  const value = formatterOf(columnOfValue(chart), tools.look);
  const bars = nodes.flatMap((node) => {
    const { x0 = 0, x1 = 0, y0 = 0, y1 = 0 } = node;
    const onLeft = x0 < tools.width / 2;
    const middle = (y0 + y1) / 2 + SIZE * 0.36;
    const label = tools.fonts.fitted(`${node.name}  ${value(node.value ?? 0)}`, tools.width / 3, { size: SIZE });
    const x = onLeft ? x1 + 6 : x0 - 6;
    return [
      element('rect', { x: x0, y: y0, width: x1 - x0, height: Math.max(1, y1 - y0), rx: 2, fill: colour(node.index) }),
      line(label, x, middle, { size: SIZE, fill: tools.theme.ink, anchor: onLeft ? 'start' : 'end' }),
    ];
  });
  return svg(tools, ...bands, ...bars);
}

function laidOut(flows: readonly Flow[], { width, height }: Tools) {
  const names = [...new Set(flows.flatMap(({ source, target }) => [source, target]))];
  const indexOf = new Map(names.map((name, index) => [name, index]));
  const at = (name: string): number => indexOf.get(name) ?? 0;
  const layout = sankey<{ name: string }, object>()
    .nodeWidth(NODE)
    .nodePadding(Math.max(4, Math.min(16, height / (names.length * 2))))
    .extent([
      [1, 4],
      [Math.max(2, width - 1), Math.max(5, height - 4)],
    ]);
  const links = flows.map(({ source, target, value }) => ({ source: at(source), target: at(target), value }));
  try {
    return layout({ nodes: names.map((name) => ({ name })), links });
  } catch {
    throw new NotDrawable('what flows has to end somewhere: there is a circle in the rows');
  }
}

function flowsOf(chart: Chart): Flow[] {
  const spec = typeof chart.spec === 'object' && chart.spec !== null ? (chart.spec as Record<string, unknown>) : {};
  const texts = chart.columns.filter((column) => !isNumeric(column)).map(({ name }) => name);
  const name = (key: string, fallback: string | undefined): string | undefined =>
    chart.columns.find((column) => column.name === spec[key])?.name ?? fallback;
  const source = name('source', texts[0]);
  const target = name('target', texts[1]);
  const value = columnOfValue(chart).name;
  if (source === undefined || target === undefined)
    throw new NotDrawable('a sankey needs a column for each end and one for the value');
  return chart.rows
    .map((row) => ({ source: textOf(row[source]), target: textOf(row[target]), value: numberOf(row[value]) ?? 0 }))
    .filter((flow) => flow.value > 0 && flow.source !== flow.target)
    .slice(0, MOST_LINKS);
}

function columnOfValue(chart: Chart): ChartColumn {
  const columns = columnsOf(chart);
  const wanted = (chart.spec as { value?: unknown } | null | undefined)?.value;
  const column = columns.find(({ name }) => name === wanted) ?? columns.find(isNumeric);
  if (!column) throw new NotDrawable('a sankey needs a column for each end and one for the value');
  return column;
}

const textOf = (value: unknown): string =>
  (value === null || value === undefined ? '–' : String(value)).trim().slice(0, 200);
