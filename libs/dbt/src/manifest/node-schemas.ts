import { z } from 'zod';

/**
 * Parts of a manifest that the conversion reads; everything else is left out while it is read. Fields may be missing,
 * because releases of dbt differ in them.
 */
const text = z.string().nullish();
const names = z.array(z.string()).nullish();
/** Tags are a list, or one text in older releases. */
const tags = z.union([z.array(z.string()), z.string()]).nullish();
const meta = z.unknown().optional();

const constraint = z.object({
  type: z.string(),
  columns: names,
  to: text,
  to_columns: names,
});

const column = z.object({
  name: z.string(),
  description: text,
  data_type: text,
  quote: z.unknown().optional(),
  constraints: z.array(constraint).nullish(),
  meta,
  config: z.object({ meta }).nullish(),
});

const dependsOn = z.object({ nodes: names }).nullish();

export const modelSchema = z.object({
  unique_id: z.string(),
  name: z.string(),
  package_name: z.string(),
  original_file_path: z.string(),
  alias: text,
  database: text,
  schema: text,
  relation_name: text,
  description: text,
  version: z.union([z.string(), z.number()]).nullish(),
  latest_version: z.union([z.string(), z.number()]).nullish(),
  access: text,
  group: text,
  tags,
  time_spine: z.unknown().optional(),
  constraints: z.array(constraint).nullish(),
  columns: z
    .record(z.string(), column)
    .nullish()
    .transform((columns) => Object.values(columns ?? {})),
  meta,
  config: z
    .object({ enabled: z.boolean().nullish(), materialized: text, access: text, group: text, tags, meta })
    .nullish(),
});

export const testSchema = z.object({
  attached_node: text,
  column_name: text,
  depends_on: dependsOn,
  test_metadata: z.object({ name: z.string(), kwargs: z.record(z.string(), z.unknown()).nullish() }),
  config: z
    .object({
      enabled: z.boolean().nullish(),
      severity: text,
      where: text,
      error_if: text,
      limit: z.unknown().optional(),
    })
    .nullish(),
});

const filter = z.object({ where_filters: z.array(z.object({ where_sql_template: z.string() })) }).nullish();

const window = z.object({ count: z.number(), granularity: z.string() }).nullish();

const aggregationParameters = z
  .object({
    percentile: z.number().nullish(),
    use_discrete_percentile: z.boolean().nullish(),
    use_approximate_percentile: z.boolean().nullish(),
  })
  .nullish();

const aggregation = {
  agg: z.string(),
  expr: z
    .union([z.string(), z.number()])
    .nullish()
    .transform((value) => value?.toString()),
  agg_params: aggregationParameters,
  agg_time_dimension: text,
  non_additive_dimension: z.unknown().optional(),
};

export const semanticModelSchema = z.object({
  name: z.string(),
  depends_on: dependsOn,
  primary_entity: text,
  defaults: z.object({ agg_time_dimension: text }).nullish(),
  entities: z
    .array(z.object({ name: z.string(), type: z.string(), expr: text, description: text, label: text }))
    .nullish(),
  dimensions: z
    .array(z.object({ name: z.string(), type: z.string(), expr: text, description: text, label: text }))
    .nullish(),
  measures: z.array(z.object({ name: z.string(), ...aggregation })).nullish(),
});

const metricInput = z.object({
  name: z.string(),
  alias: text,
  filter,
  offset_window: window,
  offset_to_grain: text,
  fill_nulls_with: z.number().nullish(),
});

export const metricSchema = z.object({
  name: z.string(),
  type: z.string(),
  label: text,
  description: text,
  filter,
  meta,
  config: z.object({ meta }).nullish(),
  type_params: z.object({
    expr: z
      .union([z.string(), z.number()])
      .nullish()
      .transform((value) => value?.toString()),
    measure: metricInput.nullish(),
    metric_aggregation_params: z.object({ semantic_model: z.string(), ...aggregation }).nullish(),
    fill_nulls_with: z.number().nullish(),
    numerator: metricInput.nullish(),
    denominator: metricInput.nullish(),
    metrics: z.array(metricInput).nullish(),
    window,
    grain_to_date: text,
    cumulative_type_params: z
      .object({ window, grain_to_date: text, period_agg: text, metric: metricInput.nullish() })
      .nullish(),
  }),
});

export const savedQuerySchema = z.object({
  name: z.string(),
  label: text,
  description: text,
  query_params: z.object({ metrics: names, group_by: names, where: filter }).nullish(),
});

export const exposureSchema = z.object({
  unique_id: z.string(),
  name: z.string(),
  label: text,
  description: text,
  type: text,
  url: text,
  maturity: text,
  owner: z.object({ name: text, email: z.union([z.string(), z.array(z.string())]).nullish() }).nullish(),
  depends_on: dependsOn,
});

export type Model = z.infer<typeof modelSchema>;
export type ModelColumn = Model['columns'][number];
export type DataTest = z.infer<typeof testSchema>;
export type SemanticModel = z.infer<typeof semanticModelSchema>;
export type Metric = z.infer<typeof metricSchema>;
export type MetricInput = z.infer<typeof metricInput>;
export type Filter = z.infer<typeof filter>;
export type SavedQuery = z.infer<typeof savedQuerySchema>;
export type Exposure = z.infer<typeof exposureSchema>;
