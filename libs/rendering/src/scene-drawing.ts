import { localeOf, timeZoneOf } from './drawing/format-value';
import type { HtmlParts } from './html-parts';
import { leavesOf, type Plan, planOf } from './layout/plan';
import type { RenderLimits } from './limits';
import type { DrawingProcess } from './process/drawing-process';
import { JobFailed, ProcessEnded } from './process/drawing-process';
import type { ProcessPool } from './process/process-pool';
import {
  type DrawableWidget,
  type Fragment,
  type Fragments,
  type Head,
  type Job,
  type Look,
  narrowId,
  type Supply,
  type WidgetJob,
} from './protocol';
import type { Chart, ContainerWidget, Scene, SceneWidget } from './scene';

type Leaf = Exclude<SceneWidget, ContainerWidget>;
/** By the ids of widgets. */
type DrawnWidgets = Map<string, Fragments[string]>;

interface Drawn {
  widget: DrawableWidget;
  width: number;
  height: number;
}

interface SceneOptions {
  owner: string;
  signal: AbortSignal;
  onProgress?: (done: number, total: number) => void;
}

/** Width in pixels of a chart's second drawing, for phones, which charts that are wider get. */
const NARROW = 360;
const NARROW_HEIGHT = 280;
/** The room of a chart that stands nowhere. */
const ORDINARY = { width: 640, height: 400 };
const ROWS_AT_ONCE = 500;
const MOST_ROWS = 50_000;
/** More rows of a table than any picture or page shows. */
const MOST_TABLE_ROWS = 1_000;
const MOST_REASON = 200;

/** One scene on its way through the processes. */
export class SceneDrawing {
  constructor(
    private readonly processes: { widgets: ProcessPool; pictures: ProcessPool },
    private readonly limits: RenderLimits,
    private readonly options: SceneOptions,
  ) {}

  /** The bytes in Base64. */
  async picture(scene: Scene, format: 'png' | 'pdf'): Promise<string> {
    const plan = planOf(scene);
    const fragments = await this.widgets(scene, drawnOf(scene, plan), 'picture');
    const job: Job = { kind: 'picture', format, head: headOf(scene), look: lookOf(scene), plan };
    return (await this.compose(job, fragments)) as string;
  }

  async page(scene: Scene): Promise<HtmlParts> {
    const plan = planOf(scene);
    const fragments = await this.widgets(scene, drawnOf(scene, plan), 'html');
    const narrow = drawnOf(scene, plan).filter(
      ({ widget, width }) => width > NARROW && isSvg(fragments.get(widget.id)),
    );
    const drawn = await this.widgets(scene, narrow.map(narrowed), 'html');
    for (const [id, fragment] of drawn) fragments.set(narrowId(id), fragment);
    const widgets = scene.widgets.map(outlineOf);
    const job: Job = { kind: 'page', head: headOf(scene), look: lookOf(scene), grid: scene.grid ?? {}, widgets };
    return (await this.compose(job, fragments)) as HtmlParts;
  }

  async problemOf(chart: Chart): Promise<string | null> {
    const widget: DrawableWidget = { type: 'CHART', id: 'chart', title: null, chart, x: 0, y: 0, w: 1, h: 1 };
    const lane = new Lane(this.processes.widgets, this.options);
    const deadline = performance.now() + this.limits.sceneMs;
    try {
      const drawn = { widget, width: ORDINARY.width, height: ORDINARY.height };
      const fragment = await this.widget(lane, drawn, { output: 'picture', look: plainLook(), deadline });
      return 'error' in fragment ? fragment.error : null;
    } finally {
      lane.leave();
    }
  }

  private async widgets(scene: Scene, drawn: readonly Drawn[], output: WidgetJob['output']): Promise<DrawnWidgets> {
    const lane = new Lane(this.processes.widgets, this.options);
    const deadline = performance.now() + this.limits.sceneMs;
    const fragments: DrawnWidgets = new Map();
    let bytes = 0;
    try {
      for (const [index, each] of drawn.entries()) {
        const fragment = await this.widget(lane, each, { output, look: lookOf(scene), deadline });
        bytes += 'markup' in fragment ? fragment.markup.length : 0;
        fragments.set(each.widget.id, bytes > this.limits.sceneBytes ? failed('the dashboard is too large') : fragment);
        this.options.onProgress?.(index + 1, drawn.length + 1);
      }
    } finally {
      lane.leave();
    }
    return fragments;
  }

  private async widget(
    lane: Lane,
    { widget, width, height }: Drawn,
    { output, look, deadline }: Pick<WidgetJob, 'output' | 'look'> & { deadline: number },
  ): Promise<Fragment | { error: string }> {
    if (widget.type === 'CHART' && 'error' in widget.chart)
      return { error: widget.chart.error.slice(0, MOST_REASON * 2) };
    const timeoutMs = Math.min(this.limits.widgetMs, deadline - performance.now());
    if (timeoutMs <= 0) return failed('the dashboard took too long');
    const { widgetBytes } = this.limits;
    const bare = withoutRows(widget);
    const job: WidgetJob = { kind: 'widget', widget: bare, width, height, output, look, limitBytes: widgetBytes };
    try {
      // As JSON, letters beyond ASCII and quotes are longer.
      const reply = await lane.run(job, rowsOf(widget), { timeoutMs, replyBytes: 2 * widgetBytes + 10_000 });
      return { ...asFragment(reply), overflows: isFree(widget) };
    } catch (error) {
      this.options.signal.throwIfAborted();
      if (error instanceof JobFailed || error instanceof ProcessEnded) return failed(error.message);
      throw error;
    }
  }

