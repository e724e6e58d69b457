import { logger, mergeConfig, None, type Spec } from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';
import { NotDrawable } from '../widget-tools';
import type { ChartRow } from './chart-rows';

interface Room {
  width: number;
  height: number;
  config: object;
}

type AnySpec = Record<string, unknown>;

/** Vega-Lite in parts has the size that its parts have. */
const COMPOSED = ['hconcat', 'vconcat', 'concat', 'facet', 'repeat', 'spec'];
const PADDING = 4;
/** The name under which charts find their rows, unless they have one of their own. */
const ROWS = 'source';

/**
 * The chart as Vega draws it, in its room and with its rows.
 *
 * @throws NotDrawable when it is no chart
 */
export function vegaSpec(given: unknown, rows: ChartRow[], room: Room): Spec {
  const spec = specOf(given);
  return isVega(spec) ? fromVega(spec, rows, room) : fromVegaLite(spec, rows, room);
}

function specOf(given: unknown): AnySpec {
  const spec: unknown = typeof given === 'string' ? parsed(given) : structuredClone(given);
  if (typeof spec !== 'object' || spec === null || Array.isArray(spec))
    throw new NotDrawable('it has no specification');
  return spec as AnySpec;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new NotDrawable('its specification is no JSON');
  }
}

function isVega(spec: AnySpec): boolean {
  if (/\/vega\/v\d/.test(String(spec['$schema'] ?? ''))) return true;
  return !/vega-lite/.test(String(spec['$schema'] ?? '')) && Array.isArray(spec['marks']);
}

function fromVega(spec: AnySpec, rows: ChartRow[], { width, height, config }: Room): Spec {
  const data = (Array.isArray(spec['data']) ? spec['data'] : []) as AnySpec[];
  const empty = (each: AnySpec): boolean => !('source' in each) && !('values' in each) && !('url' in each);
  const place =
    data.find((each) => each['name'] === ROWS && empty(each)) ?? data.find((each) => empty(each) && !makesRows(each));
  if (place) place['values'] = rows;
  else if (!data.some((each) => each['name'] === ROWS)) data.unshift({ name: ROWS, values: rows });
  const autosize = { type: 'fit', contains: 'padding' };
  const own = (spec['config'] ?? {}) as object;
  return {
    ...spec,
    data,
    width,
    height,
    autosize,
    padding: PADDING,
    config: mergeConfig(config, own),
  } as unknown as Spec;
}

const makesRows = ({ transform }: AnySpec): boolean =>
  Array.isArray(transform) &&
  transform.some((each: AnySpec) => ['sequence', 'graticule'].includes(String(each['type'])));

function fromVegaLite(spec: AnySpec, rows: ChartRow[], { width, height, config }: Room): Spec {
  const composed = COMPOSED.some((key) => key in spec) || hasFacets(spec);
  const size = composed ? {} : { width, height, autosize: { type: 'fit', contains: 'padding' } };
  const data = spec['data'] as AnySpec | undefined;
  const named = typeof data?.['name'] === 'string' ? data['name'] : ROWS;
  const own = data !== undefined && ('values' in data || 'url' in data || !('name' in data));
  const datasets = { ...(spec['datasets'] as object | undefined), ...(!own && { [named]: rows }) };
  const whole = { ...spec, ...size, padding: PADDING, ...(!own && { data: { name: named } }), datasets };
  return compile(whole as unknown as TopLevelSpec, { config, logger: logger(None) }).spec;
}

function hasFacets({ encoding }: AnySpec): boolean {
  return typeof encoding === 'object' && encoding !== null && ['row', 'column', 'facet'].some((key) => key in encoding);
}
