import { LRUCache } from 'lru-cache';
import {
  extensionsFor,
  InlineTranspiler,
  LimitReached,
  loadNativeInstance,
  observeCompiler,
  prepareCompiler,
  Problems,
  replace,
  turn,
} from '@plinth/model-process';
import {
  type CompileJob,
  type CompileResult,
  failed,
  MAX_ERRORS,
  MAX_MESSAGE,
  MAX_TRANSPILED_BYTES,
  MAX_TRANSPILED_FILES,
  type Transpiled,
} from '../compile-result';
import { membersOf } from './members';
import { NativeStandIn } from './native-stand-in';

const MAX_SCRIPTS = 2_000;
const LIMITS = { problems: MAX_ERRORS, messageLength: MAX_MESSAGE };
const nativeInstance = loadNativeInstance();
/** Scripts by their text, ready to run; the compiler's other caches would keep output that had errors, and are of one compilation. */
const compiledScriptCache = new LRUCache({ max: MAX_SCRIPTS });
let current: Problems | undefined;

/** No query is planned here. */
const extensions = extensionsFor(() => undefined);

/**
 * Compiles one data model with the real compiler. Never throws: whatever goes wrong is an error of the model. `entering`
 * is told whose code is about to run.
 */
export async function compile(
  { root, files, context, describe }: CompileJob,
  entering: (path: string) => void,
): Promise<CompileResult> {
  const problems = (current = new Problems(root, files, LIMITS));
  const repository = {
    localPath: () => '/',
    dataSchemaFiles: async () => files.map(({ path, content }) => ({ fileName: path, content })),
  };
  const compiledYamlCache = new LRUCache<string, string>({ max: MAX_TRANSPILED_FILES });
  const { compiler, metaTransformer } = prepareCompiler(repository, {
    compiledScriptCache,
    compiledYamlCache,
    extensions,
    compileContext: { securityContext: {}, ...context },
    nativeInstance: nativeInstance ?? new NativeStandIn(problems),
    errorReport: { logger: () => undefined },
  });
  replace(compiler, 'allowNodeRequire', false);
  InlineTranspiler.replaceWorkerThreads(compiler, problems);
  observeCompiler(compiler, problems, entering);
  try {
    await compiler.compile();
    // Callbacks that nobody awaits may loop or fail: not after there is a result.
    await turn();
  } catch (error) {
    if (error instanceof LimitReached) return { ...failed(problems.all), aborted: true };
    if (!isSummary(error)) problems.addThrown(error);
  }
  for (const error of compiler.errorsReporter?.getErrors() ?? []) problems.addReported(error, error.fileName);
  if (problems.all.length > 0) return failed(problems.all);
  const { cubes } = metaTransformer;
  const cubesCount = cubes.length;
  if (describe) return { valid: true, errors: [], cubesCount, members: membersOf(cubes) };
  const transpiled = handedOver(compiledYamlCache);
  return { valid: true, errors: [], cubesCount, ...(transpiled.length > 0 && { transpiled }) };
}

/** As much as may be said. */
function handedOver(transpiled: LRUCache<string, string>): Transpiled {
  let bytes = 0;
  return [...transpiled.entries()].filter((entry) => {
    bytes += Buffer.byteLength(JSON.stringify(entry));
    return bytes <= MAX_TRANSPILED_BYTES;
  });
}

/** An exception in a callback that nobody awaits belongs to the model that is being compiled. */
export function reportStray(error: unknown): void {
  current?.addThrown(error);
}

/** The compiler ends with one exception that sums up what it reported before. */
function isSummary(error: unknown): boolean {
  return error instanceof Error && error.constructor.name === 'CompileError';
}
