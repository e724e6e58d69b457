import { escaped, line } from '../drawing/svg';
import type { Fonts } from '../drawing/fonts';
import type { Theme } from '../drawing/theme';
import type { Fragment, Look } from '../protocol';

/** What a widget is drawn with. */
export interface Tools {
  fonts: Fonts;
  theme: Theme;
  look: Look;
  /** Room for it, in pixels. */
  width: number;
  height: number;
  output: 'picture' | 'html';
}

/** What is wrong with a widget, as a sentence for its reader. */
export class NotDrawable extends Error {
  override readonly name = 'NotDrawable';
}

export const svg = ({ width, height }: Pick<Tools, 'width' | 'height'>, ...markup: readonly string[]): Fragment => ({
  kind: 'svg',
  markup: markup.join(''),
  width,
  height,
});

export const html = ({ width, height }: Pick<Tools, 'width' | 'height'>, markup: string): Fragment => ({
  kind: 'html',
  markup,
  width,
  height,
});

/** A sentence in the middle. */
export function note(tools: Tools, text: string): Fragment {
  if (tools.output === 'html') return html(tools, `<p class="plinth-note">${escaped(text)}</p>`);
  const style = { size: 12, fill: tools.theme.dim, anchor: 'middle' as const };
  return svg(tools, line(tools.fonts.fitted(text, tools.width, style), tools.width / 2, tools.height / 2 + 4, style));
}
