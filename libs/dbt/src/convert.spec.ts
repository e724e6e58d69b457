import { DBT_PROJECTS, dbtProject, type DbtProjectName } from '@plinth/testing';
import { parse } from 'yaml';
import { NoModelMatched, type ConversionOptions } from './conversion';
import { convertManifest } from './convert';
import { parseManifest } from './manifest/manifest';
import { converted } from './testing/small-manifest';

const EVERYTHING: Partial<ConversionOptions> = { semanticLayer: true, meta: true, reverseJoins: true };
const convert = (name: DbtProjectName, options: Partial<ConversionOptions> = {}) =>
  convertManifest(parseManifest(JSON.parse(dbtProject(name).manifest)), options);

interface Cube {
  [field: string]: unknown;
  dimensions?: { name: string; [field: string]: unknown }[];
  measures?: { name: string; [field: string]: unknown }[];
}
const cubeOf = (content: string): Cube => (parse(content) as { cubes: [Cube] }).cubes[0];
const names = (list: { name: string }[] = []): string[] => list.map(({ name }) => name);

describe('no model', () => {
  const models = [{ name: 'orders', original_file_path: 'models/staging/orders.sql' }];
  it.each<[string, Parameters<typeof converted>, string]>([
    ['a project without any', [{ models: [] }], 'The project has no model that could be a cube'],
    ['a folder', [{ models }, { martsFolder: 'marts' }], 'No model matched the folder "marts"'],
    [
      'a selector',
      [{ models }, {}, { selected: new Set(), selector: 'tag:x' }],
      'No model matched the selector "tag:x"',
    ],
    [
      'both',
      [{ models }, { martsFolder: 'm' }, { selected: new Set() }],
      'No model matched the selector and the folder "m"',
    ],
  ])('is left by %s: the filters are named', (_what, args, message) => {
    expect(() => converted(...args)).toThrow(NoModelMatched);
    expect(() => converted(...args)).toThrow(message);
  });

  it.each([
    ['is ephemeral', { config: { materialized: 'ephemeral' } }],
    ['is disabled', { config: { enabled: false } }],
    ['is a time spine', { time_spine: { standard_granularity_column: 'day' } }],
  ])('becomes a cube that %s', (_what, rest) => {
    const { cubes, skipped } = converted({ models: [{ name: 'a', ...rest }, { name: 'b' }] });
    expect(cubes).toBe(1);
    expect(skipped).toEqual([{ what: 'model a', reason: expect.any(String) as string }]);
  });

  it('writes outside of the project', () => {
    for (const outputPath of ['/', '../model', '/model/../../x']) {
      expect(() => converted({ models: [{ name: 'a' }] }, { outputPath })).toThrow(RangeError);
    }
  });
});

describe('the three projects', () => {
  it.each<[DbtProjectName, Partial<ConversionOptions>, object]>([
    ['library', {}, { files: 11, cubes: 11, views: 0, dimensions: 37, measures: 15, joins: 4, metrics: 0 }],
    ['library', EVERYTHING, { files: 11, cubes: 11, views: 0, dimensions: 36, measures: 15, joins: 8, metrics: 0 }],
    ['bakery', {}, { files: 6, cubes: 6, views: 0, dimensions: 16, measures: 9, joins: 1, metrics: 0 }],
    ['bakery', EVERYTHING, { files: 8, cubes: 6, views: 2, dimensions: 18, measures: 40, joins: 4, metrics: 19 }],
    ['cycles', {}, { files: 2, cubes: 2, views: 0, dimensions: 11, measures: 2, joins: 0, metrics: 0 }],
    ['cycles', EVERYTHING, { files: 3, cubes: 2, views: 1, dimensions: 12, measures: 15, joins: 2, metrics: 12 }],
  ])('%s with %j are counted', (name, options, expected) => {
    const { files, cubes, views, dimensions, measures, joins, metrics } = convert(name, options);
    expect({ files: files.length, cubes, views, dimensions, measures, joins, metrics }).toEqual(expected);
  });

  it.each(DBT_PROJECTS)('%s is the same whatever the order of its manifest', (name) => {
    const manifest = JSON.parse(dbtProject(name).manifest) as Record<string, object>;
    const turned = Object.fromEntries(
      Object.entries(manifest)
        .reverse()
        .map(([section, entries]) => [section, Object.fromEntries(Object.entries(entries).reverse())]),
    );
    expect(convertManifest(parseManifest(turned), EVERYTHING)).toEqual(convert(name, EVERYTHING));
  });

  it('say what has no place in a data model, and why', () => {
    const reasons = Object.fromEntries(convert('bakery', EVERYTHING).skipped.map(({ what, reason }) => [what, reason]));
    expect(reasons).toEqual({
      'model metricflow_time_spine': 'it is a time spine',
      'metric average_running_revenue': 'it averages a running total (period_agg)',
      'metric conversion': 'it is a conversion metric',
      'metric final_rating': 'it is semi-additive (non_additive_dimension)',
      'metric revenue_of_good_shops': "its filter has {{ Metric('revenue', group_by=['shop']) }}",
      'metric revenue_since_month': 'revenue: offset_to_grain',
      'measure last_rating': 'it is semi-additive (non_additive_dimension)',
      'saved query conversions': 'metric conversion: it is a conversion metric',
      'exposure raw_feed': 'none of its models has a cube',
    });
  });
});

