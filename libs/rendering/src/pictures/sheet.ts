import type { Fonts } from '../drawing/fonts';
import { localeOf, timeZoneOf } from '../drawing/format-value';
import { wrapped } from '../drawing/lines';
import { at, element, escaped, line, rounded } from '../drawing/svg';
import { type Theme, themeOf } from '../drawing/theme';
import type { Box } from '../layout/grid';
import { type Frame, PADDING, type Plan, TITLE_HEIGHT } from '../layout/plan';
import type { Fragments, Head, Look } from '../protocol';
import { cleanSvg } from './clean-svg';

const CAPTION = 11.5;
const CAPTION_HEIGHT = 26;
const MOST_CAPTIONS = 40;

/** Draws the parts of pictures: the head, and each frame with what is in it. */
export class Sheet {
  readonly theme: Theme;

  constructor(
    private readonly fonts: Fonts,
    readonly look: Look,
    readonly plan: Plan,
    private readonly fragments: Fragments,
  ) {
    this.theme = themeOf(look);
  }

  get time(): string {
    return timeText(this.look);
  }

  /** Title, description, time and captions, from the upper left corner. */
  head({ title, description, captions }: Head): { markup: string; height: number } {
    const { width } = this.plan;
    const { ink, dim } = this.theme;
    const small = { size: 12, fill: dim };
    const time = line(this.time, width, 24, { ...small, anchor: 'end' });
    const room = width - this.fonts.width(this.time, small) - 24;
    const large = { size: 22, fill: ink, bold: true };
    const parts = [line(this.fonts.fitted(title, room, large), 0, 26, large), time];
    let y = 40;
    if (description) {
      for (const spans of wrapped(this.fonts, [{ text: description.slice(0, 1_000), style: small }], width).slice(
        0,
        3,
      )) {
        for (const span of spans) parts.push(line(span.text, span.x, y + 10, small));
        y += 18;
      }
    }
    const chips = this.captions(captions, width);
    parts.push(at(0, y + 4, chips.markup));
    return { markup: cleanSvg(parts.join(''), 'head', this.fonts), height: y + 4 + chips.height + 12 };
  }

  /** A frame, moved up by `from`; a panel is cut to what is visible of it. */
  frame(frame: Frame, from = 0, to = Infinity): string {
    if (frame.look === 'panel') return this.panel(frame, from, to);
    const index = this.plan.frames.indexOf(frame);
    const chrome = cleanSvg(this.chrome(frame), `f${index}`, this.fonts);
    return at(frame.x, frame.y - from, chrome, frame.body ? this.body(frame, frame.body, `w${index}`) : '');
  }

  private chrome(frame: Frame): string {
    const { theme } = this;
    const { width, height, title } = frame;
    if (frame.look === 'rule')
      return element('line', {
        x1: 0,
        x2: width,
        y1: height / 2,
        y2: height / 2,
        stroke: theme.line,
        'stroke-width': 1.5,
      });
    if (frame.look === 'heading') return this.heading(frame);
    const card = element('rect', {
      ...{ x: 0.5, y: 0.5, width: width - 1, height: height - 1, rx: 8 },
      ...{ fill: theme.card, stroke: theme.line },
    });
    if (frame.look === 'control') return card + this.control(frame);
    if (title === null) return card;
    const style = { size: 13, fill: theme.ink, bold: true };
    return card + line(this.fonts.fitted(title, width - 2 * PADDING, style), PADDING, TITLE_HEIGHT - 4, style);
  }

  private heading({ title, width, height }: Frame): string {
    const style = { size: 14, fill: this.theme.ink, bold: true };
    const text = this.fonts.fitted(title ?? '', width, style);
    const mark = {
      width: Math.min(width, this.fonts.width(text, style)),
      height: 2.5,
      y: height - 8,
      fill: this.theme.accent,
    };
    return line(text, 0, height - 15, style) + element('rect', mark);
  }

  private control({ title, value = '', width, height }: Frame): string {
    const { dim, ink } = this.theme;
    const label = { size: 11, fill: dim };
    const strong = { size: 12.5, fill: ink, bold: true };
    const room = width - 2 * PADDING;
    if (height >= 48) {
      const y = height / 2;
      return (
        line(this.fonts.fitted(title ?? '', room, label), PADDING, y - 5, label) +
        line(this.fonts.fitted(value, room, strong), PADDING, y + 14, strong)
      );
    }
    const name = this.fonts.fitted(`${title ?? ''}:`, room / 2, label);
    const x = PADDING + this.fonts.width(name, label) + 6;
    const y = height / 2 + 4.5;
    return line(name, PADDING, y, label) + line(this.fonts.fitted(value, width - x - PADDING, strong), x, y, strong);
  }

