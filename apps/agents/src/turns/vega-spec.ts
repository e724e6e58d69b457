const MOST_CHARACTERS = 20_000;
const MOST_LEVELS = 24;
/** What brings data of its own, loads something, or leads elsewhere. */
const REFUSED = new Set(['data', 'datasets', 'url', 'href', 'from', 'usermeta', 'loader', '__proto__']);

/**
 * A Vega-Lite chart that a model has written, without data; null for what is none, or would load something or lead
 * elsewhere where it is drawn.
 */
export function checkedVegaSpec(given: unknown): object | null {
  const spec = typeof given === 'string' ? parsed(given) : given;
  if (typeof spec !== 'object' || spec === null || Array.isArray(spec)) return null;
  const own = Object.entries(spec).filter(([name]) => name !== 'data' && name !== 'datasets');
  const rest: Record<string, unknown> = Object.fromEntries(own);
  const isDrawable = ['mark', 'layer', 'hconcat', 'vconcat', 'concat', 'facet', 'repeat'].some((part) => part in rest);
  const isSmall = JSON.stringify(rest).length <= MOST_CHARACTERS;
  return isDrawable && isSmall && isHarmless(rest, 0) ? rest : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.slice(0, MOST_CHARACTERS));
  } catch {
    return null;
  }
}

function isHarmless(value: unknown, level: number): boolean {
  if (typeof value !== 'object' || value === null) return value !== 'image';
  if (level > MOST_LEVELS) return false;
  return Object.entries(value).every(([name, part]) => !REFUSED.has(name) && isHarmless(part, level + 1));
}
