import type { Fonts, LetterStyle } from './fonts';

/** Text of one style. A `text` of a line feed ends the line. */
export interface Span<S extends LetterStyle = LetterStyle> {
  text: string;
  style: S;
}

/** A span in its place on a line. */
export interface PlacedSpan<S extends LetterStyle> extends Span<S> {
  x: number;
}

/** Words, spaces between them, and letters of scripts that are written without spaces. */
const PARTS = /\n|\s+|[\u3000-\u9fff\uac00-\ud7af]|[^\s\u3000-\u9fff\uac00-\ud7af]+/g;

/** Spans broken into lines that are no wider than they may be; a word that is wider itself is broken. */
export function wrapped<S extends LetterStyle>(
  fonts: Fonts,
  spans: readonly Span<S>[],
  width: number,
): PlacedSpan<S>[][] {
  const lines: PlacedSpan<S>[][] = [[]];
  let x = 0;
  let space = 0;
  const next = (): void => {
    lines.push([]);
    x = 0;
    space = 0;
  };
  const put = (text: string, style: S): void => {
    const last = lines.at(-1)?.at(-1);
    x += space;
    // Spaces at the ends of a span are not drawn: the next one begins after them.
    if (last?.style === style) last.text += `${space > 0 ? ' ' : ''}${text}`;
    else lines.at(-1)?.push({ text, style, x });
    x += fonts.width(text, style);
    space = 0;
  };
  for (const { text, style } of spans) {
    for (const part of text.match(PARTS) ?? []) {
      if (part === '\n') next();
      else if (/^\s/.test(part)) space = x > 0 ? fonts.width(' ', style) : 0;
      else {
        if (x > 0 && x + space + fonts.width(part, style) > width) next();
        for (const piece of pieces(fonts, part, style, width)) {
          if (x > 0 && x + space + fonts.width(piece, style) > width) next();
          put(piece, style);
        }
      }
    }
  }
  return lines;
}

function pieces(fonts: Fonts, word: string, style: LetterStyle, width: number): string[] {
  if (fonts.width(word, style) <= width) return [word];
  const pieces: string[] = [];
  let piece = '';
  for (const letter of word) {
    if (piece && fonts.width(piece + letter, style) > width) {
      pieces.push(piece);
      piece = '';
    }
    piece += letter;
  }
  return [...pieces, piece];
}
