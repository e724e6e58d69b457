import { type CubeDraft } from '../cubes/draft';
import { type Exposure, type SavedQuery } from '../manifest/node-schemas';
import { type Report } from '../report';
import { Failure } from './failure';
import { type Metrics } from './metrics';
import { type Reached, type SemanticCube, type SemanticModels } from './semantic-models';

/** A view over cubes: all members of each, or the ones that are named. */
export interface ViewDraft {
  kind: 'saved_queries' | 'exposures';
  /** Of the saved query or exposure. */
  source: string;
  title: string | undefined;
  description: string | undefined;
  cubes: { path: readonly CubeDraft[]; includes: readonly string[] | '*' }[];
  meta?: unknown;
}

const GROUPING = /^(Dimension|TimeDimension|Entity)\(\s*['"](\w+)['"]/;
const GRAIN_AT_END = /__(second|minute|hour|day|week|month|quarter|year)$/;

/** Makes views of what people ask for again and again. */
export class Views {
  constructor(
    private readonly cubes: ReadonlyMap<string, CubeDraft>,
    private readonly models: SemanticModels,
    private readonly metrics: Metrics,
    private readonly report: Report,
  ) {}

  ofSavedQueries(queries: readonly SavedQuery[]): ViewDraft[] {
    return queries.flatMap((query) => {
      const view = this.ofSavedQuery(query);
      if (!(view instanceof Failure)) return [view];
      this.report.skip(`saved query ${query.name}`, view.reason);
      return [];
    });
  }

  ofExposures(exposures: readonly Exposure[]): ViewDraft[] {
    return exposures.flatMap((exposure) => {
      const cubes = (exposure.depends_on?.nodes ?? [])
        .map((id) => this.cubes.get(id))
        .filter((cube) => cube !== undefined);
      if (cubes.length === 0) {
        this.report.skip(`exposure ${exposure.name}`, 'none of its models has a cube');
        return [];
      }
      return [
        {
          kind: 'exposures',
          ...described(exposure),
          cubes: connected([...new Set(cubes)]),
          meta: exposureMeta(exposure),
        },
      ];
    });
  }

  private ofSavedQuery(query: SavedQuery): ViewDraft | Failure {
    const { metrics, group_by, where } = query.query_params ?? {};
    const members = new Members();
    const root = this.addMetrics(members, metrics ?? []);
    if (root instanceof Failure) return root;
    for (const grouping of group_by ?? []) {
      const reached = this.grouping(root, grouping);
      if (!reached) return new Failure(`${grouping} is not found`);
      members.add(reached.path, reached.dimension.name);
    }
    if (members.clash) return new Failure(`two of its members are called ${members.clash}`);
    if (where?.where_filters.length) this.report.warn(`saved query ${query.name}: its where is not carried over`);
    return { kind: 'saved_queries', ...described(query), cubes: members.cubes };
  }

  /** @returns the semantic model of the first one, from which the others are reached */
  private addMetrics(members: Members, names: readonly string[]): SemanticCube | Failure {
    let root: SemanticCube | undefined;
    for (const name of names) {
      const placed = this.metrics.place(name);
      if (placed instanceof Failure) return new Failure(`metric ${name}: ${placed.reason}`);
      root ??= placed.semantic;
      const path = pathTo(root.cube, placed.semantic.cube);
      if (!path) return new Failure(`no join leads from ${root.cube.name} to ${placed.semantic.cube.name}`);
      members.add(path, placed.measure.name);
    }
    return root ?? new Failure('it asks for no metric');
  }

  private grouping(root: SemanticCube, grouping: string): Reached | undefined {
    const [, kind, name] = GROUPING.exec(grouping) ?? [undefined, undefined, grouping.replace(GRAIN_AT_END, '')];
    if (name === undefined) return undefined;
    return kind === 'Entity' ? this.models.reachEntity(root, name) : this.models.reach(root, name);
  }
}

/** Members by the path of their cube, each once. */
class Members {
  private readonly byPath = new Map<string, { path: readonly CubeDraft[]; includes: string[] }>();

  add(path: readonly CubeDraft[], member: string): void {
    const key = path.map(({ name }) => name).join('.');
    const entry = this.byPath.get(key) ?? { path, includes: [] };
    this.byPath.set(key, entry);
    if (!entry.includes.includes(member)) entry.includes.push(member);
  }

  get cubes(): ViewDraft['cubes'] {
    return [...this.byPath.values()];
  }

  /** A name that members of two cubes have. */
  get clash(): string | undefined {
    const names = this.cubes.flatMap(({ includes }) => includes);
    return names.find((name, index) => names.indexOf(name) !== index);
  }
}

/** Each cube by the join that leads to it, if one of the others has one. */
function connected(cubes: readonly CubeDraft[]): ViewDraft['cubes'] {
  return cubes.map((cube) => {
    const root = cubes.find((other) => other !== cube && other.joins.has(cube.name) && !cube.joins.has(other.name));
    return { path: root ? [root, cube] : [cube], includes: '*' };
  });
}

function pathTo(from: CubeDraft, to: CubeDraft): CubeDraft[] | undefined {
  if (from === to) return [from];
  return from.joins.has(to.name) ? [from, to] : undefined;
}

function described({ name, label, description }: SavedQuery | Exposure): Omit<ViewDraft, 'kind' | 'cubes'> {
  return { source: name, title: label ?? undefined, description: description ?? undefined };
}

function exposureMeta({ unique_id, type, url, maturity, owner }: Exposure): unknown {
  const { name, email } = owner ?? {};
  return { dbt: { unique_id, type, url, maturity, owner: name ?? email } };
}
