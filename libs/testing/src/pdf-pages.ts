import { inflateSync } from 'node:zlib';

/** Texts of the pages of a PDF as pdfkit writes it, the names of the fonts that are embedded, and the times that it tells. */
export function pdfPages(pdf: Buffer): { pages: string[]; fonts: string[]; times: string[] } {
  const objects = objectsOf(pdf);
  const letters = new Map<string, Map<string, string>>();
  for (const { head } of objects.values())
    for (const [, name = '', id = ''] of head.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
      const map = /\/ToUnicode (\d+) 0 R/.exec(objects.get(id)?.head ?? '')?.[1];
      if (map) letters.set(name, lettersOf(objects.get(map)?.stream ?? ''));
    }
  const heads = [...objects.values()].map(({ head }) => head);
  const pages = heads.filter((head) => /\/Type \/Page\b/.test(head));
  const embedded = heads.filter((head) => /\/FontFile2 /.test(head));
  const names = embedded.map((head) => /\/FontName \/\w+\+([\w-]+)/.exec(head)?.[1] ?? '');
  return {
    pages: pages.map((head) => textOf(drawnBy(head, objects), letters)),
    fonts: [...new Set(names)].sort(),
    times: [...new Set(heads.flatMap((head) => /\((D:\w+)\)/.exec(head)?.[1] ?? []))],
  };
}

/** As {@link pdfPages}, the texts of all pages one by one, in the order of drawing. */
export const pdfTexts = (pdf: Buffer): string[] =>
  pdfPages(pdf).pages.flatMap((page) => page.split('\n').filter((text) => text !== ''));

interface PdfObject {
  head: string;
  stream: string;
}

function objectsOf(pdf: Buffer): Map<string, PdfObject> {
  const text = pdf.toString('latin1');
  const objects = [...text.matchAll(/(?:^|\n)(\d+) 0 obj\n([\s\S]*?)\nendobj/g)].map(([, id = '', body = '']) => {
    const [head = '', stream] = body.split(/\nstream\n/, 2);
    const bytes =
      stream === undefined ? undefined : Buffer.from(stream.slice(0, stream.lastIndexOf('\nendstream')), 'latin1');
    const plain = bytes && /FlateDecode/.test(head) ? inflateSync(bytes) : bytes;
    return [id, { head, stream: plain?.toString('latin1') ?? '' }] as const;
  });
  return new Map(objects);
}

/** The letters of the codes of a font, from its map to Unicode. */
function lettersOf(map: string): Map<string, string> {
  const letters = new Map<string, string>();
  for (const [, from = '', list = ''] of map.matchAll(/<(\w{4})> <\w{4}> \[([^\]]*)\]/g)) {
    const entries = [...list.matchAll(/<([\w ]*)>/g)];
    for (const [index, [, units = '']] of entries.entries()) {
      const code = (parseInt(from, 16) + index).toString(16).padStart(4, '0');
      letters.set(code, String.fromCharCode(...units.split(' ').map((unit) => parseInt(unit, 16))));
    }
  }
  return letters;
}

/** What a page or a part of one draws, with the parts that it is made of. */
function drawnBy(head: string, objects: ReadonlyMap<string, PdfObject>): string {
  const idAt = (key: string): string => new RegExp(`/${key} (\\d+) 0 R`).exec(head)?.[1] ?? '';
  const resources = objects.get(idAt('Resources'))?.head ?? '';
  const used = [...resources.matchAll(/(\d+) 0 R/g)].map(([, id = '']) => objects.get(id));
  const parts = used.filter((each) => each !== undefined && each.head.includes('/Subtype /Form'));
  const contents = objects.get(idAt('Contents'))?.stream ?? '';
  return [contents, ...parts.map((part) => `${part?.stream ?? ''}\n${drawnBy(part?.head ?? '', objects)}`)].join('\n');
}

/** Every text on a line of its own. */
function textOf(content: string, letters: ReadonlyMap<string, ReadonlyMap<string, string>>): string {
  let font: ReadonlyMap<string, string> | undefined;
  let text = '';
  for (const [sign, name, codes] of content.matchAll(/\/(F\d+) [\d.]+ Tf|<(\w*)> Tj|\bET\b/g)) {
    if (name !== undefined) font = letters.get(name);
    else if (sign === 'ET') text += '\n';
    else text += (codes?.match(/.{4}/g) ?? []).map((code) => font?.get(code) ?? '?').join('');
  }
  return text;
}
