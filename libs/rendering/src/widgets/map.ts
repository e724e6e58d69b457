import { readFileSync } from 'node:fs';
import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import { isNumeric, numberOf } from '../drawing/format-value';
import type { Fragment } from '../protocol';
import type { Chart } from '../scene';
import { drawSpec } from './vega/draw-vega';
import { NotDrawable, type Tools } from './widget-tools';

interface Country {
  id: string | number | undefined;
  name: string;
  shape: object;
}

/** What people call countries that the atlas calls otherwise. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  'united states': 'United States of America',
  usa: 'United States of America',
  us: 'United States of America',
  uk: 'United Kingdom',
  'great britain': 'United Kingdom',
  'czech republic': 'Czechia',
  'bosnia & herzegovina': 'Bosnia and Herz.',
  'bosnia and herzegovina': 'Bosnia and Herz.',
  'dominican republic': 'Dominican Rep.',
  'congo - kinshasa': 'Dem. Rep. Congo',
  'congo - brazzaville': 'Congo',
  'central african republic': 'Central African Rep.',
  'north macedonia': 'Macedonia',
  'south sudan': 'S. Sudan',
  türkiye: 'Turkey',
};
const LABELLED = 12;
const SCHEMA = 'https://vega.github.io/schema/vega-lite/v5.json';

let known: Country[] | undefined;

/** Points by latitude and longitude, or countries in the colour of their value; or the chart that it brings. */
export function drawMap(chart: Chart, tools: Tools): Promise<Fragment> {
  if (isChart(chart.spec)) return drawSpec(chart.spec, chart, tools);
  const latitude = columnFor(chart, 'latitude', /(?:^|[._])lat(?:itude)?$/i);
  const longitude = columnFor(chart, 'longitude', /(?:^|[._])(?:lon|lng|long)(?:gitude)?$/i);
  const value =
    columnFor(chart, 'value') ??
    chart.columns.find((each) => isNumeric(each) && ![latitude, longitude].includes(each.name))?.name;
  const spec =
    latitude !== undefined && longitude !== undefined
      ? pointMap(chart, { latitude, longitude, value }, tools)
      : regionMap(chart, value, tools);
  return drawSpec(spec, { columns: [], rows: [] }, tools);
}

const isChart = (spec: unknown): boolean =>
  typeof spec === 'object' && spec !== null && ('mark' in spec || 'layer' in spec || 'marks' in spec);

function columnFor({ spec, columns }: Chart, key: string, pattern?: RegExp): string | undefined {
  const wanted = (spec as Record<string, unknown> | null | undefined)?.[key];
  const column = columns.find(({ name }) => name === wanted) ?? columns.find(({ name }) => pattern?.test(name));
  return column?.name;
}

function pointMap(
  { rows, columns }: Chart,
  { latitude, longitude, value }: { latitude: string; longitude: string; value: string | undefined },
  { theme }: Tools,
): object {
  const label = columns.find((column) => !isNumeric(column) && column.type !== 'time')?.name;
  const points = rows.map((row) => ({
    ...{ lat: numberOf(row[latitude]), lon: numberOf(row[longitude]) },
    value: value === undefined ? 1 : numberOf(row[value]),
    label: label === undefined ? '' : String(row[label] ?? ''),
  }));
  const seen = points.filter(({ lat, lon }) => lat !== undefined && lon !== undefined);
  const largest = [...seen].sort((a, b) => (b.value ?? 0) - (a.value ?? 0)).slice(0, LABELLED);
  const place = { longitude: { field: 'lon', type: 'quantitative' }, latitude: { field: 'lat', type: 'quantitative' } };
  const size =
    value === undefined
      ? { value: 60 }
      : { field: 'value', type: 'quantitative', legend: null, scale: { range: [30, 300] } };
  const labels = {
    data: { values: apart(largest) },
    mark: { type: 'text', dy: -15, fontSize: 10, fill: theme.ink },
    encoding: { ...place, text: { field: 'label' } },
  };
  const dots = {
    data: { values: seen },
    mark: { type: 'circle', color: theme.accent, opacity: 0.75, stroke: theme.card, strokeWidth: 1 },
    encoding: { ...place, size },
  };
  return { $schema: SCHEMA, projection: { type: 'equalEarth' }, layer: [land(theme.land, theme.card), dots, labels] };
}

