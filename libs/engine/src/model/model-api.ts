import {
  type CubeValidator,
  type DataSchemaCompiler,
  extensionsFor,
  InlineTranspiler,
  loadNativeInstance,
  observeCompiler,
  prepareCompiler,
  Problems,
  replace,
} from '@plinth/model-process';
import { JinjaEngine } from '@plinth/jinja';
import { getEnv } from '@cubejs-backend/shared';
import { CompilerApi } from '@cubejs-backend/server-core/dist/src/core/CompilerApi';
import type { DatabaseType } from '@cubejs-backend/server-core/dist/src/core/types';
import { MAX_MESSAGE, MAX_PROBLEMS, type ModelStart } from './messages';
import { ModelBroken } from './model-broken';

/** SQL of so many queries is kept; each may be long, and the compiler's own limit is more than the process has memory for. */
const KEPT_QUERIES = 1_000;
/** As many files as a model may have: what is forgotten here would be transpiled again for each user's model. */
const KEPT_FILES = 5_000;
const LIMITS = { problems: MAX_PROBLEMS, messageLength: MAX_MESSAGE };

const standIn = {
  newJinjaEngine: ({ filters = {} }: { filters?: ConstructorParameters<typeof JinjaEngine>[0] } = {}) =>
    new JinjaEngine(filters),
  loadPythonContext: () => {
    throw new Error('A data model in Python needs the native module of Cube, which is not installed');
  },
};
const native = loadNativeInstance() ?? standIn;

type Compiler = Awaited<ReturnType<CompilerApi['compileSchema']>>;

export interface ModelApiOptions {
  /** Groups of whoever asks, for access policies. */
  contextToGroups(context: { securityContext?: unknown }): string[] | Promise<string[]>;
  /** What the model sees as `COMPILE_CONTEXT`; absent where it does not look. */
  compileContext: object | undefined;
  dialects: ReadonlyMap<string, object>;
}

/** The engine's own compiler API, without threads, and with places in what it says about a broken model. */
export class ModelApi extends CompilerApi {
  constructor(
    private readonly start: ModelStart,
    { contextToGroups, compileContext, dialects }: ModelApiOptions,
  ) {
    const files = start.model.map(({ path, content }) => ({ fileName: path, content }));
    const repository = { localPath: () => '/', dataSchemaFiles: async () => files };
    const databaseOf = async ({ dataSource }: { dataSource?: string }) =>
      (start.databases[dataSource ?? 'default'] ?? start.databases['default']) as DatabaseType;
    super(repository, databaseOf, {
      allowNodeRequire: false,
      sqlCache: true,
      standalone: compileContext === undefined,
      compileContext,
      contextToGroups,
      logger: () => undefined,
      preAggregationsSchema: start.preAggregationsSchema,
      // As the engine's own server has them from the environment.
      allowUngroupedWithoutPrimaryKey: getEnv('allowUngroupedWithoutPrimaryKey'),
      convertTzForRawTimeDimension: getEnv('convertTzForRawTimeDimension'),
      localRefreshKey: getEnv('refreshKeyLocalTime'),
      compilerCacheSize: KEPT_FILES,
      dialectClass: ({ dbType }: { dbType?: string }) => dialects.get(dbType ?? '') as never,
    });
    for (const [hash, code] of start.transpiled) this.compiledYamlCache.set(hash, code);
  }

  get transpiled(): [string, string][] {
    return [...this.compiledYamlCache.entries()];
  }

  override createNativeInstance(): never {
    // A class whose types do not know what stands in for it.
    return native as never;
  }

  override async compileSchema(): Promise<Compiler> {
    const problems = new Problems(this.start.root, this.start.model, LIMITS);
    const extensions = extensionsFor((): unknown => compilers.compiler.contextQuery());
    const compilers = prepareCompiler(this.repository, {
      extensions,
      allowNodeRequire: false,
      compileContext: this.compileContext,
      standalone: this.standalone,
      nativeInstance: this.nativeInstance,
      compiledScriptCache: this.compiledScriptCache,
      compiledJinjaCache: this.compiledJinjaCache,
      compiledYamlCache: this.compiledYamlCache,
      maxQueryCacheSize: KEPT_QUERIES,
      errorReport: { logger: () => undefined },
    });
    const { compiler } = compilers;
    replace(compiler, 'allowNodeRequire', false);
    // A build has seen no user's model.
    if (this.start.checked && this.compileContext === undefined) takeForValid(compilers.cubeEvaluator.cubeValidator);
    InlineTranspiler.replaceWorkerThreads(compiler, problems);
    observeCompiler(compiler, problems, () => undefined);
    await compileInto(compiler, problems);
    const compiled = compilers as unknown as Compiler;
    this.queryFactory = await this.createQueryFactory(compiled);
    return compiled;
  }
}

/** Checking cubes against schemas is half of what there is to do for a model that is transpiled. */
function takeForValid(validator: CubeValidator): void {
  replace(validator, 'compile', () => {
    for (const { name } of validator.cubeSymbols.cubeList) validator.validCubes.set(name, true);
  });
}

async function compileInto(compiler: DataSchemaCompiler, problems: Problems): Promise<void> {
  try {
    await compiler.compile();
  } catch (error) {
    // The compiler ends with one exception that sums up what it reported before.
    if (!(error instanceof Error && error.constructor.name === 'CompileError')) problems.addThrown(error);
  }
  for (const error of compiler.errorsReporter?.getErrors() ?? []) problems.addReported(error, error.fileName);
  if (problems.all.length > 0) throw new ModelBroken(problems.all);
}
