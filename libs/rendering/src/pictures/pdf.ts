import PDFDocument from 'pdfkit';
import svgToPdf from 'svg-to-pdfkit';
import type { Fonts } from '../drawing/fonts';
import { line } from '../drawing/svg';
import type { Frame } from '../layout/plan';
import type { Head } from '../protocol';
import { cleanSvg } from './clean-svg';
import { type PageCut, pageCuts } from './page-cuts';
import { type Sheet, svgDocument } from './sheet';

/** A4 across, in points. */
const WIDTH = 841.89;
const HEIGHT = 595.28;
const EDGE = 32;
const FOOT = 26;
/** What is light is printed. */
const PAPER = '#ffffff';
/** Title on every page but the first. */
const SMALL_HEAD = 34;

/** Pages in A4 across, cut between rows of widgets, with vectors and real text. */
export function drawPdf(sheet: Sheet, head: Head, fonts: Fonts): Promise<Buffer> {
  const pages = new PdfPages(sheet, head, fonts);
  const document = newDocument(head.title, sheet);
  for (const { family, bold, italic, path } of fonts.faces) document.registerFont(fontName(family, bold, italic), path);
  for (const markup of pages.all()) {
    document.addPage({ size: [WIDTH, HEIGHT], margin: 0 });
    svgToPdf(document, markup, 0, 0, {
      width: WIDTH,
      height: HEIGHT,
      assumePt: true,
      fontCallback: (family, bold, italic) => {
        const face = fonts.faceOf(family.split(',')[0]?.replace(/["']/g, '').trim() ?? '', bold, italic);
        return face ? fontName(face.family, face.bold, face.italic) : 'Helvetica';
      },
      imageCallback: (link) => (link.startsWith('data:image/png;base64,') ? link : ''),
      warningCallback: () => undefined,
    });
  }
  return bytesOf(document);
}

const fontName = (family: string, bold: boolean, italic: boolean): string =>
  `${family}${bold ? ' b' : ''}${italic ? ' i' : ''}`;

/** Every date in it is that of the scene, which makes its identity, too. */
function newDocument(title: string, { look }: Sheet): PDFKit.PDFDocument {
  const time = new Date(look.at);
  return new PDFDocument({
    ...{ autoFirstPage: false, compress: true, lang: look.locale, displayTitle: true },
    info: { Title: title, Creator: 'Plinth', Producer: 'Plinth', CreationDate: time, ModDate: time },
  });
}

class PdfPages {
  private readonly scale: number;
  private readonly first: { markup: string; height: number };
  private readonly width: number;
  private readonly height: number;

  constructor(
    private readonly sheet: Sheet,
    private readonly head: Head,
    private readonly fonts: Fonts,
  ) {
    this.scale = (WIDTH - 2 * EDGE) / sheet.plan.width;
    this.width = WIDTH / this.scale;
    this.height = HEIGHT / this.scale;
    this.first = sheet.head(head);
  }

  all(): string[] {
    const cuts = pageCuts(this.sheet.plan, (page) => this.room(page));
    return cuts.map((cut, page) => this.page(cut, page, cuts.length));
  }

  private get edge(): number {
    return EDGE / this.scale;
  }

  private room(page: number): number {
    return this.height - 2 * this.edge - FOOT - this.headHeight(page);
  }

  private headHeight(page: number): number {
    return page === 0 ? this.first.height : SMALL_HEAD;
  }

  private page({ from, to }: PageCut, page: number, count: number): string {
    const { plan, theme, look } = this.sheet;
    const shown = plan.frames.filter((frame) => isIn(frame, from, to));
    const shrink = Math.min(1, this.room(page) / Math.max(1, to - from));
    const size = Math.floor(shrink * 10_000) / 10_000;
    const left = this.edge + (plan.width * (1 - size)) / 2;
    const top = this.edge + this.headHeight(page);
    const frames = shown.map((frame) => this.sheet.frame(frame, from, to)).join('');
    return svgDocument(
      this.width,
      this.height,
      look.theme === 'light' && look.colours === null ? PAPER : theme.page,
      `<g transform="translate(${this.edge},${this.edge})">${page === 0 ? this.first.markup : this.smallHead()}</g>`,
      `<g transform="translate(${left},${top}) scale(${size})">${frames}</g>`,
      this.foot(page, count),
    );
  }

  private smallHead(): string {
    const style = { size: 14, fill: this.sheet.theme.ink, bold: true };
    return cleanSvg(
      line(this.fonts.fitted(this.head.title, this.sheet.plan.width, style), 0, 14, style),
      'head',
      this.fonts,
    );
  }

  private foot(page: number, count: number): string {
    const { plan, theme, time } = this.sheet;
    const style = { size: 11, fill: theme.dim };
    const y = this.height - this.edge;
    const rest = plan.omitted > 0 && page === count - 1 ? ` · ${plan.omitted} more widgets` : '';
    const number = line(`Page ${page + 1} of ${count}`, this.width - this.edge, y, { ...style, anchor: 'end' });
    return cleanSvg(line(`${time}${rest}`, this.edge, y, style) + number, 'foot', this.fonts);
  }
}

const isIn = ({ look, y, height }: Frame, from: number, to: number): boolean =>
  look === 'panel' ? y < to && y + height > from : y >= from - 0.01 && y < to - 0.01;

async function bytesOf(document: PDFKit.PDFDocument): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const ended = new Promise<void>((resolve, reject) => {
    document.on('data', (chunk: Buffer) => chunks.push(chunk));
    document.on('end', () => resolve());
    document.on('error', reject);
  });
  document.end();
  await ended;
  return Buffer.concat(chunks);
}
