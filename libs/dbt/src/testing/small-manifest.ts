import { type Conversion, type ConversionContext, type ConversionOptions } from '../conversion';
import { convertManifest } from '../convert';
import { parseManifest } from '../manifest/manifest';

/** A model of a manifest, as far as a test says something about it. */
export interface SmallModel {
  name: string;
  columns?: (string | Record<string, unknown>)[];
  [field: string]: unknown;
}

/** A test of a column; `to` makes it a relationship. */
export interface SmallTest {
  model: string;
  column: string;
  name: string;
  config?: object;
  /** Name of a model, or an id of another node, and its column. */
  to?: [string, string];
  [field: string]: unknown;
}

interface SmallProject {
  models: SmallModel[];
  tests?: SmallTest[];
  adapter?: string;
  sections?: Record<string, unknown>;
}

const idOf = (name: string): string => (name.includes('.') ? name : `model.shop.${name}`);

/** A manifest with what the test needs and dbt always writes. */
export function smallManifest({ models, tests = [], adapter = 'postgres', sections = {} }: SmallProject): object {
  return {
    metadata: {
      dbt_schema_version: 'https://schemas.getdbt.com/dbt/manifest/v12.json',
      adapter_type: adapter,
      project_name: 'shop',
    },
    nodes: Object.fromEntries([...models.map(modelNode), ...tests.map(testNode)].map((node) => [node.unique_id, node])),
    ...sections,
  };
}

/** What becomes of it, with the files by the names of their models. */
export function converted(
  project: SmallProject,
  options: Partial<ConversionOptions> = {},
  context: ConversionContext = {},
): Conversion & { file(name: string): string } {
  const conversion = convertManifest(parseManifest(smallManifest(project)), options, context);
  const file = (name: string): string =>
    conversion.files.find(({ path }) => path.endsWith(`/${name}.yml`))?.content ?? '';
  return { ...conversion, file };
}

function modelNode({ name, columns = [], ...rest }: SmallModel): Record<string, unknown> & { unique_id: string } {
  const described = columns.map((column) => (typeof column === 'string' ? { name: column } : column));
  return {
    resource_type: 'model',
    unique_id: idOf(name),
    name,
    package_name: 'shop',
    original_file_path: `models/${name}.sql`,
    relation_name: `"warehouse"."shop"."${name}"`,
    columns: Object.fromEntries(described.map((column) => [column.name, column])),
    ...rest,
  };
}

function testNode(
  { model, column, name, config, to, ...rest }: SmallTest,
  index: number,
): Record<string, unknown> & { unique_id: string } {
  const own = idOf(model);
  return {
    resource_type: 'test',
    unique_id: `test.shop.${name}_${index}`,
    attached_node: own,
    column_name: column,
    // Their order varies.
    depends_on: { nodes: [...new Set(to ? [own, idOf(to[0])] : [own])] },
    test_metadata: { name, kwargs: { column_name: column, ...(to && { to: 'ref', field: to[1] }) } },
    config: { severity: 'ERROR', ...config },
    ...rest,
  };
}
