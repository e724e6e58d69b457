import { LRUCache } from 'lru-cache';
import { CompilerApi } from '@cubejs-backend/server-core/dist/src/core/CompilerApi';
import { z } from 'zod';
import { DENIAL, type ModelFeatures, type ModelMethod } from './messages';

/** Answers for a model's questions, which come from another process and may be hostile. */
export interface ModelAnswers {
  call(method: ModelMethod, ...args: readonly unknown[]): Promise<unknown>;
}

interface Context {
  securityContext?: unknown;
}
type Returned<Method extends keyof CompilerApi> = CompilerApi[Method] extends (...args: never[]) => Promise<infer Value>
  ? Value
  : never;

const KEPT_METAS = 50;
/** Characters of SQL and what belongs to it. */
const KEPT_SQL = 8 << 20;
const KEPT_SQL_MS = 600_000;

const texts = z.record(z.string(), z.string());
const config = z.object({ config: z.looseObject({ name: z.string() }) });
const meta = z.union([z.array(config), z.looseObject({ cubes: z.array(config), compilerId: z.string() })]);
const sql = z.looseObject({
  sql: z.tuple([z.string(), z.array(z.unknown())]).nullable(),
  lambdaQueries: z.unknown(),
  cacheKeyQueries: z.unknown(),
  preAggregations: z.array(z.looseObject({})),
  dataSource: z.string().optional(),
  aliasNameToMember: texts.nullish(),
  memberNames: z.array(z.string()),
});
const query = z.looseObject({});
const secured = z.looseObject({ query, denied: z.boolean().optional() });
const extended = z.object({ metaConfig: z.array(config), cubeDefinitions: z.record(z.string(), z.unknown()) });

/** What the engine's gateway takes, by its type, for a fault of the query. The compiler's own class would load the compiler. */
class UserError extends Error {
  readonly type = 'UserError';
}

/** The engine's compiler API, whose answers come from a model process: no code of the model runs in this one. */
export class RemoteCompilerApi extends CompilerApi {
  private readonly metas = new LRUCache<string, Promise<unknown>>({ max: KEPT_METAS });
  private readonly sqls = new LRUCache<string, { value: unknown; size: number }>({
    maxSize: KEPT_SQL,
    ttl: KEPT_SQL_MS,
    sizeCalculation: ({ size }) => size,
  });

  constructor(
    private readonly model: ModelAnswers,
    private readonly features: ModelFeatures,
    preAggregationsSchema: string,
  ) {
    const nothing = { localPath: () => '/', dataSchemaFiles: async () => [] };
    super(nothing, async () => 'postgres', { preAggregationsSchema });
  }

  override getCompilers(): never {
    throw new UserError('This is not supported here');
  }

  /** A schema for everybody would tell what models are like that others see. */
  override getGraphQLSchema(): never {
    return (this.features.perContext ? undefined : super.getGraphQLSchema()) as never;
  }

  override async metaConfig(context: Context, options: object = {}): Promise<never> {
    const rest = withoutId(options);
    const key = JSON.stringify([this.asSeenBy(context, this.features.policies), rest]);
    const known = this.metas.get(key) ?? this.ask(meta, 'metaConfig', who(context), rest);
    this.metas.set(key, known);
    known.catch(() => this.metas.delete(key));
    return (await known) as never;
  }

  override async metaConfigExtended(context: Context): Promise<Returned<'metaConfigExtended'>> {
    return (await this.ask(extended, 'metaConfigExtended', who(context))) as never;
  }

  override async applyRowLevelSecurity(
    asked: never,
    evaluated: never,
    context: Context,
  ): Promise<Returned<'applyRowLevelSecurity'>> {
    if (!this.features.policies) return { query: asked, denied: false };
    const answer = await this.ask(secured, 'applyRowLevelSecurity', asked, evaluated, who(context));
    if (answer.denied) return { query: withoutRows(asked, answer.query) as never, denied: true };
    return { query: withoutExpressions(answer.query) as never, denied: false };
  }

  /** What the project's configuration makes of a query. */
  async rewrite(asked: object, context: Context): Promise<object> {
    if (!this.features.rewrites) return asked;
    return withoutExpressions(await this.ask(query, 'queryRewrite', asked, who(context)));
  }

  override async getSql(asked: object, options: object = {}): Promise<Returned<'getSql'>> {
    const [rest, how] = [withoutId(asked), withoutId(options)];
    const key = JSON.stringify([rest, how]);
    const known = this.sqls.get(key);
    if (known) return known.value as never;
    const value = await this.ask(sql, 'getSql', rest, how);
    this.sqls.set(key, { value, size: key.length + JSON.stringify(value).length });
    return value as never;
  }

  override async preAggregations(filter?: never): Promise<Returned<'preAggregations'>> {
    return (await this.ask(z.array(query), 'preAggregations', filter)) as never;
  }

  override async scheduledPreAggregations(): Promise<never> {
    return [] as never;
  }

  override async memberToDataSource(): Promise<Record<string, string>> {
    return this.ask(texts, 'memberToDataSource', {});
  }

  override async cubeNameToDataSource(): Promise<Record<string, string>> {
    return this.ask(texts, 'cubeNameToDataSource', {});
  }

  private asSeenBy({ securityContext }: Context, personal: boolean): unknown {
    return personal || this.features.perContext ? securityContext : null;
  }

  private async ask<T>(schema: z.ZodType<T>, method: ModelMethod, ...args: readonly unknown[]): Promise<T> {
    const answer = await this.answer(method, args);
    const { data, success } = schema.safeParse(answer);
    if (!success) throw new UserError('The data model broke its process');
    return data;
  }

  /** Whatever goes wrong is the model's, or the question's. */
  private async answer(method: ModelMethod, args: readonly unknown[]): Promise<unknown> {
    try {
      return await this.model.call(method, ...args);
    } catch (error) {
      throw new UserError(error instanceof Error ? error.message : 'The data model failed');
    }
  }
}

/** The engine's own way to let nothing through: its condition is code, and so made here. */
function withoutRows(asked: { segments?: readonly unknown[] }, { segments }: Record<string, unknown>): object {
  const [denial] = z
    .array(z.unknown())
    .parse(segments ?? [])
    .slice(-1);
  const { cubeName } = z.looseObject({ cubeName: z.string() }).parse(denial);
  return { ...asked, segments: [...(asked.segments ?? []), { expression: () => '1 = 0', cubeName, name: DENIAL }] };
}

/** Each request has another. */
const withoutId = (asked: object): object =>
  Object.fromEntries(Object.entries(asked).filter(([name]) => name !== 'requestId'));

const who = ({ securityContext = {} }: Context) => ({ securityContext });

/**
 * The engine evaluates member expressions as code of its own process: a model gets none in, neither as objects nor as the
 * text of such.
 */
function withoutExpressions<T extends object>(asked: T): T {
  const { measures, dimensions, segments, subqueryJoins } = asked as Record<string, unknown>;
  const members = [measures, dimensions, segments].flatMap((each) => (Array.isArray(each) ? (each as unknown[]) : []));
  const strange = members.some((member) => typeof member !== 'string' || member.trimStart().startsWith('{'));
  const joins = Array.isArray(subqueryJoins) ? subqueryJoins.length : subqueryJoins;
  if (strange || joins) throw new UserError('A query may name members, and no expressions');
  return asked;
}
