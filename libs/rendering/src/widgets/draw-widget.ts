import { createRequire } from 'node:module';
import type { Fonts } from '../drawing/fonts';
import { timeZoneOf } from '../drawing/format-value';
import { themeOf } from '../drawing/theme';
import type { Fragment, WidgetJob } from '../protocol';
import type { Chart } from '../scene';
import { drawKpi } from './kpi';
import type * as Maps from './map';
import type * as Texts from './markdown';
import type * as Sankeys from './sankey';
import { drawTable } from './table';
import type * as Charts from './vega/draw-vega';
import { NotDrawable, note, type Tools } from './widget-tools';

/** What only some widgets need is loaded for the first of them. */
const load = createRequire(__filename);

/**
 * @throws NotDrawable, or what the chart has thrown
 */
export async function drawWidget({ widget, ...job }: WidgetJob, rows: Chart['rows'], fonts: Fonts): Promise<Fragment> {
  const look = { ...job.look, timeZone: timeZoneOf(job.look.timeZone) };
  const { width, height, output } = job;
  const tools: Tools = { fonts, theme: themeOf(look), look, width, height, output };
  const fragment = await draw(widget, rows, tools);
  if (Buffer.byteLength(fragment.markup) > job.limitBytes) throw new NotDrawable('it has too much to draw');
  return fragment;
}

function draw(widget: WidgetJob['widget'], rows: Chart['rows'], tools: Tools): Fragment | Promise<Fragment> {
  if (widget.type === 'TEXT') return (load('./markdown') as typeof Texts).drawText(widget.text, tools);
  if ('error' in widget.chart) throw new NotDrawable(widget.chart.error);
  const chart = { ...widget.chart, rows };
  switch (chart.kind) {
    case 'vega':
      return (load('./vega/draw-vega') as typeof Charts).drawVega(chart, tools);
    case 'kpi':
      return drawKpi(chart, tools);
    case 'map':
      return (load('./map') as typeof Maps).drawMap(chart, tools);
    case 'sankey':
      return (load('./sankey') as typeof Sankeys).drawSankey(chart, tools);
    case 'html':
      return note(tools, 'HTML: open the dashboard to see it');
    default:
      return drawTable(chart, tools);
  }
}
