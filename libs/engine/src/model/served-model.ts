import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Configuration, loadConfiguration } from './configuration';
import { DENIAL, type ModelCall, type ModelFeatures, type ModelMethod, type ModelStart } from './messages';
import { ModelApi } from './model-api';

interface Context {
  securityContext?: unknown;
}

interface Query {
  contextSymbols?: Context;
  segments?: readonly (string | { name?: unknown })[];
}

/** Compiled models of users, where the model depends on who asks. */
const KEPT_MODELS = 20;

/** One deployment's model as it answers calls. */
export class ServedModel {
  private readonly configuration: Configuration;
  private readonly perContext: boolean;
  private readonly apis = new LRUCache<string, ModelApi>({ max: KEPT_MODELS, dispose: (api) => api.dispose() });

  constructor(
    private readonly start: ModelStart,
    private readonly dialects: ReadonlyMap<string, object>,
  ) {
    this.configuration = loadConfiguration(start.configuration);
    this.perContext = start.model.some(({ content }) => content.includes('COMPILE_CONTEXT'));
  }

  /** What of the configuration is left out. */
  get warnings(): string[] {
    return this.configuration.warnings;
  }

  /** @throws ModelBroken with what is wrong, where the model does not compile */
  async compile(): Promise<ModelFeatures> {
    const { cubeEvaluator } = await this.apiFor({}).getCompilers();
    return {
      policies: cubeEvaluator.isRbacEnabled(),
      rewrites: this.configuration.queryRewrite !== undefined,
      perContext: this.perContext,
    };
  }

  transpiled(): [string, string][] {
    const known = new Set(this.start.transpiled.map(([hash]) => hash));
    return this.apiFor({}).transpiled.filter(([hash]) => !known.has(hash));
  }

  async call({ method, args }: ModelCall): Promise<unknown> {
    return (await this.methods[method](...(args as never[]))) ?? null;
  }

  private readonly methods: Record<ModelMethod, (...args: never[]) => Promise<unknown>> = {
    metaConfig: async (context: Context, options: object) => this.apiFor(context).metaConfig(context, options as never),
    metaConfigExtended: async (context: Context) => {
      const extended = await this.apiFor(context).metaConfigExtended(context, {} as never);
      return withTextOfFunctions(extended);
    },
    applyRowLevelSecurity: async (query: never, evaluated: never, context: Context) =>
      this.apiFor(context).applyRowLevelSecurity(query, evaluated, context),
    getSql: async (query: Query, options: object) =>
      this.apiFor(query.contextSymbols ?? {}).getSql(withDenials(query) as never, options),
    preAggregations: async (filter: never) => this.apiFor({}).preAggregations(filter),
    memberToDataSource: async (context: Context) => this.apiFor(context).memberToDataSource({} as never),
    cubeNameToDataSource: async (context: Context) => this.apiFor(context).cubeNameToDataSource({}),
    queryRewrite: async (query: object, context: Context) => this.configuration.queryRewrite?.(query, context) ?? query,
  };

  private apiFor({ securityContext = {} }: Context): ModelApi {
    const key = this.perContext ? createHash('sha256').update(JSON.stringify(securityContext)).digest('base64') : '';
    const known = this.apis.get(key);
    if (known) return known;
    const api = new ModelApi(this.start, {
      contextToGroups: this.configuration.contextToGroups,
      compileContext: this.perContext ? { securityContext } : undefined,
      dialects: this.dialects,
    });
    this.apis.set(key, api);
    return api;
  }
}

function withDenials(query: Query): Query {
  const segments = query.segments?.map((segment) =>
    typeof segment === 'object' && segment.name === DENIAL ? { ...segment, expression: () => '1 = 0' } : segment,
  );
  return segments ? { ...query, segments } : query;
}

/** Definitions of cubes hold functions, whose text is asked for. */
function withTextOfFunctions(value: unknown): unknown {
  const text = JSON.stringify(value, (_, each: unknown) => (typeof each === 'function' ? String(each) : each));
  return JSON.parse(text) as unknown;
}
