import Module, { createRequire } from 'node:module';

/**
 * The parts of the schema compiler, and of its own dependencies, that its public entry does not export. Everything here
 * is bound to the exact version in package.json and loaded from where the compiler itself would find it.
 */
const load = createRequire(require.resolve('@cubejs-backend/schema-compiler'));

export interface SourceFile {
  fileName: string;
  content: string;
}

export interface ReportedError {
  message: string;
  plainMessage?: string;
  fileName?: string;
}

export interface ErrorReporter {
  inFile(file: SourceFile): void;
  inContext(context: string): ErrorReporter;
  error(error: unknown, fileName?: string): void;
  getErrors(): ReportedError[];
}

export interface SymbolResolver {
  isCurrentCube(name: string): boolean;
  setSymbols(symbols: object): void;
  /** What it returns counts only as true or false. */
  resolveSymbol(cube: string | null, name: string): unknown;
}

export interface CubeDictionary {
  setCubeNames(names: readonly string[]): void;
  resolveCube(name: string): boolean;
}

/** A node of a syntax tree. */
export type Ast = object;

export interface YamlCompiler {
  transpileYamlFile(file: SourceFile, report: ErrorReporter): SourceFile | undefined;
  parsePythonAndTranspileToJs(code: string, report: ErrorReporter): Ast;
  /** Without a resolver of its own, names are those that the cube knows. */
  astIntoArrowFunction(ast: Ast, code: string, cube: string, resolveCube?: (name: string) => boolean): Ast;
  transformYamlCubeObj(cube: object, report: ErrorReporter): Ast;
  transpileViewGroup(group: object): string;
}

interface Transpiler {
  traverseObject(report: ErrorReporter): object;
}

/** Has those who ask for the module get these exports. */
function provide(path: string, exports: object = {}): void {
  load.cache[path] = Object.assign(new Module(path), { filename: path, loaded: true, exports });
}

/** What serves the compiler's command line alone: an eighth of all modules, some of which reach out to disk and network. */
const UNUSED = ['./http-utils', './cli', './track', './FileRepository', './proxy', 'cross-spawn', 'shelljs'];
const loadShared = createRequire(load.resolve('@cubejs-backend/shared'));
for (const name of UNUSED) provide(loadShared.resolve(name));
/** What writes models for developers. */
for (const name of ['./compiler/converters', './scaffolding']) provide(load.resolve(name));
// All of it in one file instead of one for each function, which are two fifths of all modules. The copy says of itself, as
// the package's own entry does, nothing of having a default.
provide(load.resolve('ramda'), { ...(load('ramda/dist/ramda.min.js') as object) });
const silent = (): void => undefined;
const { exports: commandLine } = load.cache[loadShared.resolve('./cli')] as { exports: object };
Object.assign(commandLine, { displayCLIError: silent, displayCLIWarning: silent, displayCLIWarningOnce: silent });

// The platform check runs `getconf`, which the sandbox forbids. It only decides whether Jinja may be used at all.
const platform: { isNativeSupported: () => true } = load('@cubejs-backend/shared/dist/src/platform');
platform.isNativeSupported = () => true;

const reporting: {
  ErrorReporter: new (parent: null, context: string[], options: { logger(): void }) => ErrorReporter;
} = load('./compiler/ErrorReporter');
const symbols: { LightweightSymbolResolver: new () => SymbolResolver } = load(
  './compiler/transpilers/LightweightSymbolResolver',
);
const dictionary: { LightweightNodeCubeDictionary: new () => CubeDictionary } = load(
  './compiler/transpilers/LightweightNodeCubeDictionary',
);
const yaml: {
  YamlCompiler: new (
    symbols: SymbolResolver,
    dictionary: CubeDictionary,
    native: null,
    views: SymbolResolver,
  ) => YamlCompiler;
} = load('./compiler/YamlCompiler');

