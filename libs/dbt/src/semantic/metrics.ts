import { type CubeDraft, type Measure, type ModelSql } from '../cubes/draft';
import { type Warehouse } from '../cubes/warehouse';
import { type Filter, type Metric, type MetricInput } from '../manifest/node-schemas';
import { type Report } from '../report';
import { aggregate, type Aggregation } from './aggregation';
import { overNames } from './expression';
import { Failure } from './failure';
import { type Filters } from './filters';
import { rollingWindow } from './rolling-window';
import { type SemanticCube, type SemanticModels } from './semantic-models';

/** A metric as a measure of a cube. */
export interface Placed {
  semantic: SemanticCube;
  measure: Measure;
}

/** What a simple metric counts or adds up, in either form of semantic models. */
interface Base {
  semantic: SemanticCube;
  name: string;
  aggregation: Aggregation;
  filters: readonly Filter[];
  fillsNulls: boolean;
}

/** Makes measures of metrics. */
export class Metrics {
  private readonly byName: ReadonlyMap<string, Metric>;
  private readonly placed = new Map<string, Placed | Failure>();

  constructor(
    metrics: readonly Metric[],
    private readonly models: SemanticModels,
    private readonly filters: Filters,
    private readonly warehouse: Warehouse,
    private readonly metaOf: (metric: Metric) => unknown,
    private readonly report: Report,
  ) {
    this.byName = new Map(metrics.map((metric) => [metric.name, metric]));
  }

  /** @returns how many metrics became measures */
  addAll(): number {
    for (const name of this.byName.keys()) {
      const placed = this.place(name);
      if (placed instanceof Failure) this.report.skip(`metric ${name}`, placed.reason);
    }
    this.addOtherMeasures();
    return [...this.placed.values()].filter((placed) => !(placed instanceof Failure)).length;
  }

  place(name: string): Placed | Failure {
    const known = this.placed.get(name);
    if (known) return known;
    const metric = this.byName.get(name);
    if (!metric) return new Failure('it is not in the manifest');
    // Until it has a place: metrics may name each other in a circle.
    this.placed.set(name, new Failure('it is made of itself'));
    const placed = this.make(metric);
    this.placed.set(name, placed);
    if (!(placed instanceof Failure)) {
      const { semantic, measure } = placed;
      if (measure.name !== name) this.report.rename(`metric ${name}`, `${semantic.cube.name}.${measure.name}`);
    }
    return placed;
  }

  /** Measures of semantic models that no metric is named after. */
  private addOtherMeasures(): void {
    for (const semantic of this.models.all) {
      for (const { name, ...aggregation } of semantic.model.measures ?? []) {
        if (this.byName.has(name)) continue;
        const aggregated = aggregate(semantic.cube, name, aggregation, this.warehouse);
        if (aggregated instanceof Failure) this.report.skip(`measure ${name}`, aggregated.reason);
        else semantic.cube.addMeasure(name, aggregated);
      }
    }
  }

  private make(metric: Metric): Placed | Failure {
    const about = {
      title: metric.label ?? undefined,
      description: metric.description ?? undefined,
      meta: this.metaOf(metric),
    };
    switch (metric.type) {
      case 'simple':
        return this.simple(metric, metric.name, [], about);
      case 'cumulative':
        return this.cumulative(metric, about);
      case 'ratio':
        return this.ratio(metric, about);
      case 'derived':
        return this.derived(metric, about);
      default:
        return new Failure(`it is a ${metric.type} metric`);
    }
  }

  private simple(metric: Metric, name: string, filters: readonly Filter[], rest: Partial<Measure>): Placed | Failure {
    const base = this.baseOf(metric);
    if (base instanceof Failure) return base;
    const { semantic } = base;
    const aggregated = aggregate(semantic.cube, base.name, base.aggregation, this.warehouse);
    if (aggregated instanceof Failure) return aggregated;
    const conditions = this.filters.of(semantic, [...base.filters, ...filters]);
    if (conditions instanceof Failure) return conditions;
    if (conditions.length > 0 && aggregated.type === 'number') return new Failure('it is a percentile with a filter');
    if (base.fillsNulls) this.report.warn(`metric ${metric.name}: fill_nulls_with is not carried over`);
    const measure = semantic.cube.addMeasure(name, { ...aggregated, filters: conditions, ...rest });
    return { semantic, measure };
  }

  private cumulative(metric: Metric, rest: Partial<Measure>): Placed | Failure {
    const window = rollingWindow(metric.type_params);
    if (window instanceof Failure) return window;
    const input = metric.type_params.cumulative_type_params?.metric;
    const summed = input ? this.byName.get(input.name) : metric;
    if (!summed || (input && summed.type !== 'simple'))
      return new Failure(`it adds up ${input?.name}, which is not simple`);
    const filters = input ? [input.filter, metric.filter] : [];
    const placed = this.simple(summed, metric.name, filters, { ...rest, rollingWindow: window });
    return placed instanceof Failure ? placed : this.rolling(placed);
  }

  private rolling(placed: Placed): Placed | Failure {
    if (['sum', 'count', 'min', 'max', 'count_distinct'].includes(placed.measure.type)) return placed;
    placed.semantic.cube.measures.delete(placed.measure.name);
    return new Failure(`no window goes over an aggregation such as ${placed.measure.type}`);
  }

