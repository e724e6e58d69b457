import { type AsyncModule, type DataSchemaCompiler, type ErrorReporter, type NamedObject } from './compiler-internals';
import { type Problems } from './problems';

/** The model took more time or memory than there is: the compilation ends here, and might end otherwise elsewhere. */
export class LimitReached extends Error {
  override readonly name = 'LimitReached';
}

/**
 * Watches the compiler from outside: says whose code is about to run, which is all that is known should it never return;
 * and keeps the places of exceptions, of which the compiler keeps only the message.
 */
export function observeCompiler(
  compiler: DataSchemaCompiler,
  problems: Problems,
  entering: (path: string) => void,
): void {
  const enter = onChange(entering);
  watchScripts(compiler, problems, enter);
  watchObjects(compiler, problems, enter);
  const transpileFile = compiler.transpileFile.bind(compiler);
  compiler.transpileFile = (file, ...rest) => {
    enter(file.fileName);
    return transpileFile(file, ...rest);
  };
}

/** Files as they are run, which may require others, and later what they passed to `asyncModule`. */
function watchScripts(compiler: DataSchemaCompiler, problems: Problems, enter: (path: string) => void): void {
  const compileCubeFiles = compiler.compileCubeFiles.bind(compiler);
  const compileJsFile = compiler.compileJsFile.bind(compiler);
  let modules: AsyncModule[] = [];
  const running: string[] = [];
  compiler.compileCubeFiles = (...all) => {
    modules = all[4];
    return compileCubeFiles(...all);
  };
  compiler.compileJsFile = (file, report) => {
    const { fileName } = file;
    const before = modules.length;
    running.push(fileName);
    enter(fileName);
    // Without the check of syntax that the compiler wants for a file that another one requires: it evaluates the text,
    // which this process forbids, and the text has passed the transpilers.
    compileJsFile(file, catching(report, problems, fileName));
    for (const [index, run] of modules.slice(before).entries()) {
      modules[before + index] = () => {
        enter(fileName);
        return run();
      };
    }
    running.pop();
    const outer = running.at(-1);
    if (outer !== undefined) enter(outer);
  };
}

/** Cubes as they are evaluated, which runs the functions in them: the compiler opens a context named after each. */
function watchObjects(compiler: DataSchemaCompiler, problems: Problems, enter: (path: string) => void): void {
  const compileObjects = compiler.compileObjects.bind(compiler);
  compiler.compileObjects = (services, objects: NamedObject[], report) => {
    const files = new Map(objects.map(({ name, fileName }) => [`${name} cube`, fileName]));
    const inContext = function (this: ErrorReporter, context: string): ErrorReporter {
      const fileName = files.get(context);
      if (fileName !== undefined) enter(fileName);
      return report.inContext.call(this, context);
    };
    const watched = Object.defineProperty(catching(report, problems), 'inContext', { value: inContext });
    return compileObjects(services, objects, watched);
  };
}

function catching(report: ErrorReporter, problems: Problems, fileName?: string): ErrorReporter {
  const error = (thrown: unknown) => {
    const limit = limitReached(thrown);
    if (limit === undefined) return problems.addThrown(thrown, fileName);
    problems.add(limit, fileName);
    throw new LimitReached();
  };
  return Object.create(report, { error: { value: error } }) as ErrorReporter;
}

/** The compiler gives each script some seconds; the kernel refuses memory for buffers. */
function limitReached(thrown: unknown): string | undefined {
  const { code, message } = (thrown ?? {}) as { code?: unknown; message?: unknown };
  if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return 'The script took too long and was stopped';
  if (message === 'Array buffer allocation failed') return 'Compilation needs more memory than it may have';
  return undefined;
}

function onChange(entering: (path: string) => void): (path: string) => void {
  let last: string | undefined;
  return (path) => {
    if (path !== last) entering(path);
    last = path;
  };
}
