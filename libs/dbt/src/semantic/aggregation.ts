import { type CubeDraft, type Measure, type ModelSql } from '../cubes/draft';
import { type Warehouse } from '../cubes/warehouse';
import { type SemanticModel } from '../manifest/node-schemas';
import { overColumns } from './expression';
import { Failure } from './failure';

/** How a measure, or a simple metric of the newer form, adds up rows. */
export type Aggregation = Omit<NonNullable<SemanticModel['measures']>[number], 'name'>;

const TYPES: Readonly<Record<string, string>> = {
  sum: 'sum',
  count: 'count',
  count_distinct: 'count_distinct',
  average: 'avg',
  min: 'min',
  max: 'max',
};
/** What counts rows, as `count(*)` and `count(1)` do. */
const EVERY_ROW = /^(\*|\d+)$/;

/** @param name stands for the expression where there is none */
export function aggregate(
  cube: CubeDraft,
  name: string,
  aggregation: Aggregation,
  warehouse: Warehouse,
): Pick<Measure, 'type' | 'sql'> | Failure {
  const { agg, expr } = aggregation;
  if (aggregation.non_additive_dimension) return new Failure('it is semi-additive (non_additive_dimension)');
  const expression = (expr ?? name).trim();
  if (agg === 'count' && EVERY_ROW.test(expression)) return { type: 'count' };
  const sql = overColumns(cube, expression);
  if (agg === 'sum_boolean') return { type: 'sum', sql: `CASE WHEN ${sql} THEN 1 ELSE 0 END` };
  if (agg === 'median' || agg === 'percentile') return percentile(sql, aggregation, warehouse);
  const type = TYPES[agg];
  return type ? { type, sql } : new Failure(`its aggregation is ${agg}`);
}

/** An exact one is as good where an approximate one would do. */
function percentile(
  sql: ModelSql,
  { agg, agg_params }: Aggregation,
  warehouse: Warehouse,
): Pick<Measure, 'type' | 'sql'> | Failure {
  const fraction = agg === 'median' ? 0.5 : (agg_params?.percentile ?? NaN);
  if (!(fraction >= 0 && fraction <= 1)) return new Failure(`its percentile is ${agg_params?.percentile}`);
  const discrete = agg === 'percentile' && agg_params?.use_discrete_percentile === true;
  const aggregated = warehouse.percentile(sql, fraction, discrete);
  return aggregated ? { type: 'number', sql: aggregated } : new Failure(`${warehouse.adapter} has no ${agg}`);
}