  private ratio({ name, filter, type_params }: Metric, rest: Partial<Measure>): Placed | Failure {
    const { numerator, denominator } = type_params;
    if (!numerator || !denominator) return new Failure('it has no numerator or no denominator');
    return this.combined(name, [numerator, denominator], filter, rest, ([above = '', below = '']) =>
      this.warehouse.ratio(above, below),
    );
  }

  private derived({ name, filter, type_params }: Metric, rest: Partial<Measure>): Placed | Failure {
    const inputs = type_params.metrics ?? [];
    const { expr } = type_params;
    if (inputs.length === 0 || !expr) return new Failure('it has no expression or no metrics');
    return this.combined(name, inputs, filter, rest, (references) =>
      // A reference is replaced by its SQL, in which operators may bind less.
      overNames(expr, new Map(inputs.map((input, index) => [input.alias ?? input.name, `(${references[index]})`]))),
    );
  }

  private combined(
    name: string,
    inputs: readonly MetricInput[],
    filter: Filter,
    rest: Partial<Measure>,
    sqlOf: (references: readonly ModelSql[]) => ModelSql,
  ): Placed | Failure {
    const placed: Placed[] = [];
    for (const input of inputs) {
      const one = this.input(input, filter);
      if (one instanceof Failure) return new Failure(`${input.name}: ${one.reason}`);
      placed.push(one);
    }
    const home = placed.find(({ semantic }) => placed.every((other) => reaches(semantic.cube, other.semantic.cube)));
    if (!home) return new Failure('its metrics are of cubes that no join connects');
    const { cube } = home.semantic;
    if (placed.some(({ semantic }) => semantic.cube !== cube)) {
      this.report.warn(`metric ${name}: of other cubes it counts the rows that are joined`);
    }
    const references = placed.map(({ semantic, measure }) => {
      const reference = `{${semantic.cube === cube ? 'CUBE' : semantic.cube.name}.${measure.name}}`;
      // Where no row passes its filter, dbt has no value, and a count has zero.
      return measure.filters?.length && measure.type.startsWith('count') ? `NULLIF(${reference}, 0)` : reference;
    });
    const multiStage = placed.some(({ measure }) => measure.multiStage) || undefined;
    const measure = cube.addMeasure(name, { type: 'number', sql: sqlOf(references), multiStage, ...rest });
    return { semantic: home.semantic, measure };
  }

  /** A metric as a part of another one, which may narrow it down or take it from an earlier time. */
  private input(input: MetricInput, outer: Filter): Placed | Failure {
    if (input.offset_to_grain) return new Failure('offset_to_grain');
    const filters = [input.filter, outer].filter((filter) => filter?.where_filters.length);
    const placed = filters.length > 0 ? this.narrowed(input.name, filters) : this.place(input.name);
    if (placed instanceof Failure || !input.offset_window) return placed;
    const { count, granularity } = input.offset_window;
    const { semantic, measure } = placed;
    const time = this.models.reach(semantic, 'metric_time') ?? this.timeOf(semantic, input.name);
    if (!time) return new Failure('offset_window without a time dimension');
    const shifted = semantic.cube.addMeasure(`${measure.name}_prior_${count}_${granularity}`, {
      type: 'number',
      sql: `{CUBE.${measure.name}}`,
      multiStage: true,
      timeShift: [{ timeDimension: time.dimension.name, interval: `${count} ${granularity}`, type: 'prior' }],
      public: false,
    });
    return { semantic, measure: shifted };
  }

  private narrowed(name: string, filters: readonly Filter[]): Placed | Failure {
    const metric = this.byName.get(name);
    if (!metric) return new Failure('it is not in the manifest');
    if (metric.type !== 'simple') return new Failure(`a filter over a ${metric.type} metric`);
    return this.simple(metric, `${name}_filtered`, filters, { public: false });
  }

  private timeOf(semantic: SemanticCube, name: string): ReturnType<SemanticModels['reach']> {
    const metric = this.byName.get(name);
    const base = metric?.type === 'simple' ? this.baseOf(metric) : undefined;
    const time = base instanceof Failure ? undefined : base?.aggregation.agg_time_dimension;
    return time ? this.models.reach(semantic, time) : undefined;
  }

  private baseOf({ name, filter, type_params: parameters }: Metric): Base | Failure {
    const { metric_aggregation_params: own, measure } = parameters;
    if (own) {
      const semantic = this.models.get(own.semantic_model);
      if (!semantic) return new Failure(`its semantic model ${own.semantic_model} has no cube`);
      const aggregation = { ...own, expr: parameters.expr ?? own.expr };
      return { semantic, name, aggregation, filters: [filter], fillsNulls: hasValue(parameters.fill_nulls_with) };
    }
    const wanted = measure?.name;
    for (const semantic of this.models.all) {
      const found = semantic.model.measures?.find((candidate) => candidate.name === wanted);
      if (!found || !measure) continue;
      const filters = [measure.filter, filter];
      return { semantic, name: found.name, aggregation: found, filters, fillsNulls: hasValue(measure.fill_nulls_with) };
    }
    return new Failure(wanted ? `its measure ${wanted} has no cube` : 'it has no measure');
  }
}

function reaches(from: CubeDraft, to: CubeDraft): boolean {
  return from === to || from.joins.has(to.name);
}

function hasValue(value: number | null | undefined): boolean {
  return value !== null && value !== undefined;
}
