import { type ModelSql } from '../cubes/draft';
import { type Warehouse } from '../cubes/warehouse';
import { type Filter } from '../manifest/node-schemas';
import { literal } from '../cubes/literal';
import { Failure } from './failure';
import { type Reached, type SemanticCube, type SemanticModels } from './semantic-models';

const TEMPLATES = /(\{\{[\s\S]*?\}\})/;
const CALL = /^\{\{\s*(Dimension|TimeDimension|Entity)\(([^()]*)\)(?:\.grain\(\s*['"](\w+)['"]\s*\))?\s*\}\}$/;
const NAME = /^\s*['"](\w+)['"]\s*$/;
const GRAIN = /^\s*(?:time_granularity_name\s*=\s*)?['"](\w+)['"]\s*$/;

/** Conditions of metrics as filters of measures. */
export class Filters {
  constructor(
    private readonly models: SemanticModels,
    private readonly warehouse: Warehouse,
  ) {}

  of(from: SemanticCube, filters: readonly Filter[]): { sql: ModelSql }[] | Failure {
    const conditions: { sql: ModelSql }[] = [];
    for (const { where_sql_template: template } of filters.flatMap((filter) => filter?.where_filters ?? [])) {
      const parts = template.split(TEMPLATES).map((part) => this.part(from, part));
      const failure = parts.find((part) => part instanceof Failure);
      if (failure) return failure;
      conditions.push({ sql: parts.join('').trim() });
    }
    return conditions;
  }

  private part(from: SemanticCube, part: string): ModelSql | Failure {
    if (!part.startsWith('{{')) return literal(part);
    const call = callOf(part);
    if (!call) return new Failure(`its filter has ${part.trim()}`);
    const { kind, name, grain } = call;
    const reached = kind === 'Entity' ? this.models.reachEntity(from, name) : this.models.reach(from, name);
    if (!reached) return new Failure(`its filter names ${name}, which is not found`);
    const reference = referenceTo(reached);
    return grain ? this.warehouse.truncated(reference, grain) : reference;
  }
}

/** A template that names one thing; undefined for what is more than that, such as `Metric` and paths of entities. */
function callOf(template: string): { kind: string; name: string; grain: string | undefined } | undefined {
  const [, kind, parameters = '', grainOfCall] = CALL.exec(template) ?? [];
  const [first = '', ...others] = parameters.split(',');
  const name = NAME.exec(first)?.[1];
  if (!kind || !name) return undefined;
  if (others.length === 0) return { kind, name, grain: grainOfCall };
  const grain = GRAIN.exec(others.join(','))?.[1];
  return kind === 'TimeDimension' && grain ? { kind, name, grain } : undefined;
}

/**
 * A member as SQL of the first cube of the path refers to it. One of the cube's own is told as that: its name alone might be
 * the name of another cube.
 */
export function referenceTo({ path, dimension }: Reached): ModelSql {
  return `{${path.length > 1 ? path.at(-1)?.name : 'CUBE'}.${dimension.name}}`;
}
