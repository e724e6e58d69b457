/** Parts of red, green and blue, 0 to 255. */
type Rgb = readonly [number, number, number];

const HEX = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i;
const RGB = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/i;

/** A colour that others have chosen, as `#rrggbb`; undefined for what is none, or is written in another way. */
export function colourIn(text: string | null | undefined): string | undefined {
  const given = text?.trim() ?? '';
  const [, hex] = HEX.exec(given) ?? [];
  if (hex !== undefined) return `#${hex.length === 3 ? hex.replace(/./g, '$&$&') : hex}`.toLowerCase();
  const parts = RGB.exec(given)?.slice(1).map(Number);
  return parts?.every((part) => part <= 255) ? written(parts as unknown as Rgb) : undefined;
}

/** The contrast of two colours `#rrggbb`, 1 to 21, as WCAG 2 has it. */
export function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

/** A colour as it is, or as much nearer to `ink` as letters of it need before a ground. */
export function legible(colour: string, ground: string, ink: string): string {
  const steps = Array.from({ length: 11 }, (_, step) => mixed(colour, ink, step / 10));
  return steps.find((each) => contrast(each, ground) >= 4.5) ?? ink;
}

/** Black or white, whichever is better to read before a ground. */
export const inkOn = (ground: string): string =>
  contrast('#ffffff', ground) >= contrast('#000000', ground) ? '#ffffff' : '#000000';

/** `part` of the second colour in the first. */
export function mixed(one: string, other: string, part: number): string {
  const [from, to] = [partsOf(one), partsOf(other)];
  return written(from.map((each, index) => each + ((to[index] ?? 0) - each) * part) as unknown as Rgb);
}

export function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = partsOf(colour).map((part) => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const partsOf = (colour: string): Rgb =>
  [1, 3, 5].map((from) => Number.parseInt(colour.slice(from, from + 2), 16)) as unknown as Rgb;

const written = (parts: Rgb): string =>
  `#${parts.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;
