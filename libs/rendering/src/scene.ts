/**
 * What is to be drawn: a dashboard as it was published, with the data that its reader sees. Everything here is JSON but
 * `at`. Nothing in it has to be trusted: what is wrong with a widget stands in the widget's place.
 */
export interface Scene {
  title: string;
  description?: string | null;
  /** BCP 47, for numbers and dates; `en` when it is none. */
  locale: string;
  /** IANA name; UTC when it is none. */
  timeZone: string;
  /** The time of the data: shown in the head, and the only clock that charts see. */
  at: Date;
  theme: ThemeName;
  /** Colours of the dashboard's own, or of its reader's surroundings; ones that are none are passed over. */
  colours?: SceneColours | null;
  /** What the picture is narrowed to, shown below the title. */
  captions: readonly Caption[];
  grid?: SceneGrid;
  widgets: readonly SceneWidget[];
}

export type ThemeName = 'light' | 'dark';

/** `#rgb`, `#rrggbb` or `rgb(r, g, b)` each. */
export interface SceneColours {
  page?: string | null;
  card?: string | null;
  line?: string | null;
  ink?: string | null;
  dim?: string | null;
  accent?: string | null;
}

export interface Caption {
  label: string;
  value: string;
}

/** The grid that places are given in. */
export interface SceneGrid {
  /** As many as the widgets need, and at least 12, when absent. */
  columns?: number | null;
  /** In pixels; 40 when absent. */
  rowHeight?: number | null;
  /** Space between widgets, across and down, in pixels; 12 when absent. */
  margin?: readonly [number, number] | null;
}

/** Place and size in columns and rows of the grid, of the dashboard's or of the tab's that the widget lies in. */
export interface Place {
  x: number;
  y: number;
  w: number;
  h: number;
}

interface Widget extends Place {
  /** Unique in the scene. */
  id: string;
}

export type SceneWidget =
  ChartWidget | TextWidget | ControlWidget | DividerWidget | SpacerWidget | ContainerWidget | PlaceholderWidget;

export interface ChartWidget extends Widget {
  type: 'CHART';
  title: string | null;
  description?: string | null;
  chart: Chart | { error: string };
}

export interface TextWidget extends Widget {
  type: 'TEXT';
  title?: string | null;
  /** Markdown. HTML in it is left out. */
  text: string;
}

/** A filter, a granularity or a choice of members, shown as what is chosen. */
export interface ControlWidget extends Widget {
  type: 'FILTER' | 'TIME_GRAIN' | 'FIELD';
  label: string;
  value: string;
  /** On pages: how it is changed. What stands in it goes with the form of the page, whose id is `plinth-controls`. */
  field?: ControlField;
}

/** Fields of a form. */
export type ControlField =
  | { kind: 'choice'; name: string; options: readonly ControlOption[] }
  /** As many of the options as one likes; none stands for all. */
  | { kind: 'choices'; name: string; options: readonly ControlOption[] }
  | { kind: 'text'; name: string; value: string; hint?: string }
  | { kind: 'days'; from: DayField; to: DayField };

export interface ControlOption {
  value: string;
  label: string;
  chosen: boolean;
}

export interface DayField {
  name: string;
  label: string;
  /** `YYYY-MM-DD`, or nothing. */
  value: string;
}

export interface DividerWidget extends Widget {
  type: 'DIVIDER';
}

export interface SpacerWidget extends Widget {
  type: 'SPACER' | 'PARENT';
}

/** One tab, or several: pictures have them one below another. A container has no containers in it. */
export interface ContainerWidget extends Widget {
  type: 'CONTAINER';
  title?: string | null;
  tabs: readonly ContainerTab[];
}

export interface ContainerTab {
  title: string | null;
  /** Placed on a grid of the container's own, which has as many columns as the container is wide when none are named. */
  columns?: number | null;
  widgets: readonly Exclude<SceneWidget, ContainerWidget>[];
}

/** What has no picture: its name stands in its place. */
export interface PlaceholderWidget extends Widget {
  type: 'PLACEHOLDER';
  title?: string | null;
  /** What it is, for example `AI summary`. */
  name: string;
}

export type ChartKind = 'vega' | 'table' | 'kpi' | 'html' | 'map' | 'sankey';

/** A frozen report and its data. */
export interface Chart {
  /** A table when null. */
  kind: ChartKind | null;
  /** Vega or Vega-Lite for the kind `vega`, an object or JSON text; what else is known of other kinds. */
  spec?: unknown;
  preferences?: ChartPreferences | null;
  columns: readonly ChartColumn[];
  /** Values by the names of the columns. */
  rows: readonly Readonly<Record<string, unknown>>[];
  /** Rows that there are, when `rows` has been cut. */
  rowCount?: number;
}

export interface ChartPreferences {
  /** Goes before the format of the column, by the column's name. */
  columnFormats?: Readonly<Record<string, ColumnFormat>> | null;
}

export interface ColumnFormat {
  type: string;
  decimalPlaces?: number | null;
}

/** As `DataColumn` of the contract. */
export interface ChartColumn {
  name: string;
  title: string;
  /** `number`, `string`, `time`, `boolean`. */
  type: string;
  /** `currency`, `percent` (of parts of one) or `number`, also with digits as in `percent_1`. */
  format: string | null;
  decimalPlaces: number | null;
  /** ISO 4217, for `currency`; `USD` when absent. */
  currency?: string | null;
}
