import { type Measure } from '../cubes/draft';
import { type Metric } from '../manifest/node-schemas';
import { Failure } from './failure';

/** The window of a cumulative metric; without one it goes back to the beginning. */
export function rollingWindow(parameters: Metric['type_params']): NonNullable<Measure['rollingWindow']> | Failure {
  const { window, grain_to_date, period_agg } = { ...parameters, ...defined(parameters.cumulative_type_params) };
  if (period_agg === 'average') return new Failure('it averages a running total (period_agg)');
  if (grain_to_date) return { type: 'to_date', granularity: grain_to_date };
  return { trailing: window ? `${window.count} ${window.granularity}` : 'unbounded' };
}

type CumulativeParameters = NonNullable<Metric['type_params']['cumulative_type_params']>;

function defined(parameters: CumulativeParameters | null | undefined): Partial<CumulativeParameters> {
  const values = Object.entries(parameters ?? {}).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(values);
}
