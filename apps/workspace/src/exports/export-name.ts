import { pictureFormats, type PictureFormat } from '../pictures';

const DEFAULT_STEM = 'dashboard';
/** What some system cannot have in a name, and letters that nobody sees. */
const UNSAFE = /[\\/:*?"<>|%\p{C}\p{Zl}\p{Zp}]/gu;
const NOT_ASCII = /[^\x20-\x7e]/g;

/**
 * The header that names a file. The extension is that of the format, whatever the stem ends with; what some system cannot
 * have in a name becomes `_`.
 */
export function attachment(stem: string | undefined, format: PictureFormat): string {
  const { extension } = pictureFormats[format];
  const name = `${safeStem(stem ?? DEFAULT_STEM, extension)}.${extension}`;
  const plain = name.replace(NOT_ASCII, '_');
  const encoded = name === plain ? '' : `; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, percent)}`;
  return `attachment; filename="${plain}"${encoded}`;
}

function safeStem(stem: string, extension: string): string {
  const safe = stem.normalize('NFC').replace(UNSAFE, '_').trim();
  const bare = safe.toLowerCase().endsWith(`.${extension}`) ? safe.slice(0, -extension.length - 1) : safe;
  // Names that begin with a dot are hidden, and ones that end with it lose it.
  return bare.replace(/^[.\s]+|[.\s]+$/g, '') || DEFAULT_STEM;
}

const percent = (letter: string): string => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`;
