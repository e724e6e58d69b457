import { type Font, type FontCollection, openSync } from 'fontkit';
import { FONT } from './theme';

export interface Face {
  family: string;
  bold: boolean;
  italic: boolean;
  path: string;
}

export interface LetterStyle {
  size: number;
  bold?: boolean | undefined;
  italic?: boolean | undefined;
}

/** A part of a text that one font has letters for. */
export interface Run {
  family: string;
  text: string;
}

/** They change the look of the letter before them and have none of their own. */
const INVISIBLE = /^[\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufe00-\ufe0f]$/;

/** The fonts that a picture is drawn with: widths of texts, and which font has which letters. */
export class Fonts {
  readonly faces: readonly Face[];
  private readonly opened: readonly { face: Face; font: Font }[];
  private readonly widths = new Map<string, number>();
  private readonly owners = new Map<number, string>();

  /** @param paths - Those of Noto Sans first. What is no font is passed over. */
  constructor(paths: readonly string[]) {
    this.opened = paths.flatMap((path) => open(path));
    this.faces = this.opened.map(({ face }) => face);
  }

  /** In pixels. Letters that no font has count as the box that stands for them. */
  width(text: string, { size, bold = false, italic = false }: LetterStyle): number {
    let sum = 0;
    for (const letter of text) sum += INVISIBLE.test(letter) ? 0 : this.advance(letter, bold, italic);
    return sum * size;
  }

  /** The text in parts by font, in which Noto Sans has the letters that no font has: it draws a box for them. */
  runs(text: string): Run[] {
    const runs: Run[] = [];
    for (const letter of text) {
      const last = runs.at(-1);
      const family = last && (letter === ' ' || INVISIBLE.test(letter)) ? last.family : this.familyFor(letter);
      if (last?.family === family) last.text += letter;
      else runs.push({ family, text: letter });
    }
    return runs;
  }

  /** The face that is nearest to what is asked for. */
  faceOf(family: string, bold: boolean, italic: boolean): Face | undefined {
    const faces = this.faces.filter((each) => each.family === family);
    const exact = faces.find((each) => each.bold === bold && each.italic === italic);
    return exact ?? faces.find((each) => each.bold === bold) ?? faces[0] ?? this.faces[0];
  }

  /** The text, cut with an ellipsis where it is wider than it may be. */
  fitted(text: string, width: number, style: LetterStyle): string {
    if (this.width(text, style) <= width) return text;
    const letters = [...text];
    let least = 0;
    for (let most = letters.length; least < most;) {
      const middle = Math.ceil((least + most) / 2);
      if (this.width(`${letters.slice(0, middle).join('')}…`, style) <= width) least = middle;
      else most = middle - 1;
    }
    return `${letters.slice(0, least).join('').trimEnd()}…`;
  }

  private advance(letter: string, bold: boolean, italic: boolean): number {
    const key = `${bold}${italic}${letter}`;
    const known = this.widths.get(key);
    if (known !== undefined) return known;
    const face = this.faceOf(this.familyFor(letter), bold, italic);
    const font = this.opened.find((each) => each.face === face)?.font;
    const width = font ? font.glyphForCodePoint(letter.codePointAt(0) ?? 0).advanceWidth / font.unitsPerEm : 0.6;
    this.widths.set(key, width);
    return width;
  }

  private familyFor(letter: string): string {
    const point = letter.codePointAt(0) ?? 0;
    const known = this.owners.get(point);
    if (known !== undefined) return known;
    const family = this.opened.find(({ font }) => font.hasGlyphForCodePoint(point))?.face.family ?? FONT;
    this.owners.set(point, family);
    return family;
  }
}

function open(path: string): { face: Face; font: Font }[] {
  try {
    const font = openSync(path);
    if (isCollection(font)) return [];
    const style = font.subfamilyName;
    const face = { family: font.familyName, bold: /bold/i.test(style), italic: /italic|oblique/i.test(style), path };
    return [{ face, font }];
  } catch {
    return [];
  }
}

const isCollection = (font: Font | FontCollection): font is FontCollection =>
  font.type === 'TTC' || font.type === 'DFont';
