import type { Schemas } from '@plinth/contract';

type EngineRoute = Schemas['EngineRoute'];

/** What is asked of an engine, and by which methods; HEAD goes with GET. */
export interface EngineTarget {
  kind: 'engine';
  route: EngineRoute;
  methods: readonly ('GET' | 'POST')[];
}

export type DataTarget = EngineTarget | { kind: 'health'; methods: readonly ['GET'] };

/** A path of the data family. */
export interface DataPath {
  /** Undefined where the host says it. */
  deploymentId: number | undefined;
  /** Percent-encoded, as it came; undefined for production. */
  branch: string | undefined;
  /** Undefined where nothing is. */
  target: DataTarget | undefined;
}

const READ = ['GET'] as const;
const WRITE = ['POST'] as const;
const BOTH = ['GET', 'POST'] as const;
const HEALTH: DataTarget = { kind: 'health', methods: READ };

const engine = (route: EngineRoute, methods: EngineTarget['methods']): EngineTarget => ({
  kind: 'engine',
  route,
  methods,
});

const short: Readonly<Record<string, EngineTarget>> = {
  'v1/load': engine('load', BOTH),
  'v1/cubesql': engine('cubesql', WRITE),
  'v1/meta': engine('meta', READ),
};

/** Paths below `/cubejs-api`, with the methods of the published engine. A subscription over HTTP is a query that is repeated. */
const full: Readonly<Record<string, EngineTarget>> = {
  ...short,
  'v1/subscribe': engine('load', BOTH),
  'v1/sql': engine('sql', BOTH),
  'v1/dry-run': engine('dry-run', BOTH),
  'v1/convert-query': engine('convert-query', WRITE),
  'v1/graphql': engine('graphql', BOTH),
  graphql: engine('graphql', BOTH),
};

/** Finds what a path of the data family means. */
export class DataRouter {
  private readonly family: RegExp;
  private readonly forms: readonly { pattern: RegExp; targets: Readonly<Record<string, EngineTarget>> }[];

  /** @param basePath below which the short paths are; empty, or with a slash in front and none at the end. */
  constructor(basePath: string) {
    const base = basePath.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    this.family = new RegExp(`^/(deployments|cubejs-api|dev-mode|readyz|livez)(/|$)|^${base}/v1/`);
    // The name of a branch may hold slashes, so that the longer form has to be tried first.
    this.forms = [
      { pattern: new RegExp('^(?:/dev-mode/(?<branch>.+))?/cubejs-api/(?<name>[^/]+(?:/[^/]+)?)/?$'), targets: full },
      { pattern: new RegExp(`^(?:/dev-mode/(?<branch>.+))?${base}/(?<name>[^/]+/[^/]+)/?$`), targets: short },
    ];
  }

  /** Undefined for a path of another family. */
  find(path: string): DataPath | undefined {
    if (!this.family.test(path)) return undefined;
    const [prefix = '', id] = /^\/deployments\/([1-9]\d{0,14})(?=\/|$)/.exec(path) ?? [];
    const deploymentId = id === undefined ? undefined : Number(id);
    return { deploymentId, ...this.below(path.slice(prefix.length)) };
  }

  private below(path: string): Pick<DataPath, 'branch' | 'target'> {
    if (/^\/(readyz|livez)\/?$/.test(path)) return { branch: undefined, target: HEALTH };
    for (const { pattern, targets } of this.forms) {
      const { branch, name = '' } = pattern.exec(path)?.groups ?? {};
      if (Object.hasOwn(targets, name)) return { branch, target: targets[name] };
    }
    return { branch: undefined, target: undefined };
  }
}
