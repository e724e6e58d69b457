import './fixed-world';
import * as vega from 'vega';
import { type Loader, logger, None, parse, type Spec, View, type ViewOptions } from 'vega';
import { expressionInterpreter } from 'vega-interpreter';
import type { Fonts } from '../../drawing/fonts';
import type { Fragment } from '../../protocol';
import type { Chart } from '../../scene';
import { NotDrawable, type Tools } from '../widget-tools';
import { chartConfig } from './chart-config';
import { chartRows } from './chart-rows';
import { vegaSpec } from './chart-spec';
import { fixWorld } from './fixed-world';
import { NoLoader } from './no-loader';
import { vegaLocale } from './vega-locale';

interface MeasuredItem {
  fontSize?: number;
  fontWeight?: unknown;
  fontStyle?: unknown;
  limit?: number;
}

type LoggerInterface = ReturnType<typeof logger>;

/** What Vega exports and does not declare. */
const internals = vega as unknown as {
  resetSVGDefIds: () => void;
  textMetrics: { width: (item: MeasuredItem, text: unknown) => number };
};

/** A report drawn by the Vega or Vega-Lite that it brings. */
export function drawVega(chart: Chart, tools: Tools): Promise<Fragment> {
  return drawSpec(chart.spec, chart, tools);
}

/** Expressions are interpreted, never compiled, and nothing is loaded. */
export async function drawSpec(spec: unknown, data: Pick<Chart, 'columns' | 'rows'>, tools: Tools): Promise<Fragment> {
  fixWorld(tools.look.at, tools.look.timeZone);
  measureWith(tools.fonts);
  const room = { width: Math.floor(tools.width), height: Math.floor(tools.height), config: chartConfig(tools.theme) };
  const vega = vegaSpec(spec, chartRows(data), room);
  return fragmentOf(await svgOf(vega, tools.look.locale), tools);
}

async function svgOf(spec: Spec, tag: string): Promise<string> {
  const loader = new NoLoader();
  const problems: string[] = [];
  internals.resetSVGDefIds();
  const view = new View(parse(spec, undefined, { ast: true }), {
    renderer: 'none',
    expr: expressionInterpreter,
    loader: loader as unknown as Loader,
    locale: vegaLocale(tag) as unknown as NonNullable<ViewOptions['locale']>,
    logger: loggerFor(problems),
  });
  try {
    const svg = await view.toSVG();
    const problem = loader.refused ?? problems[0];
    if (problem !== undefined) throw new NotDrawable(problem);
    return svg;
  } finally {
    view.finalize();
  }
}

/** Errors of the data flow are told to the logger alone. */
function loggerFor(problems: string[]): LoggerInterface {
  const silent = logger(None);
  silent.error = (...told: unknown[]) => {
    problems.push(told.map((each) => (each instanceof Error ? each.message : String(each))).join(' '));
    return silent;
  };
  return silent;
}

/** Without a canvas Vega guesses widths, half too wide. */
function measureWith(fonts: Fonts): void {
  internals.textMetrics.width = (item, text) => {
    const line = text === null || text === undefined ? '' : String(Array.isArray(text) ? text[0] : text);
    const bold = item.fontWeight === 'bold' || Number(item.fontWeight) >= 600;
    const style = { size: item.fontSize ?? 11, bold, italic: item.fontStyle === 'italic' };
    const width = fonts.width(line, style);
    return item.limit && item.limit > 0 ? Math.min(width, item.limit) : width;
  };
}

function fragmentOf(svg: string, tools: Tools): Fragment {
  const [root = ''] = /<svg\b[^>]*>/.exec(svg) ?? [];
  const [, , width = 0, height = 0] = (/viewBox="([^"]+)"/.exec(root)?.[1] ?? '').split(/\s+/).map(Number);
  if (!(width > 0 && height > 0)) throw new NotDrawable('it has no size');
  const markup = svg.slice(svg.indexOf(root) + root.length, svg.lastIndexOf('</svg>'));
  return { kind: 'svg', markup, width: Math.max(width, tools.width / 4), height: Math.max(height, tools.height / 4) };
}
