import { inflateSync } from 'node:zlib';

/**
 * The texts of a PDF file that pdfkit has written, one by one in the order of drawing: fonts are embedded, and letters are
 * numbers of glyphs that each font's `ToUnicode` explains.
 */
export function pdfTexts(file: Buffer): string[] {
  const objects = objectsOf(file);
  const fonts = fontsOf(objects);
  return [...objects.values()].flatMap(({ stream }) =>
    stream?.includes('\nBT\n') === true ? textsOf(stream, fonts) : [],
  );
}

interface PdfObject {
  dictionary: string;
  stream: string | undefined;
}

type Letters = ReadonlyMap<string, string>;

function objectsOf(file: Buffer): Map<string, PdfObject> {
  const text = file.toString('latin1');
  const found = new Map<string, PdfObject>();
  for (const [, id = '', body = ''] of text.matchAll(/(\d+) 0 obj\n([\s\S]*?)\nendobj/g)) {
    const start = body.indexOf('stream\n');
    const dictionary = start < 0 ? body : body.slice(0, start);
    found.set(id, { dictionary, stream: start < 0 ? undefined : streamOf(dictionary, body.slice(start + 7)) });
  }
  return found;
}

function streamOf(dictionary: string, raw: string): string | undefined {
  const length = Number(/\/Length (\d+)/.exec(dictionary)?.[1]);
  const bytes = Buffer.from(raw.slice(0, length), 'latin1');
  if (!dictionary.includes('/FlateDecode')) return bytes.toString('latin1');
  return dictionary.includes('/Image') ? undefined : inflateSync(bytes).toString('latin1');
}

/** By the names that pages have for them. */
function fontsOf(objects: ReadonlyMap<string, PdfObject>): Map<string, Letters> {
  const fonts = new Map<string, Letters>();
  for (const { dictionary } of objects.values()) {
    for (const [, name = '', id = ''] of dictionary.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
      const unicode = /\/ToUnicode (\d+) 0 R/.exec(objects.get(id)?.dictionary ?? '')?.[1] ?? '';
      fonts.set(name, lettersOf(objects.get(unicode)?.stream ?? ''));
    }
  }
  return fonts;
}

function lettersOf(map: string): Letters {
  const letters = new Map<string, string>();
  for (const [, first = '', list = ''] of map.matchAll(/<([0-9a-f]+)> <[0-9a-f]+> \[([^\]]*)\]/gi)) {
    [...list.matchAll(/<([0-9a-f ]*)>/gi)].forEach(([, code = ''], index) => {
      const glyph = (Number.parseInt(first, 16) + index).toString(16).padStart(4, '0');
      letters.set(glyph, Buffer.from(code.replaceAll(' ', ''), 'hex').swap16().toString('utf16le'));
    });
  }
  return letters;
}

/** One for each text object; letters stand in it one by one, each at its place. */
function textsOf(content: string, fonts: ReadonlyMap<string, Letters>): string[] {
  return [...content.matchAll(/\nBT\n([\s\S]*?)\nET/g)].map(([, drawn = '']) => {
    let letters: Letters = new Map();
    let text = '';
    for (const [, font, hex = ''] of drawn.matchAll(/\/(F\d+) [\d.]+ Tf|<([0-9a-f]*)>/gi)) {
      if (font !== undefined) letters = fonts.get(font) ?? new Map<string, string>();
      else for (const glyph of hex.toLowerCase().match(/.{4}/g) ?? []) text += letters.get(glyph) ?? '?';
    }
    return text;
  });
}
