import { Resvg } from '@resvg/resvg-js';
import type { Fonts } from '../drawing/fonts';
import { line } from '../drawing/svg';
import { FONT } from '../drawing/theme';
import type { Head } from '../protocol';
import { type Sheet, svgDocument } from './sheet';

const EDGE = 20;
const SCALE = 2;
/** 4 bytes each, twice. */
const MOST_PIXELS = 48_000_000;
const FOOT = 28;

/** Everything on one sheet, with twice the pixels; with fewer when it is very high. */
export function drawPng(sheet: Sheet, head: Head, fonts: Fonts): Buffer {
  const { plan, theme } = sheet;
  const top = sheet.head(head);
  const rest = plan.omitted === 0 ? '' : `${plan.omitted} more ${plan.omitted === 1 ? 'widget' : 'widgets'}`;
  const width = plan.width + 2 * EDGE;
  const height = Math.ceil(top.height + plan.height + 2 * EDGE + (rest ? FOOT : 0));
  const body = plan.frames.map((frame) => sheet.frame(frame));
  const svg = svgDocument(
    width,
    height,
    theme.page,
    `<g transform="translate(${EDGE},${EDGE})">${top.markup}<g transform="translate(0,${top.height})">${body.join('')}</g></g>`,
    line(rest, EDGE, height - EDGE, { size: 12, fill: theme.dim }),
  );
  const scale = Math.min(SCALE, Math.sqrt(MOST_PIXELS / (width * height)));
  return rasterised(svg, Math.round(width * scale), fonts);
}

function rasterised(svg: string, width: number, fonts: Fonts): Buffer {
  const resvg = new Resvg(svg, {
    fitTo: { mode: 'width', value: width },
    font: {
      fontFiles: fonts.faces.map(({ path }) => path),
      loadSystemFonts: false,
      defaultFontFamily: FONT,
      sansSerifFamily: FONT,
    },
    logLevel: 'off',
  });
  return resvg.render().asPng();
}