interface Point {
  lat: number | undefined;
  lon: number | undefined;
}

/** Those whose names, which stand above them, stand on no other name and on no other point; in degrees. */
function apart<P extends Point>(points: readonly P[]): P[] {
  const near = (a: Point, b: Point, north: number, lat: number, lon: number): boolean =>
    Math.abs((a.lat ?? 0) + north - (b.lat ?? 0)) < lat && Math.abs((a.lon ?? 0) - (b.lon ?? 0)) < lon;
  const kept: P[] = [];
  for (const point of points) {
    const covers = points.some((each) => each !== point && near(point, each, 9, 7, 16));
    if (!covers && !kept.some((each) => near(point, each, 0, 8, 28))) kept.push(point);
  }
  return kept;
}

function regionMap({ rows, columns, spec }: Chart, value: string | undefined, { theme }: Tools): object {
  const region =
    columnFor({ rows, columns, spec, kind: 'map' }, 'region') ?? columns.find((column) => !isNumeric(column))?.name;
  if (region === undefined || value === undefined) throw new NotDrawable('a map needs places, and a value for each');
  const countries = valuesOfCountries(rows, region, value);
  if (countries.size === 0) throw new NotDrawable('no place in the rows is on the map');
  const shapes = [...countries].map(([shape, number]) => ({ ...shape, value: number }));
  const title = columns.find(({ name }) => name === value)?.title ?? value;
  const coloured = {
    data: { values: shapes },
    mark: { type: 'geoshape', stroke: theme.card, strokeWidth: 0.5 },
    encoding: {
      color: {
        field: 'value',
        type: 'quantitative',
        scale: { range: [...theme.ramp] },
        legend: { title, orient: 'bottom-left' },
      },
    },
  };
  return { $schema: SCHEMA, projection: { type: 'equalEarth' }, layer: [land(theme.land, theme.card), coloured] };
}

function valuesOfCountries(rows: Chart['rows'], region: string, value: string): Map<object, number> {
  const countries = new Map<object, number>();
  for (const row of rows) {
    const country = countryOf(String(row[region] ?? ''));
    const number = numberOf(row[value]);
    if (country && number !== undefined) countries.set(country.shape, (countries.get(country.shape) ?? 0) + number);
  }
  return countries;
}

const land = (fill: string, stroke: string): object => ({
  data: { values: world().map(({ shape }) => shape) },
  mark: { type: 'geoshape', fill, stroke, strokeWidth: 0.5 },
});

/** By name, by ISO 3166-1 in two letters, or by its number. */
function countryOf(text: string): Country | undefined {
  const given = text.trim();
  const name = /^[A-Za-z]{2}$/.test(given) ? (nameOfCode(given) ?? given) : given;
  const wanted = (OTHER_NAMES[name.toLowerCase()] ?? name).toLowerCase();
  return world().find(
    ({ id, name: each }) => each.toLowerCase() === wanted || (id !== undefined && String(id) === given),
  );
}

function nameOfCode(code: string): string | undefined {
  return new Intl.DisplayNames('en', { type: 'region', fallback: 'none' }).of(code.toUpperCase());
}

function world(): Country[] {
  if (known) return known;
  const atlas = JSON.parse(readFileSync(require.resolve('world-atlas/countries-110m.json'), 'utf8')) as Topology<{
    countries: GeometryCollection<{ name: string }>;
  }>;
  const { features } = feature(atlas, atlas.objects.countries);
  known = features
    .filter(({ properties }) => properties.name !== 'Antarctica')
    .map((shape) => ({ id: shape.id, name: shape.properties.name, shape }));
  return known;
}
