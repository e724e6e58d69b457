import type { Plan } from './layout/plan';
import type { Scene, SceneColours, SceneWidget, ThemeName } from './scene';

/** What both programs are told first. */
export interface ProcessStart {
  /** Files of fonts; those after Noto Sans are for letters that it lacks. */
  fonts: readonly string[];
}

/** What every part of a scene is drawn with. */
export interface Look {
  theme: ThemeName;
  colours: SceneColours | null;
  locale: string;
  timeZone: string;
  /** Milliseconds since 1970. */
  at: number;
}

/** A part of a picture, drawn: the inside of an `<svg>` of this size, or HTML. */
export interface Fragment {
  kind: 'svg' | 'html';
  markup: string;
  width: number;
  height: number;
  /** Whether it may draw beyond its size, and is cut off there. */
  overflows?: boolean;
}

/** A widget that has something to be drawn. */
export type DrawableWidget = Extract<SceneWidget, { type: 'CHART' | 'TEXT' }>;

export interface WidgetJob {
  kind: 'widget';
  /** The rows of a chart come before it. */
  widget: DrawableWidget;
  /** In pixels. */
  width: number;
  height: number;
  output: 'picture' | 'html';
  look: Look;
  /** Bytes of markup at most. */
  limitBytes: number;
}

/** Head of a picture or page. */
export interface Head {
  title: string;
  description: string | null;
  captions: readonly { label: string; value: string }[];
}

export type Fragments = Readonly<Record<string, Fragment | { error: string }>>;

/** Where the drawing of a widget for narrow screens stands beside the one for wide ones. */
export const narrowId = (id: string): string => `${id} narrow`;

export interface PictureJob {
  kind: 'picture';
  format: 'png' | 'pdf';
  head: Head;
  look: Look;
  plan: Plan;
}

export interface PageJob {
  kind: 'page';
  head: Head;
  look: Look;
  grid: Scene['grid'];
  /** Without data. */
  widgets: readonly SceneWidget[];
}

export type Job = WidgetJob | PictureJob | PageJob;

/** What comes before a job, a piece at a time. */
export type Supply =
  { kind: 'rows'; rows: readonly unknown[] } | { kind: 'fragment'; id: string; fragment: Fragments[string] };

/** What a program says: once that it is there, and once to each job. */
export type Reply = { kind: 'ready' } | { kind: 'done'; value: unknown } | { kind: 'failed'; reason: string };