  private panel({ x, y, width, height }: Frame, from: number, to: number): string {
    const top = Math.max(y, from);
    const bottom = Math.min(y + height, to);
    const place = { x, y: top - from, width, height: Math.max(0, bottom - top), rx: 10 };
    return element('rect', { ...place, fill: this.theme.panel });
  }

  private body(frame: Frame, { x, y, width, height }: Box, prefix: string): string {
    const fragment = this.fragments[frame.id];
    const inside = { width, height };
    const left = x - frame.x;
    const top = y - frame.y;
    if (frame.note !== undefined) return at(left, top, this.message(frame.note, inside, this.theme.dim, `${prefix}n`));
    if (!fragment) return '';
    if ('error' in fragment) return at(left, top, this.message(fragment.error, inside, this.theme.bad, `${prefix}e`));
    const scale = Math.min(1, width / fragment.width, height / fragment.height);
    const markup = cleanSvg(fragment.markup, prefix, this.fonts);
    const scaling = `scale(${Math.floor(scale * 10_000) / 10_000})`;
    const drawn = scale < 1 ? element('g', { transform: scaling }, markup) : markup;
    if (!fragment.overflows) return at(left, top, drawn);
    const room = element('rect', { x: -4, y: -4, width: width + 8, height: height + 8 });
    const clip = element('clipPath', { id: `${prefix}-clip` }, room);
    return at(left, top, clip, element('g', { 'clip-path': `url(#${prefix}-clip)` }, drawn));
  }

  /** A sentence in the middle of its place, on as many lines as it needs. */
  private message(
    text: string,
    { width, height }: { width: number; height: number },
    fill: string,
    prefix: string,
  ): string {
    const style = { size: 12, fill };
    const most = Math.max(1, Math.floor(height / 18));
    const lines = wrapped(this.fonts, [{ text: text.slice(0, 500), style }], Math.min(width - 16, 460)).slice(0, most);
    const top = height / 2 - ((lines.length - 1) * 18) / 2 + 4;
    const drawn = lines.map((spans, index) =>
      line(spans.map((span) => span.text).join(''), width / 2, top + index * 18, { ...style, anchor: 'middle' }),
    );
    return cleanSvg(drawn.join(''), prefix, this.fonts);
  }

  private captions(captions: Head['captions'], width: number): { markup: string; height: number } {
    const { theme, fonts } = this;
    const style = { size: CAPTION, fill: theme.dim };
    const strong = { size: CAPTION, fill: theme.ink, bold: true };
    let x = 0;
    let y = 0;
    const drawn: string[] = [];
    for (const { label, value } of captions.slice(0, MOST_CAPTIONS)) {
      const name = fonts.fitted(`${label}:`, 200, style);
      const nameWidth = fonts.width(name, style);
      const text = fonts.fitted(value, Math.min(480, width - nameWidth - 40), strong);
      const chip = nameWidth + 5 + fonts.width(text, strong) + 22;
      if (x > 0 && x + chip > width) {
        x = 0;
        y += CAPTION_HEIGHT + 6;
      }
      const box = { x: x + 0.5, y: y + 0.5, width: chip - 1, height: CAPTION_HEIGHT - 1, rx: 13 };
      drawn.push(
        element('rect', { ...box, fill: theme.card, stroke: theme.line }),
        line(name, x + 11, y + 17, style),
        line(text, x + 11 + nameWidth + 5, y + 17, strong),
      );
      x += chip + 8;
    }
    return { markup: drawn.join(''), height: drawn.length === 0 ? 0 : y + CAPTION_HEIGHT };
  }
}

/** A whole picture. */
export const svgDocument = (width: number, height: number, fill: string, ...markup: readonly string[]): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${rounded(width)} ${rounded(height)}">` +
  `<rect width="${rounded(width)}" height="${rounded(height)}" fill="${escaped(fill)}"/>${markup.join('')}</svg>`;

export function timeText({ at: time, locale, timeZone }: Look): string {
  const zone = timeZoneOf(timeZone);
  const format = new Intl.DateTimeFormat(localeOf(locale), { dateStyle: 'medium', timeStyle: 'short', timeZone: zone });
  return `${format.format(time)} · ${zone}`;
}
