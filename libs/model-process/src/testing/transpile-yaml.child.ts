import { createRequire } from 'node:module';
import { type DataSchemaCompiler, generate, parse } from '../compiler-internals';
import { Problems } from '../problems';
import { InlineTranspiler, LATER_PASSES } from '../transpiler';

/**
 * Tells what becomes of files of YAML in the first phase of a compilation, which knows no names yet, and in a later one: by the
 * worker of the package itself, and by what takes its place.
 */
const { files, names } = JSON.parse(process.argv[2] ?? '{}') as { files: string[]; names: object };

type Method = 'transpileYaml' | 'transpileJs';
type Transpile = (method: Method, request: object) => Promise<{ content: string; errors: number }>;
type Worker = Record<Method, (request: object) => { content: string; errors: readonly unknown[] }>;

const NOTHING = { cubeNames: [], cubeSymbols: {} };
const load = createRequire(require.resolve('@cubejs-backend/schema-compiler'));
const WORKER = load.resolve('./compiler/transpilers/transpiler_worker');

/** A worker of its own for each file, since a worker keeps all errors that it has ever found. */
function originalWorker(): Transpile {
  let worker: Worker | undefined;
  const pool: { worker(methods: Worker): void } = load('workerpool');
  pool.worker = (methods) => (worker = methods);
  Reflect.deleteProperty(load.cache, WORKER);
  load(WORKER);
  return async (method, request) => {
    const { content, errors } = (worker as Worker)[method](request);
    return { content, errors: errors.length };
  };
}
const ours: Transpile = async (method, request) => {
  const problems = new Problems('', [], { problems: 100, messageLength: 1_000 });
  const compiler = {} as DataSchemaCompiler;
  InlineTranspiler.replaceWorkerThreads(compiler, problems);
  const { content } = await (compiler.workerPool as InlineTranspiler).exec(method, [request as never]);
  return { content, errors: problems.all.length };
};

/** Files that later phases do not look through. */
const quick = new Set<string>();
/** Two scripts are the same when their shortest forms are. */
const shortest = (code: string) =>
  generate(parse(code, { sourceType: 'script' }), { minified: true, comments: false }, '').code;

async function phases(transpile: Transpile, content: string) {
  try {
    const file = { fileName: 'a.yml', content };
    const first = await transpile('transpileYaml', { ...file, ...NOTHING, transpilers: [] });
    if (first.errors > 0 || first.content === '') return { errors: first.errors > 0 };
    const script = { ...file, content: first.content, transpilers: LATER_PASSES };
    const second = await transpile('transpileJs', { ...script, ...NOTHING });
    const last = await transpile('transpileJs', { ...script, ...names });
    const errors = second.errors + last.errors > 0;
    if (errors) return { errors };
    if (first.content.includes('\n//parameters ')) quick.add(content);
    return { errors, scripts: [first, second, last].map((each) => shortest(each.content)) };
  } catch {
    return { errors: true };
  }
}

async function main(): Promise<void> {
  const told = [];
  for (const content of files) {
    const [wanted, found] = [await phases(originalWorker(), content), await phases(ours, content)];
    told.push({ wanted, found, quick: quick.has(content) });
  }
  // The parser tells some faults to the console.
  process.stdout.write(`\n${JSON.stringify(told)}`);
}

void main();
