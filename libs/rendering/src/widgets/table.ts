import { columnsOf, formatterOf, isNumeric } from '../drawing/format-value';
import { element, escaped, line } from '../drawing/svg';
import type { Fragment } from '../protocol';
import type { Chart, ChartColumn } from '../scene';
import { html, note, NotDrawable, svg, type Tools } from './widget-tools';

const SIZE = 11.5;
const ROW = 26;
const HEAD = 30;
const FOOT = 22;
const GAP = 20;
const WIDEST = 280;
const NARROWEST = 48;
/** On pages, where tables are as long as they are. */
const HTML_ROWS = 200;
const MOST_COLUMNS = 60;

interface Column {
  column: ChartColumn;
  numeric: boolean;
  cells: string[];
}

/** The rows that there is room for, and how many there are besides. */
export function drawTable(chart: Chart, tools: Tools): Fragment {
  const columns = columnsOf(chart).slice(0, MOST_COLUMNS);
  if (columns.length === 0) throw new NotDrawable('the report has no columns');
  const total = Math.max(chart.rowCount ?? 0, chart.rows.length);
  if (total === 0) return note(tools, 'No rows');
  const shown = Math.min(chart.rows.length, tools.output === 'html' ? HTML_ROWS : rowsThatFit(tools.height, total));
  const filled = columns.map((column) => cellsOf(column, chart, tools, shown));
  return tools.output === 'html' ? tableHtml(filled, shown, total, tools) : tableSvg(filled, shown, total, tools);
}

function rowsThatFit(height: number, total: number): number {
  const all = Math.floor((height - HEAD) / ROW);
  return Math.max(0, all >= total ? total : Math.floor((height - HEAD - FOOT) / ROW));
}

function cellsOf(column: ChartColumn, { rows }: Chart, { look }: Tools, shown: number): Column {
  const values = rows.slice(0, shown).map((row) => row[column.name]);
  return { column, numeric: isNumeric(column), cells: values.map(formatterOf(column, look, values)) };
}

const more = (count: number): string => `${count.toLocaleString('en')} more ${count === 1 ? 'row' : 'rows'}`;

function tableHtml(columns: readonly Column[], shown: number, total: number, tools: Tools): Fragment {
  const cell = (tag: string, { numeric }: Column, text: string): string =>
    `<${tag}${numeric ? ' class="plinth-number"' : ''}>${escaped(text)}</${tag}>`;
  const row = (index: number): string =>
    `<tr>${columns.map((column) => cell('td', column, column.cells[index] ?? '')).join('')}</tr>`;
  const head = columns.map((column) => cell('th', column, column.column.title)).join('');
  const body = Array.from({ length: shown }, (_, index) => row(index)).join('');
  const rest = total > shown ? `<p class="plinth-more">${more(total - shown)}</p>` : '';
  return html(
    tools,
    `<div class="plinth-scroll"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>${rest}`,
  );
}

function tableSvg(columns: readonly Column[], shown: number, total: number, tools: Tools): Fragment {
  const { theme, fonts, width } = tools;
  const widths = widthsOf(columns, tools);
  let x = 0;
  const drawn = columns.map(({ column, numeric, cells }, index) => {
    const room = widths[index] ?? 0;
    const edge = numeric ? x + room - GAP / 2 : x + GAP / 2;
    const anchor = numeric ? ('end' as const) : ('start' as const);
    x += room;
    const put = (text: string, y: number, fill: string, bold: boolean): string =>
      line(fonts.fitted(text, room - GAP + 4, { size: SIZE, bold }), edge, y, { size: SIZE, fill, bold, anchor });
    return [
      put(column.title, 19, theme.dim, true),
      ...cells.map((cell, row) => put(cell, HEAD + row * ROW + 17, theme.ink, false)),
    ];
  });
  const rule = (y: number): string => element('line', { x1: 0, x2: width, y1: y, y2: y, stroke: theme.line });
  const rules = Array.from({ length: shown + 1 }, (_, index) => rule(HEAD + index * ROW));
  const rest = { size: 11, fill: theme.dim };
  return svg(
    tools,
    element('rect', { width, height: HEAD, rx: 4, fill: theme.tint }),
    ...rules,
    ...drawn.flat(),
    total > shown ? line(more(total - shown), GAP / 2, HEAD + shown * ROW + 16, rest) : '',
  );
}

/** As wide as their texts when that fits; otherwise the widest texts give way first, numbers last. */
function widthsOf(columns: readonly Column[], { fonts, width }: Tools): number[] {
  const wanted = columns.map(({ column, cells }) => {
    const texts = cells.map((cell) => fonts.width(cell, { size: SIZE }));
    return Math.min(WIDEST, Math.max(fonts.width(column.title, { size: SIZE, bold: true }), ...texts) + GAP);
  });
  const sum = wanted.reduce((total, each) => total + each, 0);
  if (sum <= width) return wanted.map((each) => each + (width - sum) / wanted.length);
  const isText = columns.map(({ numeric }) => !numeric);
  const narrowed = narrow(wanted, sum - width, isText);
  const rest = narrowed.reduce((total, each) => total + each, 0);
  return rest > width + 0.5 ? narrowed.map((each) => (each * width) / rest) : narrowed;
}

/** Takes from the widest columns of text what is too much. */
function narrow(widths: readonly number[], excess: number, isText: readonly boolean[]): number[] {
  const narrowed = [...widths];
  const texts = narrowed.map((_, index) => index).filter((index) => isText[index]);
  const widthAt = (index: number): number => narrowed[index] ?? 0;
  for (let left = excess; left > 0.5;) {
    const widest = texts.reduce((best, index) => (widthAt(index) > widthAt(best) ? index : best), texts[0] ?? -1);
    const step = Math.min(left, 8, widthAt(widest) - NARROWEST);
    if (widest < 0 || step <= 0) break;
    narrowed[widest] = widthAt(widest) - step;
    left -= step;
  }
  return narrowed;
}
