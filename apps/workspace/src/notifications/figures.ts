import type { ChartWidget, Scene, SceneWidget } from '@plinth/rendering';

/** A number that a query gave, and what it is of. */
export interface Figure {
  /** The same for the same figure in another run. */
  key: string;
  label: string;
  value: string;
}

/** A figure beside what it was in the last run; null for one that was not there. */
export type ComparedFigure = Omit<Figure, 'key'> & { previous: string | null };

const MOST_FIGURES = 60;
const MOST_ROWS = 10;
const MOST_LABEL = 200;
const MOST_VALUE = 50;

/** The first numbers of each chart, in the order of the dashboard. */
export const figuresOf = ({ widgets }: Pick<Scene, 'widgets'>): Figure[] =>
  chartsIn(widgets).flatMap(figuresIn).slice(0, MOST_FIGURES);

export function compare(now: readonly Figure[], before: readonly Figure[]): ComparedFigure[] {
  const previous = new Map(before.map(({ key, value }) => [key, value]));
  return now.map(({ key, label, value }) => ({ label, value, previous: previous.get(key) ?? null }));
}

export const hasChanged = ({ value, previous }: ComparedFigure): boolean => value !== previous;

const chartsIn = (widgets: readonly SceneWidget[]): ChartWidget[] =>
  widgets.flatMap((widget) => {
    if (widget.type === 'CHART') return [widget];
    return widget.type === 'CONTAINER' ? widget.tabs.flatMap((tab) => chartsIn(tab.widgets)) : [];
  });

function figuresIn({ id, title, chart }: ChartWidget): Figure[] {
  if ('error' in chart) return [];
  const numbers = chart.columns.filter(({ type }) => type === 'number');
  const names = chart.columns.filter(({ type }) => type !== 'number');
  return chart.rows.slice(0, MOST_ROWS).flatMap((row) => {
    const of = names.map(({ name }) => textOf(row[name]));
    return numbers.flatMap((column) => {
      const value = textOf(row[column.name]);
      if (value === '' || !Number.isFinite(Number(value))) return [];
      const label = [title ?? 'Chart', ...of, column.title].filter((part) => part !== '').join(' · ');
      const key = JSON.stringify([id, column.name, ...of]).slice(0, 2 * MOST_LABEL);
      return [{ key, label: label.slice(0, MOST_LABEL), value: value.slice(0, MOST_VALUE) }];
    });
  });
}

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
