import { type ConversionOptions, convertManifest, parseManifest } from '@plinth/dbt';
import { Sandbox } from '@plinth/sandbox';
import { DBT_PROJECTS, dbtProject, deadlineMs } from '@plinth/testing';
import { type CompileResult } from './compile-result';
import { ModelCompiler } from './model-compiler';
import { ownerCalled } from './testing/owner';

let compiler: ModelCompiler;
beforeAll(async () => {
  compiler = new ModelCompiler(await Sandbox.open(), { timeoutMs: deadlineMs(60_000) });
});
afterAll(() => compiler.close());

const OPTIONS: Partial<ConversionOptions>[] = [
  {},
  { semanticLayer: true, meta: true, reverseJoins: true },
  { semanticLayer: true, joins: false, keysFromNames: false, keysFromTests: false },
  { descriptions: false, defaultMeasures: false, namePrefix: '', titlePrefix: '' },
];

function compile(manifest: unknown, options: Partial<ConversionOptions> = {}): Promise<CompileResult> {
  const { files } = convertManifest(parseManifest(manifest), options);
  return compiler.compile(files, { owner: ownerCalled('dbt') });
}

interface Entry {
  unique_id: string;
  [field: string]: unknown;
}

function manifestOf(nodes: readonly Entry[], rest: object = {}): object {
  return {
    metadata: {
      dbt_schema_version: 'https://schemas.getdbt.com/dbt/manifest/v12.json',
      adapter_type: 'postgres',
      project_name: 'big',
    },
    nodes: Object.fromEntries(nodes.map((node) => [node.unique_id, node])),
    ...rest,
  };
}

const model = (name: string, columns: readonly object[], rest: object = {}): Entry => ({
  resource_type: 'model',
  unique_id: `model.big.${name}`,
  name,
  package_name: 'big',
  original_file_path: `models/${name}.sql`,
  relation_name: `"w"."s"."${name}"`,
  columns: Object.fromEntries(columns.map((column, index) => [index, column])),
  ...rest,
});

describe('what becomes of a dbt project', () => {
  it.each(DBT_PROJECTS.flatMap((name) => OPTIONS.map((options) => [name, options] as const)))(
    'compiles: %s with %j',
    async (name, options) => {
      const manifest: unknown = JSON.parse(dbtProject(name).manifest);
      const { cubes, views } = convertManifest(parseManifest(manifest), options);
      expect(await compile(manifest, options)).toMatchObject({ valid: true, errors: [], cubesCount: cubes + views });
    },
  );

  it('compiles with names that the compiler or its languages keep for themselves', async () => {
    const reserved = [
      'sql sqlTable sql_table extends name title type meta description joins dimensions measures segments public shown filters',
      'CUBE FILTER_PARAMS FILTER_GROUP SECURITY_CONTEXT USER_CONTEXT COMPILE_CONTEXT SQL_UTILS constructor __proto__ prototype',
      'toString valueOf hasOwnProperty class def from import in is and or not if else elif lambda None True False return yield',
      'with pass global nonlocal async await try except finally for while del assert raise break continue print exec switch',
      'case function var let const new this null undefined true false typeof void enum super default delete export static',
      'package interface private protected eval arguments do catch throw debugger instanceof implements count order date user',
      'valid_extends_to as values member when primary_key primaryKey userAttributes user_attributes groups environ',
    ].flatMap((line) => line.split(' '));
    const odd = [
      'Ünïcode',
      '日本',
      '1st',
      'a b',
      'a.b',
      '{x}',
      '"quoted"',
      '`tick`',
      "it's",
      'a--b',
      'x\ny',
      '___',
      'A',
      'a',
    ];
    const columns = [...reserved, ...odd].map((name) => ({
      name,
      quote: true,
      data_type: 'numeric',
      description: name,
    }));
    // Each name as a column, as a model that others join to, and as a metric with another metric over it.
    const models = reserved.map((name) => model(name, [{ name: 'id' }, { name: 'amount' }]));
    const links = reserved.map((name, index) => ({
      resource_type: 'test',
      unique_id: `test.big.${index}`,
      attached_node: 'model.big.all_names',
      column_name: name,
      depends_on: { nodes: ['model.big.all_names', `model.big.${name}`] },
      test_metadata: { name: 'relationships', kwargs: { field: 'id' } },
    }));
    const semantic = {
      name: 'all',
      depends_on: { nodes: ['model.big.all_names'] },
      entities: [{ name: 'one', type: 'primary', expr: 'id' }],
      dimensions: reserved.map((name) => ({ name: `${name}_`, type: 'categorical', expr: name })),
      measures: [],
    };
    const metrics = reserved.flatMap((name) => [
      {
        name,
        type: 'simple',
        type_params: { expr: name, metric_aggregation_params: { semantic_model: 'all', agg: 'sum' } },
        filter: { where_filters: [{ where_sql_template: `{{ Dimension('one__${name}_') }} > 1` }] },
      },
      { name: `half_${name}`, type: 'derived', type_params: { expr: 'x / 2', metrics: [{ name, alias: 'x' }] } },
    ]);
    const manifest = manifestOf([model('all_names', [{ name: 'id' }, ...columns]), ...models, ...links], {
      semantic_models: { all: semantic },
      metrics: Object.fromEntries(metrics.map((metric) => [metric.name, metric])),
    });
    for (const options of [{}, { namePrefix: '', semanticLayer: true, reverseJoins: true }]) {
      const { joins, metrics: placed } = convertManifest(parseManifest(manifest), options);
      expect(joins).toBeGreaterThan(90);
      // A filter cannot name `__proto__`, in which `__` stands between names.
      if ('semanticLayer' in options) expect(placed).toBe(metrics.length - 2);
      expect(await compile(manifest, options)).toMatchObject({ valid: true, errors: [] });
    }
  });

  it('compiles within the compiler’s own limits when it is 669 models of 27 columns', async () => {
    const nodes = Array.from({ length: 669 }, (_, index) => bigModel(index)).flat();
    expect(await compile(manifestOf(nodes))).toMatchObject({ valid: true, errors: [], cubesCount: 669 });
  });
});

/** A model with a key that is tested, and a join to another one. */
function bigModel(index: number): Entry[] {
  const name = `model_${index}`;
  const parent = `model_${Math.floor(index / 2)}`;
  const columns = Array.from({ length: 25 }, (_, column) => ({
    name: `column_${column}${column % 5 === 0 ? '_amount' : ''}`,
    description:
      column % 3 === 0 ? '' : `What column ${column} of {${name}} says, in a sentence or two (see the handbook).`,
  }));
  const id = `model.big.${name}`;
  const test = (kind: string, column: string, rest: object = {}): Entry => ({
    resource_type: 'test',
    unique_id: `test.big.${kind}_${index}`,
    attached_node: id,
    column_name: column,
    test_metadata: { name: kind, kwargs: { field: `${parent}_id` } },
    ...rest,
  });
  return [
    model(name, [{ name: `${name}_id` }, { name: `parent_id` }, ...columns], { description: `One row a {${name}}` }),
    test('unique', `${name}_id`),
    test('not_null', `${name}_id`),
    test('relationships', 'parent_id', { depends_on: { nodes: [id, `model.big.${parent}`] } }),
  ];
}
