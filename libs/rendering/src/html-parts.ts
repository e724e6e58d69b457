/** A scene as HTML without scripts, without style attributes, and without an address that a browser would load by itself. */
export interface HtmlParts {
  title: string;
  /** Everything: head, captions and the widgets on their grid. It belongs into `<body>`. */
  body: string;
  /** The widgets on their grid alone. They belong into an element of the class `plinth-dashboard`. */
  grid: string;
  /** What the theme has come to. */
  colours: HtmlColours;
  /** Rules for `body` and for each part. Class names begin with `plinth-`. */
  css: string;
  /** The widgets one by one, in the order of the scene; those in containers stand in these. */
  parts: readonly HtmlPart[];
}

/** Colours as `#rrggbb`; in `css` they are variables such as `--accent`. */
export interface HtmlColours {
  page: string;
  card: string;
  line: string;
  ink: string;
  dim: string;
  accent: string;
  onAccent: string;
  good: string;
  bad: string;
}

export interface HtmlPart {
  /** Id of the widget. */
  id: string;
  html: string;
}