export const { ErrorReporter } = reporting;
export const { LightweightSymbolResolver } = symbols;
export const { LightweightNodeCubeDictionary } = dictionary;
export const { YamlCompiler } = yaml;
export const transpilerClasses: Record<string, new (...dependencies: object[]) => Transpiler> =
  load('./compiler/transpilers');
const {
  transpiledFields,
  transpiledFieldsPatterns,
}: { transpiledFields: ReadonlySet<string>; transpiledFieldsPatterns: readonly RegExp[] } = load(
  './compiler/transpilers/CubePropContextTranspiler',
);
/** Whether what a cube has there becomes a function, by the name of the field and its path. */
export const isReferenceField = (name: string, path: string): boolean =>
  transpiledFields.has(name) && transpiledFieldsPatterns.some((pattern) => pattern.test(path));
export const { parse }: { parse(code: string, options: object): object } = load('@babel/parser');
export const babelTypes: {
  program(body: Ast[]): Ast;
  expressionStatement(expression: Ast): Ast;
  templateLiteral(quasis: Ast[], expressions: Ast[]): Ast;
  templateElement(value: { raw: string; cooked: string }, tail: boolean): Ast;
  memberExpression(object: Ast, property: Ast): Ast;
  identifier(name: string): Ast;
  arrowFunctionExpression(parameters: Ast[], body: Ast): Ast;
} = load('@babel/types');
export const { default: traverse }: { default(ast: object, visitor: object): void } = load('@babel/traverse');
export const { default: generate }: { default(ast: object, options: object, code: string): { code: string } } =
  load('@babel/generator');

/** What models get by `require` and a name, made for each one: helpers that ask the compiler when a query is planned. */
export type Extension = new (cubeFactory: unknown, compiler: object, cubes: object[]) => object;
export const extensionClasses: Record<'Funnels' | 'RefreshKeys' | 'Reflection', Extension> = load('./extensions');

export type AsyncModule = () => Promise<void>;

/** A cube, a view, a context or a group of views, with the file that defined it. */
export interface NamedObject {
  name: string;
  fileName: string;
}

export interface DataSchemaCompiler {
  workerPool: object;
  errorsReporter?: ErrorReporter;
  /** The query that is being planned. */
  contextQuery(): unknown;
  compile(): Promise<void>;
  transpileFile(file: SourceFile, report: ErrorReporter, options: object): Promise<SourceFile | undefined>;
  compileCubeFiles(
    ...all: [
      cubes: object[],
      contexts: object[],
      viewGroups: object[],
      compiledFiles: object,
      asyncModules: AsyncModule[],
      compilers: object,
      transpiledFiles: SourceFile[],
      report: ErrorReporter,
    ]
  ): Promise<void>;
  compileJsFile(file: SourceFile, report: ErrorReporter, options?: object): void;
  compileObjects(services: object[], objects: NamedObject[], report: ErrorReporter): Promise<void>;
}

/** Says which cubes are sound; others are left out by whatever comes after. */
export interface CubeValidator {
  cubeSymbols: { cubeList: readonly { name: string }[] };
  validCubes: Map<string, boolean>;
  compile(cubes: readonly object[], report: ErrorReporter): void;
}

/** A cube or a view as the meta endpoint shows it; names of members begin with the cube's. */
export interface MetaCube {
  config: {
    name: string;
    type: 'cube' | 'view';
    measures: readonly { name: string }[];
    dimensions: readonly { name: string }[];
    segments: readonly { name: string }[];
  };
}

export const {
  prepareCompiler,
}: {
  prepareCompiler(
    repository: object,
    options: object,
  ): {
    compiler: DataSchemaCompiler;
    cubeEvaluator: { cubeValidator: CubeValidator };
    metaTransformer: { cubes: readonly MetaCube[] };
  };
} = load('./compiler/PrepareCompiler');

/** The native module's own bindings, or undefined where it has no binary. */
export function loadNativeInstance(): object | undefined {
  const native: { loadNative(): object; NativeInstance: new () => object } = load('@cubejs-backend/native');
  try {
    native.loadNative();
    return new native.NativeInstance();
  } catch {
    return undefined;
  }
}
