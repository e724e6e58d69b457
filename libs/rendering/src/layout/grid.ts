import type { Place, SceneGrid } from '../scene';

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Width of a picture without its edges, in pixels. */
export const DRAWING_WIDTH = 1_160;

const LEAST_COLUMNS = 12;
const MOST_COLUMNS = 200;
const ROW_HEIGHT = 40;
const MARGIN = 12;
/** Places come from clients; what a picture makes of them has bounds. */
const MOST_ROWS = 2_000;
const LEAST_SIZE = 16;

/** Turns columns and rows into pixels. */
export class Grid<W extends Place> {
  readonly columns: number;
  private readonly rowHeight: number;
  private readonly across: number;
  private readonly down: number;
  private readonly columnWidth: number;

  constructor(
    private readonly widgets: readonly W[],
    { columns, rowHeight, margin }: SceneGrid,
    private readonly width: number,
  ) {
    const needed = Math.max(...[1, ...widgets.map(({ x, w }) => whole(x, 0) + whole(w, 1))]);
    this.columns = Math.min(MOST_COLUMNS, Math.max(columns ?? LEAST_COLUMNS, needed, 1));
    this.rowHeight = within(rowHeight ?? ROW_HEIGHT, 4, 400);
    this.across = within(margin?.[0] ?? MARGIN, 0, 60);
    this.down = within(margin?.[1] ?? MARGIN, 0, 60);
    this.columnWidth = Math.max(1, (width - this.across * (this.columns - 1)) / this.columns);
  }

  widthOf({ w }: Place): number {
    const columns = Math.min(whole(w, 1), this.columns);
    return Math.min(this.width, columns * this.columnWidth + (columns - 1) * this.across);
  }

  /**
   * The widgets in their places, from top to bottom.
   *
   * @param heightOf - The height that a widget needs, in pixels; undefined for those that fit into their place.
   */
  place(heightOf: (widget: W) => number | undefined): { widget: W; box: Box }[] {
    const sorted = [...this.widgets].sort((a, b) => a.y - b.y || a.x - b.x);
    const top = Math.min(...sorted.map(({ y }) => whole(y, 0)));
    const placed = sorted.map((widget) => {
      const rows = whole(widget.h, 1);
      const height = Math.max(LEAST_SIZE, rows * this.rowHeight + (rows - 1) * this.down);
      const end = whole(widget.y, 0) + rows;
      return { widget, end, height, needed: Math.max(height, heightOf(widget) ?? 0) };
    });
    return placed.map(({ widget, needed }) => {
      const x = Math.min(whole(widget.x, 0), this.columns - 1) * (this.columnWidth + this.across);
      const row = whole(widget.y, 0);
      const y = (row - top) * (this.rowHeight + this.down) + growthAbove(row, placed);
      return { widget, box: { x, y, width: this.widthOf(widget), height: needed } };
    });
  }
}

/** How much higher what ends above a row is than its place: the highest growth of each row in which something ends. */
function growthAbove(row: number, placed: readonly { end: number; height: number; needed: number }[]): number {
  const byEnd = new Map<number, number>();
  for (const { end, height, needed } of placed) {
    if (end <= row && needed > height) byEnd.set(end, Math.max(byEnd.get(end) ?? 0, needed - height));
  }
  return [...byEnd.values()].reduce((sum, each) => sum + each, 0);
}

const within = (value: number, least: number, most: number): number =>
  Number.isFinite(value) ? Math.min(most, Math.max(least, value)) : least;

const whole = (value: number, least: number): number => Math.trunc(within(value, least, MOST_ROWS));
