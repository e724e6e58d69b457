import {
  type DataSchemaCompiler,
  ErrorReporter,
  LightweightNodeCubeDictionary,
  LightweightSymbolResolver,
  type SourceFile,
  YamlCompiler,
  generate,
  parse,
  transpilerClasses,
  traverse,
} from './compiler-internals';
import { readPlainTexts } from './plain-texts';
import { type Problems } from './problems';
import { KnownNames, TranspileCache, type Transpiled } from './transpile-cache';
import { laterScript, YamlCodeWriter } from './yaml-code';

interface TranspileRequest extends SourceFile {
  transpilers: readonly string[];
  cubeNames?: readonly string[];
  cubeSymbols?: object;
  jinjaUsed?: boolean;
}

interface Reply {
  content: string;
  errors: [];
  warnings: [];
}

const cache = new TranspileCache();
/** What the compiler does with scripts in its later phases, and is done otherwise with what {@link laterScript} takes. */
export const LATER_PASSES: readonly string[] = [
  'ValidationTranspiler',
  'ImportExportTranspiler',
  'CubePropContextTranspiler',
  'IIFETranspiler',
  'CubeCheckDuplicatePropTranspiler',
];

/**
 * Takes the place of the compiler's pool of worker threads, which a sandboxed process may not start. It does the same
 * work in line, keeps line numbers of JavaScript, and ties every error to its file instead of ending the compilation.
 */
export class InlineTranspiler {
  private readonly symbols = new LightweightSymbolResolver();
  private readonly dictionary = new LightweightNodeCubeDictionary();
  private readonly names = new KnownNames(this.symbols, this.dictionary);
  private readonly yaml = new YamlCompiler(this.symbols, this.dictionary, null, this.symbols);
  private readonly writer = new YamlCodeWriter(this.yaml, this.names);
  private readonly transpilers = new Map(
    Object.entries(transpilerClasses)
      .filter(([name, value]) => name.endsWith('Transpiler') && typeof value === 'function')
      .map(([name, Transpiler]) => [name, new Transpiler(this.symbols, this.dictionary, this.symbols)]),
  );

  private constructor(private readonly problems: Problems) {
    readPlainTexts(this.yaml);
  }

  static replaceWorkerThreads(compiler: DataSchemaCompiler, problems: Problems): void {
    const transpiler = new InlineTranspiler(problems);
    Object.defineProperty(compiler, 'workerPool', { get: () => transpiler, set: () => undefined });
  }

  /** The one call that the compiler makes to its pool. */
  async exec(method: 'transpileJs' | 'transpileYaml', [request]: [TranspileRequest]): Promise<Reply> {
    const { cubeNames = [], cubeSymbols = {}, ...file } = request;
    this.dictionary.setCubeNames(cubeNames);
    this.symbols.setSymbols(cubeSymbols);
    const content =
      this.plainScript(method, file) ?? cache.get({ method, ...file }, this.names, () => this.transpile(method, file));
    return { content, errors: [], warnings: [] };
  }

  terminate(): void {
    // There are no threads to end.
  }

  private transpile(method: 'transpileJs' | 'transpileYaml', file: TranspileRequest): Transpiled {
    const report = new ErrorReporter(null, [], { logger: () => undefined });
    report.inFile(file);
    try {
      const content = method === 'transpileJs' ? this.script(file, report) : this.writer.write(file, report);
      const errors = report.getErrors();
      for (const error of errors) this.problems.addReported(error, file.fileName);
      return { content, sound: errors.length === 0 };
    } catch (error) {
      // A template's output has other lines than its source.
      const line = file.jinjaUsed ? undefined : lineOf(error);
      this.problems.add(syntaxMessage(error), file.fileName, line);
      return { content: '', sound: false };
    }
  }

  /** Undefined for what has to be looked through. */
  private plainScript(method: string, { fileName, content, transpilers }: TranspileRequest): string | undefined {
    if (method !== 'transpileJs' || fileName.endsWith('.js') || transpilers.join() !== LATER_PASSES.join())
      return undefined;
    return laterScript(content, this.names);
  }

  private script(file: TranspileRequest, report: ErrorReporter): string {
    const ast = parse(file.content, {
      sourceFilename: file.fileName,
      sourceType: 'module',
      plugins: ['objectRestSpread'],
    });
    for (const name of file.transpilers) {
      const transpiler = this.transpilers.get(name);
      if (!transpiler) throw new Error(`Transpiler ${name} is not supported`);
      traverse(ast, transpiler.traverseObject(report));
    }
    return generate(ast, { retainLines: true }, file.content).code;
  }
}

function syntaxMessage(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  // The rest is an excerpt of the source.
  return `Syntax error: ${message.split('\n')[0]}`;
}

/** Babel counts lines from one (`loc`), js-yaml from zero (`mark`). */
function lineOf(error: unknown): number | undefined {
  const { loc, mark } = error as { loc?: { line?: number }; mark?: { line?: number } };
  return loc?.line ?? (mark?.line === undefined ? undefined : mark.line + 1);
}
