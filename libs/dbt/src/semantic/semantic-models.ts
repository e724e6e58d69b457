import { typeOfName } from '../cubes/column-types';
import { type CubeDraft, type Dimension } from '../cubes/draft';
import { type Joins } from '../cubes/joins';
import { isIdentifier } from '../cubes/names';
import { type SemanticModel } from '../manifest/node-schemas';
import { type Report } from '../report';
import { overColumns } from './expression';

type DimensionSource = NonNullable<SemanticModel['dimensions']>[number];

/** A semantic model with the cube of its model, and the dimensions that its names stand for. */
export class SemanticCube {
  readonly entities = new Map<string, { type: string; dimension: Dimension }>();
  readonly dimensions = new Map<string, Dimension>();

  constructor(
    readonly model: SemanticModel,
    readonly cube: CubeDraft,
  ) {}

  /** Whether each row of the model is one of that entity. */
  isOf(entity: string): boolean {
    const type = this.entities.get(entity)?.type;
    return type === 'primary' || type === 'unique' || this.model.primary_entity === entity;
  }

  addMembers(): void {
    for (const { name, type, expr } of this.model.entities ?? []) {
      const dimension = this.columnOf(expr ?? name) ?? this.add({ name, type: 'categorical', expr });
      dimension.semantic = true;
      this.entities.set(name, { type, dimension });
      if (type === 'primary' && this.cube.keys.length === 0) this.cube.keys = [dimension.name];
    }
    for (const source of this.model.dimensions ?? []) this.dimensions.set(source.name, this.dimensionOf(source));
  }

  private dimensionOf(source: DimensionSource): Dimension {
    const column = this.columnOf(source.expr ?? source.name);
    const dimension = column?.name === source.name ? column : this.add(source, column);
    if (source.type === 'time' && !dimension.typed) dimension.type = 'time';
    dimension.title ??= source.label ?? undefined;
    dimension.description ??= source.description ?? undefined;
    dimension.semantic = true;
    return dimension;
  }

  private add({ name, type, expr }: DimensionSource, column?: Dimension): Dimension {
    return this.cube.addDimension(name, {
      sql: overColumns(this.cube, expr ?? name),
      type: type === 'time' ? 'time' : (column?.type ?? typeOfName(name) ?? 'string'),
      typed: column?.typed,
      ...(column || !isIdentifier(expr ?? name) ? {} : { column: expr ?? name }),
    });
  }

  private columnOf(expression: string): Dimension | undefined {
    return this.cube.column(expression);
  }
}

/** A dimension and the cubes over which it is reached, the first of which is the asking one. */
export interface Reached {
  path: readonly CubeDraft[];
  dimension: Dimension;
}

/** All semantic models of a project, by their names. */
export class SemanticModels {
  private readonly byName = new Map<string, SemanticCube>();

  constructor(models: readonly SemanticModel[], cubes: ReadonlyMap<string, CubeDraft>, report: Report) {
    for (const model of models) {
      const id = model.depends_on?.nodes?.find((node) => node.startsWith('model.')) ?? '';
      const cube = cubes.get(id);
      if (cube) this.byName.set(model.name, new SemanticCube(model, cube));
      else report.skip(`semantic model ${model.name}`, 'its model has no cube');
    }
    for (const semantic of this.byName.values()) semantic.addMembers();
  }

  get(name: string): SemanticCube | undefined {
    return this.byName.get(name);
  }

  get all(): readonly SemanticCube[] {
    return [...this.byName.values()];
  }

  /** From each model that names an entity of another to that other. */
  addJoins(joins: Joins): void {
    for (const from of this.all) {
      for (const [name, { type, dimension }] of from.entities) {
        const to = this.all.find((other) => other.cube !== from.cube && other.isOf(name));
        const key = to?.entities.get(name)?.dimension;
        if (type === 'foreign' && to && key) joins.connect(from.cube, to.cube, [dimension, key]);
      }
    }
  }

  /** What `entity__dimension` names, seen from a semantic model; entities lead from model to model. */
  reach(from: SemanticCube, name: string): Reached | undefined {
    const names = name.split('__');
    const last = names.pop() as string;
    if (names.length === 0 && last === 'metric_time') return this.metricTime(from);
    const found = this.follow(from, names);
    const dimension = found?.at.dimensions.get(last);
    return found && dimension ? { path: found.path, dimension } : undefined;
  }

  /** What `Entity('name')` names, seen from a semantic model. */
  reachEntity(from: SemanticCube, name: string): Reached | undefined {
    const names = name.split('__');
    const last = names.pop() as string;
    const found = this.follow(from, names);
    const dimension = found?.at.entities.get(last)?.dimension;
    return found && dimension ? { path: found.path, dimension } : undefined;
  }

  private metricTime(from: SemanticCube): Reached | undefined {
    const dimension = from.dimensions.get(from.model.defaults?.agg_time_dimension ?? '');
    return dimension && { path: [from.cube], dimension };
  }

  private follow(from: SemanticCube, entities: readonly string[]): { at: SemanticCube; path: CubeDraft[] } | undefined {
    let at = from;
    const path = [from.cube];
    for (const entity of entities) {
      if (at.isOf(entity)) continue;
      const next = this.all.find((other) => other.isOf(entity) && at.cube.joins.has(other.cube.name));
      if (!next) return undefined;
      at = next;
      path.push(next.cube);
    }
    return { at, path };
  }
}
