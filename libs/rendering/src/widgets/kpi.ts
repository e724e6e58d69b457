import { columnsOf, formatterOf, isNumeric, localeOf, numberOf } from '../drawing/format-value';
import { element, escaped, line } from '../drawing/svg';
import type { Fragment } from '../protocol';
import type { Chart, ChartColumn } from '../scene';
import { html, note, NotDrawable, svg, type Tools } from './widget-tools';

/** What the name of a column of a comparison says: `orders.count__1_month_percent`. */
const COMPARISON = /__(\d+)_([a-z]+)_(value|change|percent)$/;
const LARGEST = 40;
const SMALLEST = 14;

interface Figure {
  text: string;
  /** What it has risen by, as a part of what it was. */
  change: number | undefined;
  changeText: string;
  since: string;
}

/** The value of a report's first row, large, and below it what has become of it since an earlier period. */
export function drawKpi(chart: Chart, tools: Tools): Fragment {
  const figure = figureOf(chart, tools);
  if (!figure) return note(tools, 'No value');
  const up = (figure.change ?? 0) >= 0;
  if (tools.output === 'html') {
    const change = `<p class="plinth-change plinth-${up ? 'up' : 'down'}">${up ? '▲' : '▼'} ${escaped(figure.changeText)} <span>${escaped(figure.since)}</span></p>`;
    return html(
      tools,
      `<p class="plinth-value">${escaped(figure.text)}</p>${figure.change === undefined ? '' : change}`,
    );
  }
  return kpiSvg(figure, up, tools);
}

function kpiSvg({ text, change, changeText, since }: Figure, up: boolean, tools: Tools): Fragment {
  const { theme, fonts, width, height } = tools;
  const below = change === undefined ? 0 : 24;
  let size = Math.max(SMALLEST, Math.min(LARGEST, (height - below) * 0.72));
  while (size > SMALLEST && fonts.width(text, { size, bold: true }) > width) size -= 1;
  const block = size * 0.76 + below;
  const top = Math.max(0, (height - block) / 2);
  const value = fonts.fitted(text, width, { size, bold: true });
  const drawn = line(value, 0, top + size * 0.76, { size, fill: theme.ink, bold: true });
  if (change === undefined) return svg(tools, drawn);
  const fill = up ? theme.good : theme.bad;
  const y = top + block - 1;
  const arrow = up ? `M0,${y - 1}l4.5,-7l4.5,7z` : `M0,${y - 8}l4.5,7l4.5,-7z`;
  const bold = { size: 12, fill, bold: true };
  const x = 14 + fonts.width(changeText, bold) + 6;
  const rest = fonts.fitted(since, Math.max(0, width - x), { size: 12 });
  return svg(
    tools,
    drawn,
    element('path', { d: arrow, fill }),
    line(changeText, 14, y, bold),
    rest === '…' ? '' : line(rest, x, y, { size: 12, fill: theme.dim }),
  );
}

function figureOf(chart: Chart, { look }: Tools): Figure | undefined {
  const { column, other } = columnsFor(chart);
  const row = chart.rows[0];
  const value = row?.[column.name];
  if (value === undefined || value === null) return undefined;
  const text = formatterOf(column, look, [value])(value);
  const change = other && changeOf(numberOf(value), numberOf(row?.[other.name]), other.name);
  const percent = new Intl.NumberFormat(localeOf(look.locale), {
    ...{ style: 'percent', maximumFractionDigits: 1, signDisplay: 'exceptZero' },
  });
  return { text, change, changeText: change === undefined ? '' : percent.format(change), since: sinceOf(other?.name) };
}

/** What the chart names, or else the first measure and what it is compared with. */
function columnsFor(chart: Chart): { column: ChartColumn; other: ChartColumn | undefined } {
  const columns = columnsOf(chart);
  const spec = isRecord(chart.spec) ? chart.spec : {};
  const named = (key: string): ChartColumn | undefined => columns.find((column) => column.name === spec[key]);
  const measure = columns.find((column) => isNumeric(column) && !COMPARISON.test(column.name));
  const column = named('value') ?? measure ?? columns[0];
  if (!column) throw new NotDrawable('the report has no columns');
  const compared = ({ name }: ChartColumn): boolean => COMPARISON.test(name) && name.startsWith(column.name);
  return { column, other: named('compare') ?? columns.find(compared) };
}

function changeOf(value: number | undefined, other: number | undefined, name: string): number | undefined {
  if (value === undefined || other === undefined) return undefined;
  const output = COMPARISON.exec(name)?.[3] ?? 'value';
  if (output === 'percent') return other;
  const before = output === 'change' ? value - other : other;
  return before === 0 ? undefined : (value - before) / Math.abs(before);
}

function sinceOf(name: string | undefined): string {
  const [, amount, unit] = COMPARISON.exec(name ?? '') ?? [];
  if (amount === undefined || unit === undefined) return 'vs. before';
  return amount === '1' ? `vs. previous ${unit}` : `vs. ${amount} ${unit}s before`;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
