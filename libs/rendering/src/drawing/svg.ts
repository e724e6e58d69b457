import { FONT } from './theme';

type Attributes = Readonly<Record<string, string | number | undefined>>;

export interface TextStyle {
  size: number;
  fill: string;
  bold?: boolean | undefined;
  italic?: boolean | undefined;
  anchor?: 'start' | 'middle' | 'end';
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** Control characters, halves of characters, and what is no character. */
const NOT_XML = /[^\t\n\r\u0020-\u007e\u00a0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

export const escaped = (text: string): string =>
  text.replace(NOT_XML, '').replace(/[&<>"]/g, (letter) => ENTITIES[letter] ?? '');

/** Coordinates in hundredths: more digits are bytes that nobody sees. */
export const rounded = (value: number): number => Math.round(value * 100) / 100;

export function element(name: string, attributes: Attributes, ...children: readonly string[]): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${typeof value === 'number' ? rounded(value) : escaped(value ?? '')}"`);
  const inside = children.join('');
  return inside ? `<${name}${written.join('')}>${inside}</${name}>` : `<${name}${written.join('')}/>`;
}

/** One line of text, its baseline at `y`. */
export function line(text: string, x: number, y: number, { size, fill, bold, italic, anchor }: TextStyle): string {
  if (!text) return '';
  const attributes = {
    ...{ x, y, fill, 'font-family': FONT, 'font-size': size },
    'font-weight': bold ? 'bold' : undefined,
    'font-style': italic ? 'italic' : undefined,
    'text-anchor': anchor === 'start' ? undefined : anchor,
  };
  return element('text', attributes, escaped(text));
}

export const at = (x: number, y: number, ...children: readonly string[]): string =>
  element('g', { transform: `translate(${rounded(x)},${rounded(y)})` }, ...children);
