/** A scene as HTML without scripts, without style attributes, and without an address that a browser would load by itself. */
export interface HtmlParts {
  title: string;
  /** Everything: head, captions and the widgets on their grid. It belongs into `<body>`. */
  body: string;
  /** Rules for `body` and for each part. Class names begin with `plinth-`. */
  css: string;
  /** The widgets one by one, in the order of the scene; those in containers stand in these. */
  parts: readonly HtmlPart[];
}

export interface HtmlPart {
  /** Id of the widget. */
  id: string;
  html: string;
}