  private async compose(job: Job, fragments: DrawnWidgets): Promise<unknown> {
    const lane = new Lane(this.processes.pictures, this.options);
    const supplies = [...fragments].map(([id, fragment]): Supply => ({ kind: 'fragment', id, fragment }));
    try {
      const { pictureMs: timeoutMs, pictureBytes } = this.limits;
      const value = await lane.run(job, supplies, {
        timeoutMs,
        replyBytes: Math.ceil((pictureBytes * 4) / 3) + 10_000,
      });
      const total = supplies.length + 1;
      this.options.onProgress?.(total, total);
      return value;
    } finally {
      lane.leave();
    }
  }
}

/** A process of the owner's, and another one when it has ended. */
class Lane {
  private process: DrawingProcess | undefined;
  private readonly abort = (): void => this.process?.stop();

  constructor(
    private readonly pool: ProcessPool,
    private readonly options: SceneOptions,
  ) {
    options.signal.addEventListener('abort', this.abort);
  }

  run(...[job, supplies, limits]: Parameters<DrawingProcess['run']>): Promise<unknown> {
    this.options.signal.throwIfAborted();
    if (this.process && !this.process.usable) this.give();
    this.process ??= this.pool.take(this.options.owner);
    return this.process.run(job, supplies, limits);
  }

  leave(): void {
    this.options.signal.removeEventListener('abort', this.abort);
    this.give();
  }

  private give(): void {
    if (this.process) this.pool.give(this.process);
    this.process = undefined;
  }
}

function drawnOf({ widgets }: Scene, plan: Plan): Drawn[] {
  const bodies = new Map(plan.frames.flatMap(({ id, body }) => (body ? [[id, body] as const] : [])));
  return leavesOf(widgets).flatMap((widget) => {
    const body = bodies.get(widget.id);
    if (!body || (widget.type !== 'CHART' && widget.type !== 'TEXT')) return [];
    return [{ widget, width: body.width, height: body.height }];
  });
}

function* rowsOf(widget: DrawableWidget): Generator<Supply> {
  if (widget.type !== 'CHART' || 'error' in widget.chart) return;
  const { rows } = widget.chart;
  const count = Math.min(rows.length, mostRows(widget.chart.kind));
  for (let from = 0; from < count; from += ROWS_AT_ONCE)
    yield { kind: 'rows', rows: rows.slice(from, Math.min(count, from + ROWS_AT_ONCE)) };
}

function mostRows(kind: string | null): number {
  if (kind === 'kpi') return 1;
  return kind === null || kind === 'table' ? MOST_TABLE_ROWS : MOST_ROWS;
}

/** Rows are sent apart from the widget, a piece at a time. */
function withoutRows(widget: DrawableWidget): DrawableWidget {
  if (widget.type !== 'CHART' || 'error' in widget.chart) return widget;
  const { rows, rowCount = 0 } = widget.chart;
  return { ...widget, chart: { ...widget.chart, rows: [], rowCount: Math.max(rowCount, rows.length) } };
}

/** What has to be known of a widget where all are put together. */
function outlineOf(widget: SceneWidget): SceneWidget {
  switch (widget.type) {
    case 'CONTAINER':
      return { ...widget, tabs: widget.tabs.map((tab) => ({ ...tab, widgets: tab.widgets.map(leafOutline) })) };
    default:
      return leafOutline(widget);
  }
}

function leafOutline(widget: Leaf): Leaf {
  if (widget.type === 'CHART') return { ...widget, chart: { error: '' } };
  return widget.type === 'TEXT' ? { ...widget, text: '' } : widget;
}

const isSvg = (fragment: Fragments[string] | undefined): boolean =>
  fragment !== undefined && 'kind' in fragment && fragment.kind === 'svg';

const narrowed = ({ widget, height }: Drawn): Drawn => ({
  widget,
  width: NARROW,
  height: Math.min(height, NARROW_HEIGHT),
});

/** Whether what is drawn is up to the chart. */
const isFree = (widget: DrawableWidget): boolean =>
  widget.type === 'CHART' && 'kind' in widget.chart && ['vega', 'map'].includes(widget.chart.kind ?? '');

/** What comes from where charts run is not trusted: its markup is cleaned where it is used. */
function asFragment(reply: unknown): Fragment {
  const { kind, markup, width, height } = (reply ?? {}) as Partial<Record<keyof Fragment, unknown>>;
  if ((kind !== 'svg' && kind !== 'html') || typeof markup !== 'string') throw new JobFailed('the renderer broke');
  const size = [width, height].map(Number);
  if (!size.every((each) => each > 0 && each < 100_000)) throw new JobFailed('it has no size');
  return { kind, markup, width: size[0] ?? 1, height: size[1] ?? 1 };
}

const failed = (reason: string): { error: string } => ({
  error: `This could not be drawn: ${reason.slice(0, MOST_REASON)}`,
});

const headOf = ({ title, description, captions }: Scene): Head => ({
  title,
  description: description ?? null,
  captions,
});

const lookOf = ({ theme, colours, locale, timeZone, at }: Scene): Look => ({
  theme,
  colours: colours ?? null,
  locale: localeOf(locale),
  timeZone: timeZoneOf(timeZone),
  at: at.getTime(),
});

const plainLook = (): Look => ({
  ...{ theme: 'light', colours: null, locale: localeOf('en'), timeZone: timeZoneOf('UTC') },
  at: Date.now(),
});
