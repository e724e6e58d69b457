const MOST_CHARACTERS = 20_000;
const MOST_LEVELS = 24;
/** What brings data of its own, loads something, or leads elsewhere. */
const REFUSED = new Set(['data', 'datasets', 'url', 'href', 'from', 'usermeta', 'loader', 'marks', '__proto__']);

/**
 * A Vega-Lite chart as a model has written it, without data; null for what would load something or lead elsewhere where it
 * is drawn. Whether it can be drawn is another question.
 */
export function harmlessSpec(given: unknown): Record<string, unknown> | null {
  const spec = typeof given === 'string' ? parsed(given) : given;
  if (typeof spec !== 'object' || spec === null || Array.isArray(spec)) return null;
  const own = Object.entries(spec).filter(([name]) => name !== 'data' && name !== 'datasets');
  const rest: Record<string, unknown> = Object.fromEntries(own);
  const isVegaLite = rest['$schema'] === undefined || /vega-lite/.test(String(rest['$schema']));
  if (!isVegaLite) return null;
  return JSON.stringify(rest).length <= MOST_CHARACTERS && isHarmless(rest, 0) ? rest : null;
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
