/** A column of a model, or its name alone. */
type Column = string | { name: string; dataType?: string; description?: string };

/** The manifest of a project with these models, the way dbt writes it, as far as it is read. */
export const manifestOf = (models: Readonly<Record<string, readonly Column[]>>, more: object = {}): object => ({
  metadata: {
    dbt_schema_version: 'https://schemas.getdbt.com/dbt/manifest/v12.json',
    dbt_version: '1.11.16',
    generated_at: '2026-03-02T09:30:00.000000Z',
    adapter_type: 'postgres',
    project_name: 'shop',
  },
  nodes: Object.fromEntries(
    Object.entries(models).map(([name, columns]) => [`model.shop.${name}`, modelOf(name, columns)]),
  ),
  sources: {},
  macros: { 'macro.dbt.x': {} },
  ...more,
});

const modelOf = (name: string, columns: readonly Column[]): object => ({
  resource_type: 'model',
  unique_id: `model.shop.${name}`,
  name,
  alias: name,
  package_name: 'shop',
  path: `marts/${name}.sql`,
  original_file_path: `models/marts/${name}.sql`,
  fqn: ['shop', 'marts', name],
  database: 'warehouse',
  schema: 'analytics',
  time_spine: null,
  relation_name: `"warehouse"."analytics"."${name}"`,
  description: `All ${name}`,
  config: { materialized: 'table', enabled: true, meta: {}, tags: [] },
  tags: [],
  meta: {},
  constraints: [],
  depends_on: { nodes: [], macros: [] },
  columns: Object.fromEntries(columns.map((column) => columnOf(column))),
});

function columnOf(column: Column): [string, object] {
  const { name, dataType = null, description = '' } = typeof column === 'string' ? { name: column } : column;
  return [name, { name, description, data_type: dataType, meta: {}, constraints: [], tags: [], quote: null }];
}
