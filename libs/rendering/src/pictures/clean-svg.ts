import sanitizeHtml, { type Attributes, type Tag } from 'sanitize-html';
import type { Fonts } from '../drawing/fonts';
import { escaped } from '../drawing/svg';
import { FONT } from '../drawing/theme';

const SHAPES = ['path', 'rect', 'line', 'circle', 'ellipse', 'polygon', 'polyline', 'stop', 'image'];
const ELEMENTS = ['g', ...SHAPES, 'text', 'tspan', 'clipPath', 'defs', 'linearGradient', 'radialGradient'];
/** Neither `style`, `class` and `on…`, nor what would make drawing dear, such as filters, masks, patterns and `use`. */
const ATTRIBUTES = [
  ...['x', 'y', 'x1', 'x2', 'y1', 'y2', 'cx', 'cy', 'r', 'rx', 'ry', 'dx', 'dy', 'd', 'points', 'width', 'height'],
  ...['fx', 'fy', 'offset', 'transform', 'gradientTransform', 'gradientUnits', 'id', 'clip-path', 'clip-rule'],
  ...['fill', 'fill-opacity', 'fill-rule', 'opacity', 'stroke', 'stroke-width', 'stroke-opacity', 'stroke-linecap'],
  ...['stroke-linejoin', 'stroke-miterlimit', 'stroke-dasharray', 'stroke-dashoffset', 'stop-color', 'stop-opacity'],
  ...[
    'font-family',
    'font-size',
    'font-weight',
    'font-style',
    'text-anchor',
    'preserveAspectRatio',
    'href',
    'xlink:href',
  ],
];
const NESTED = 80;
const REFERENCE = /^url\(#([\w.-]+)\)$/;
/** Shorter dashes are endless work and look like a line. */
const LEAST_DASH = 0.5;
const MOST_IMAGE_PIXELS = 4_096;

/**
 * The inside of an `<svg>` with nothing in it that is not known to be harmless. It loads nothing: the renderers of pictures
 * would read files for it.
 *
 * @param prefix - For its ids, which are unique in a drawing alone.
 * @param fonts - To name the font of each letter, for renderers that do not look for one themselves.
 */
export function cleanSvg(markup: string, prefix: string, fonts?: Fonts): string {
  return sanitizeHtml(markup, {
    allowedTags: ELEMENTS,
    allowedAttributes: { '*': ATTRIBUTES },
    allowedSchemesAppliedToAttributes: [],
    selfClosing: SHAPES,
    nestingLimit: NESTED,
    transformTags: { '*': (name, attributes) => cleanTag(name, attributes, prefix) },
    exclusiveFilter: ({ tag, attribs }) => tag === 'image' && !attribs['href'],
    ...(fonts && { textFilter: (text: string) => withFonts(text, fonts) }),
    parser: { xmlMode: true, lowerCaseTags: false, lowerCaseAttributeNames: false, decodeEntities: true },
  });
}

function cleanTag(tagName: string, attributes: Attributes, prefix: string): Tag {
  const clean: Attributes = {};
  for (const [name, value] of Object.entries(attributes)) {
    const kept = cleanAttribute(name, value, prefix);
    if (kept !== undefined) clean[name] = kept;
  }
  delete clean['xlink:href'];
  delete clean['href'];
  const image = tagName === 'image' ? (attributes['href'] ?? attributes['xlink:href']) : undefined;
  if (image !== undefined && isSmallPng(image)) clean['href'] = image;
  if (tagName === 'text' || tagName === 'tspan') {
    if ('font-family' in clean || tagName === 'text') clean['font-family'] = FONT;
  }
  return { tagName, attribs: SHAPES.includes(tagName) ? withoutGroup(clean) : clean };
}

function cleanAttribute(name: string, value: string, prefix: string): string | undefined {
  // Written without a value it is no XML.
  if (value === '') return undefined;
  if (name === 'id') return `${prefix}-${value}`;
  if (/url\s*\(/i.test(value)) {
    const target = REFERENCE.exec(value.replace(/["']/g, '').trim())?.[1];
    return target === undefined ? undefined : `url(#${prefix}-${target})`;
  }
  if (name === 'stroke-dasharray') {
    const dashes = value.split(/[\s,]+/).map(Number);
    return dashes.every((dash) => dash >= LEAST_DASH) ? value : undefined;
  }
  return value;
}

/** Opacity of a single shape is one of its colours; otherwise each shape is a picture of its own that is laid over. */
function withoutGroup({ opacity, ...attributes }: Attributes): Attributes {
  const factor = Number(opacity);
  if (opacity === undefined || !(factor >= 0 && factor < 1)) return attributes;
  const scaled = (name: string): string => String(Math.round(factor * Number(attributes[name] ?? 1) * 1_000) / 1_000);
  return { ...attributes, 'fill-opacity': scaled('fill-opacity'), 'stroke-opacity': scaled('stroke-opacity') };
}

/** What it unpacks to is read from its head. */
function isSmallPng(address: string): boolean {
  const data = /^data:image\/png;base64,([A-Za-z0-9+/=]+)$/.exec(address)?.[1];
  if (data === undefined) return false;
  const head = Buffer.from(data.slice(0, 44), 'base64');
  if (head.length < 24 || head.readUInt32BE(0) !== 0x89504e47) return false;
  return head.readUInt32BE(16) <= MOST_IMAGE_PIXELS && head.readUInt32BE(20) <= MOST_IMAGE_PIXELS;
}

/** @param text - as markup */
function withFonts(text: string, fonts: Fonts): string {
  if (!/[^\u0020-\u007e]/.test(text)) return text;
  const plain = text
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, '&');
  const runs = fonts.runs(plain);
  if (runs.every(({ family }) => family === FONT)) return text;
  return runs.map((run) => (run.family === FONT ? escaped(run.text) : other(run.family, run.text))).join('');
}

const other = (family: string, text: string): string =>
  `<tspan font-family="${escaped(family)}">${escaped(text)}</tspan>`;