describe('a cube', () => {
  it('is of the table that dbt resolved, with the title and prefix of the options', () => {
    const models = [{ name: 'orders', alias: 'Orders', relation_name: '"W"."Sales Data"."Orders"' }];
    const options = { namePrefix: 'x_', titlePrefix: '' };
    expect(cubeOf(converted({ models, adapter: 'snowflake' }, options).file('orders'))).toMatchObject({
      name: 'x_orders',
      title: 'Orders',
      sql_table: '"W"."Sales Data"."Orders"',
    });
    expect(cubeOf(converted({ models }).file('orders')).sql_table).toBe('"Sales Data"."Orders"');
  });

  it('has the name of its model, versions and packages apart', () => {
    const models = [
      { name: 'a', version: 2, latest_version: 2 },
      { name: 'a', unique_id: 'model.shop.a.v1', version: 1, latest_version: 2 },
      { name: 'a', unique_id: 'model.other.a', package_name: 'other' },
      { name: 'a_v1', unique_id: 'model.shop.a_v1' },
    ];
    const { files } = converted({ models });
    expect(files.map(({ path, content }) => [path, cubeOf(content).name])).toEqual([
      ['model/cubes/dbt/a.yml', 'dbt_a'],
      ['model/cubes/dbt/a_v1.yml', 'dbt_a_v1'],
      ['model/cubes/dbt/other_a.yml', 'dbt_other_a'],
      ['model/cubes/dbt/shop_a_v1.yml', 'dbt_shop_a_v1'],
    ]);
  });

  it('keeps the names that others have when they are not chosen', () => {
    const models = [{ name: 'a' }, { name: 'a', unique_id: 'model.other.a', package_name: 'other' }];
    const { files, unselected } = converted({ models }, {}, { selected: new Set(['model.other.a']) });
    expect(files.map(({ path }) => path)).toEqual(['model/cubes/dbt/other_a.yml']);
    expect(unselected).toEqual(['model/cubes/dbt/a.yml']);
  });

  it('adds up numbers whose names tell amounts, and no keys or labels', () => {
    const columns = [
      ...['subtotal', 'evaluation'].map((name) => ({ name, data_type: 'int' })),
      { name: 'price_id', data_type: 'int' },
      { name: 'cost', data_type: 'text' },
      'total_amount',
      'amount',
    ];
    const { file } = converted({ models: [{ name: 'a', columns }] }, { keysFromNames: false });
    const { measures, dimensions } = cubeOf(file('a'));
    expect(names(measures)).toEqual(['total_subtotal', 'total_total_amount', 'total_amount', 'count']);
    expect(names(dimensions)).toContain('total_amount_column');
    expect(
      names(cubeOf(converted({ models: [{ name: 'a', columns }] }, { defaultMeasures: false }).file('a')).measures),
    ).toEqual(['count']);
  });

  it('has the columns that exist where a catalog tells', () => {
    const catalog = new Map([
      [
        'model.shop.a',
        [
          { name: 'ID', type: 'INTEGER' },
          { name: 'extra', type: 'date' },
        ],
      ],
    ]);
    const { file, skipped } = converted({ models: [{ name: 'a', columns: ['id', 'gone'] }] }, {}, { catalog });
    expect(cubeOf(file('a')).dimensions).toMatchObject([
      { name: 'id', sql: '{CUBE}.ID', type: 'number' },
      { name: 'extra', type: 'time' },
    ]);
    expect(skipped).toEqual([{ what: 'column a.gone', reason: 'it is documented, but not in the catalog' }]);
  });

  it('is without descriptions and meta as the options have it', () => {
    const models = [
      { name: 'a', description: 'D', columns: [{ name: 'b', description: 'E' }], config: { meta: { x: 1 } } },
    ];
    expect(converted({ models }, { descriptions: false }).file('a')).not.toMatch(/description|meta/);
    expect(cubeOf(converted({ models }, { meta: true }).file('a')).meta).toMatchObject({
      x: 1,
      dbt: { unique_id: 'model.shop.a' },
    });
  });

  it('is as meta.cube says, where that can be', () => {
    const models = [
      {
        name: 'a',
        access: 'private',
        config: { meta: { cube: { name: 'b', title: 'T', description: 'D', public: true, data_source: 'x' } } },
        columns: [
          { name: 'c', meta: { cube: { primary_key: true, type: 'number', name: 'd', title: 'U', format: 'id' } } },
          { name: 'e', meta: { cube: { exclude: true } } },
          { name: 'f', meta: { cube: { type: 'geo' } } },
        ],
      },
      { name: 'g', config: { meta: { cube: { exclude: true } } } },
      { name: 'h', config: { access: 'private' } },
    ];
    const { file, cubes, warnings } = converted({ models }, { meta: true });
    expect(cubes).toBe(2);
    expect(cubeOf(file('a'))).toMatchObject({
      name: 'b',
      title: 'T',
      description: 'D',
      public: true,
      data_source: 'x',
    });
    expect(cubeOf(file('a')).dimensions).toEqual([
      expect.objectContaining({ name: 'd', title: 'U', type: 'number', format: 'id', primary_key: true }),
      expect.objectContaining({ name: 'f', type: 'string' }),
    ]);
    expect(cubeOf(file('h')).public).toBe(false);
    expect(warnings).toEqual([expect.stringContaining('meta.cube of column f is not used: type')]);
    expect(cubeOf(converted({ models }).file('a')).name).toBe('dbt_a');
  });
});
