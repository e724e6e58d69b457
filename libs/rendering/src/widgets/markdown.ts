import { marked, type Token, type Tokens } from 'marked';
import type { LetterStyle } from '../drawing/fonts';
import { type Span, wrapped } from '../drawing/lines';
import { element, line, rounded } from '../drawing/svg';
import type { Fragment } from '../protocol';
import { html, svg, type Tools } from './widget-tools';

interface Style extends LetterStyle {
  fill: string;
  /** Behind the letters. */
  back?: string;
}

const MOST_LETTERS = 20_000;
const SIZE = 13;
const LINE = 1.5;
const HEADINGS = [20, 17, 15];
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
/** Elements whose contents are no text. */
const SILENT = /^<(script|style)\b/i;

/** Markdown as text. HTML in it is left out, and what stands in scripts, too. */
export function drawText(source: string, tools: Tools): Fragment {
  const text = source.slice(0, MOST_LETTERS);
  // What is dangerous in it goes where all markup is cleaned.
  if (tools.output === 'html')
    return html(tools, `<div class="plinth-text">${marked.parse(text, { async: false })}</div>`);
  return new TextFlow(tools).draw(marked.lexer(text));
}

class TextFlow {
  private readonly drawn: string[] = [];
  private y = 0;
  private full = false;
  private readonly base: Style;

  constructor(private readonly tools: Tools) {
    this.base = { size: SIZE, fill: tools.theme.ink };
  }

  draw(tokens: readonly Token[]): Fragment {
    this.blocks(tokens, 0);
    return svg(this.tools, ...this.drawn);
  }

  private blocks(tokens: readonly Token[], indent: number): void {
    for (const token of tokens) {
      if (this.full) return;
      this.block(token as Tokens.Generic, indent);
    }
  }

  private block(token: Tokens.Generic, indent: number): void {
    const draw: Readonly<Record<string, () => void>> = {
      heading: () => this.heading(token as Tokens.Heading, indent),
      paragraph: () => this.paragraph(token, indent, 7),
      text: () => this.paragraph(token, indent, 2),
      list: () => this.list(token as Tokens.List, indent),
      code: () => this.code(String(token['text']), indent),
      blockquote: () => this.quote(token.tokens ?? [], indent),
      hr: () => this.rule(),
      table: () => this.table(token as Tokens.Table, indent),
    };
    draw[token.type]?.();
  }

  private heading({ depth, tokens }: Tokens.Heading, indent: number): void {
    this.gap(this.y > 0 ? 6 : 0);
    this.spans(this.inline(tokens, { ...this.base, size: HEADINGS[depth - 1] ?? 13.5, bold: true }), indent);
    this.gap(4);
  }

  private paragraph(token: Tokens.Generic, indent: number, gap: number): void {
    this.spans(this.inline(token.tokens ?? [token], this.base), indent);
    this.gap(gap);
  }

  private list({ items, ordered, start }: Tokens.List, indent: number): void {
    for (const [index, item] of items.entries()) {
      if (this.full) return;
      const from = this.y;
      const sign = ordered ? `${(Number(start) || 1) + index}.` : '•';
      const width = this.tools.fonts.width(sign, this.base);
      const mark = line(sign, indent + 18 - width - 6, from + SIZE * 1.15, { size: SIZE, fill: this.tools.theme.dim });
      this.blocks(item.tokens, indent + 18);
      if (this.y > from) this.drawn.push(mark);
    }
    this.gap(5);
  }

  private code(text: string, indent: number): void {
    for (const each of text.split('\n')) this.spans([{ text: each, style: this.codeStyle(this.base) }], indent + 6);
    this.gap(7);
  }

  private quote(tokens: readonly Token[], indent: number): void {
    const from = this.y;
    this.blocks(tokens, indent + 14);
    const bar = {
      x: indent + 2,
      y: from,
      width: 3,
      height: Math.max(0, this.y - from - 7),
      fill: this.tools.theme.line,
    };
    this.drawn.push(element('rect', bar));
  }

  private rule(): void {
    const y = this.y + 6;
    this.drawn.push(element('line', { x1: 0, x2: this.tools.width, y1: y, y2: y, stroke: this.tools.theme.line }));
    this.gap(14);
  }

  private table({ header, rows }: Tokens.Table, indent: number): void {
    const joined = (cells: readonly Tokens.TableCell[], style: Style): Span<Style>[] =>
      cells.flatMap(({ tokens }, index) => [
        ...(index ? [{ text: '  ·  ', style }] : []),
        ...this.inline(tokens, style),
      ]);
    this.spans(joined(header, { ...this.base, bold: true }), indent);
    for (const row of rows) this.spans(joined(row, this.base), indent);
    this.gap(7);
  }

  private inline(tokens: readonly Token[], style: Style): Span<Style>[] {
    const spans: Span<Style>[] = [];
    let silentUntil: string | undefined;
    for (const token of tokens as Tokens.Generic[]) {
      if (token.type === 'html') {
        const opened = SILENT.exec(token.raw)?.[1]?.toLowerCase();
        if (opened !== undefined) silentUntil ??= opened;
        else if (silentUntil !== undefined && token.raw.toLowerCase().startsWith(`</${silentUntil}`))
          silentUntil = undefined;
      } else if (silentUntil === undefined) spans.push(...this.inlineToken(token, style));
    }
    return spans;
  }

  private inlineToken(token: Tokens.Generic, style: Style): Span<Style>[] {
    const { accent, dim } = this.tools.theme;
    const text = unescaped(String(token['text'] ?? token.raw));
    switch (token.type) {
      case 'codespan':
        return [{ text, style: this.codeStyle(style) }];
      case 'br':
        return [{ text: '\n', style }];
      case 'image':
        return [{ text: text || 'picture', style: { ...style, fill: dim, italic: true } }];
    }
    const changes: Readonly<Record<string, Partial<Style>>> = {
      strong: { bold: true },
      em: { italic: true },
      link: { fill: accent },
    };
    return token.tokens ? this.inline(token.tokens, { ...style, ...changes[token.type] }) : [{ text, style }];
  }

  private codeStyle = (style: Style): Style => ({ ...style, size: style.size - 1, back: this.tools.theme.tint });

  private spans(spans: readonly Span<Style>[], indent: number): void {
    for (const placed of wrapped(this.tools.fonts, spans, this.tools.width - indent)) {
      if (this.full) return;
      const size = Math.max(...placed.map(({ style }) => style.size), spans[0]?.style.size ?? SIZE);
      const height = size * LINE;
      if (this.y + height > this.tools.height + 2) {
        this.drawn.push(
          line('…', indent, Math.min(this.tools.height, this.y + 10), { size: SIZE, fill: this.tools.theme.dim }),
        );
        this.full = true;
        return;
      }
      const baseline = rounded(this.y + height * 0.5 + size * 0.36);
      for (const { text, style, x } of placed) {
        if (style.back !== undefined) this.drawn.push(this.backOf(text, style, indent + x, baseline));
        this.drawn.push(line(text, indent + x, baseline, style));
      }
      this.y += height;
    }
  }

  private backOf(text: string, style: Style, x: number, baseline: number): string {
    const width = this.tools.fonts.width(text, style) + 4;
    const place = { x: x - 2, y: baseline - style.size, width, height: style.size * 1.35, rx: 3 };
    return element('rect', { ...place, fill: style.back });
  }

  private gap(height: number): void {
    this.y += height;
  }
}

const unescaped = (text: string): string =>
  text.replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => ENTITIES[name] ?? '');
