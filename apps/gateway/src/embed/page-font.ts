const GENERIC = new Set([
  'serif',
  'sans-serif',
  'monospace',
  'cursive',
  'fantasy',
  'system-ui',
  'ui-serif',
  'ui-rounded',
]);
const MOST_FAMILIES = 10;
const OWN = '"Noto Sans",system-ui,sans-serif';

/**
 * The font of a theme as a list of families for CSS: those that the reader's device has, before our own. Nothing is fetched:
 * the policy of the page allows no fonts. What is no name of a family is left out; null when nothing is left.
 */
export function familiesOf(font: string | null | undefined): string | null {
  const named = (font ?? '').slice(0, 500).split(',').map(familyIn);
  const families = named.filter((family) => family !== undefined).slice(0, MOST_FAMILIES);
  return families.length === 0 ? null : [...families, OWN].join(',');
}

function familyIn(text: string): string | undefined {
  const name = text.trim().replace(/^(["'])(.*)\1$/u, '$2');
  if (GENERIC.has(name.toLowerCase())) return name.toLowerCase();
  return /^[\p{L}\p{N}][\p{L}\p{N} _-]{0,63}$/u.test(name) ? `"${name}"` : undefined;
}
