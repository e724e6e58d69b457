import { LRUCache } from 'lru-cache';
import { type CompileJob, type CompileResult, failed } from '../compile-result';
import { type DataSchemaCompiler, type ErrorReporter, loadNativeInstance, prepareCompiler } from './compiler-internals';
import { NativeStandIn } from './native-stand-in';
import { Problems } from './problems';
import { InlineTranspiler } from './transpiler';

const MAX_CACHED_FILES = 2_000;
const nativeInstance = loadNativeInstance();
let caches = emptyCaches();

/** Compiles one data model with the real compiler. Never throws: whatever goes wrong is an error of the model. */
export async function compile({ root, files, context }: CompileJob): Promise<CompileResult> {
  const problems = new Problems(root, files);
  const repository = {
    localPath: () => '/',
    dataSchemaFiles: async () => files.map(({ path, content }) => ({ fileName: path, content })),
  };
  const { compiler, metaTransformer } = prepareCompiler(repository, {
    ...caches,
    compileContext: { securityContext: {}, ...context },
    nativeInstance: nativeInstance ?? new NativeStandIn(problems),
    errorReport: { logger: () => undefined },
  });
  replaceWorkerThreads(compiler, new InlineTranspiler(problems));
  keepPlaces(compiler, problems);
  try {
    await compiler.compile();
  } catch (error) {
    if (!isSummary(error)) problems.addThrown(error);
  }
  for (const error of compiler.errorsReporter?.getErrors() ?? []) problems.addReported(error, error.fileName);
  if (problems.all.length === 0) return { valid: true, errors: [], cubesCount: metaTransformer.cubes.length };
  // The compiler caches a file's output even when it reported errors, and would not report them again.
  caches = emptyCaches();
  return failed(problems.all);
}

function emptyCaches(): object {
  return {
    compiledScriptCache: new LRUCache({ max: MAX_CACHED_FILES }),
    compiledYamlCache: new LRUCache({ max: MAX_CACHED_FILES }),
  };
}

function replaceWorkerThreads(compiler: DataSchemaCompiler, transpiler: InlineTranspiler): void {
  Object.defineProperty(compiler, 'workerPool', { get: () => transpiler, set: () => undefined });
}

/** The compiler keeps only the message of an exception; its stack is where the file and line are. */
function keepPlaces(compiler: DataSchemaCompiler, problems: Problems): void {
  const catching = (report: ErrorReporter, fileName?: string): ErrorReporter =>
    Object.create(report, { error: { value: (error: unknown) => problems.addThrown(error, fileName) } });
  const compileJsFile = compiler.compileJsFile.bind(compiler);
  const compileObjects = compiler.compileObjects.bind(compiler);
  compiler.compileJsFile = (file, report, options) => compileJsFile(file, catching(report, file.fileName), options);
  compiler.compileObjects = (services, objects, report) => compileObjects(services, objects, catching(report));
}

/** The compiler ends with one exception that sums up what it reported before. */
function isSummary(error: unknown): boolean {
  return error instanceof Error && error.constructor.name === 'CompileError';
}
