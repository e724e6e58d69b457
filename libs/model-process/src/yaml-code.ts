import { randomUUID } from 'node:crypto';
import {
  babelTypes as t,
  type ErrorReporter,
  isReferenceField,
  type SourceFile,
  type YamlCompiler,
} from './compiler-internals';
import { referencesIn, type Node } from './references';

/** Tells whether names are known: to a cube, or as those of cubes. */
export interface NameResolver {
  isKnownTo(cube: string, name: string): boolean;
  isCube(name: string): boolean;
}

/** A function that the compiler makes of a text. Its parameters are those names in the text that are known. */
type Reference = readonly [kind: 'names' | 'cubes', cube: string, names: readonly string[]];
/** Where the parameters of a function are in code. */
type Place = readonly [start: number, end: number, reference: Reference];

/** Stands for the parameters of a function; no text of a model holds it. */
const PLACE = `place_${randomUUID().replaceAll('-', '')}_`;
const PLACES = new RegExp(`${PLACE}(\\d+)_`);
/** Begins the last line of code of which later phases change parameters alone, and which says where these are. */
const MARK = '//parameters ';

/**
 * A script in a later phase of the compilation, by what {@link YamlCodeWriter} made of its file; undefined when that has to
 * be looked through.
 */
export function laterScript(code: string, resolver: NameResolver): string | undefined {
  const end = code.lastIndexOf('\n') + 1;
  if (!code.startsWith(MARK, end)) return undefined;
  const places = JSON.parse(code.slice(end + MARK.length)) as Place[];
  let script = '(function () {';
  let written = 0;
  for (const [start, stop, reference] of places) {
    script += code.slice(written, start) + parametersOf(reference, resolver);
    written = stop;
  }
  return `${script}${code.slice(written, end)}})();`;
}

function parametersOf([kind, cube, names]: Reference, resolver: NameResolver): string {
  const known = names.filter((name) => (kind === 'cubes' ? resolver.isCube(name) : resolver.isKnownTo(cube, name)));
  return `(${known.join(', ')})`;
}

/**
 * Makes scripts of files of YAML. The compiler writes such a script, and parses and looks through it again in each of its
 * phases, for no more than the parameters of functions: which names are known. Of files whose texts are names, plain words
 * and lists of them, a script tells where these are. So are most files, and all that are generated.
 */
export class YamlCodeWriter {
  private references: Reference[] = [];
  private functions = new Map<object, Reference[0]>();
  private isPlain = true;

  constructor(
    private readonly compiler: YamlCompiler,
    private readonly resolver: NameResolver,
  ) {
    this.writeReferences();
    this.lookThrough();
  }

  write(file: SourceFile, report: ErrorReporter): string {
    this.references = [];
    this.functions = new Map();
    this.isPlain = true;
    const pieces = (this.compiler.transpileYamlFile(file, report)?.content ?? '').split(PLACES);
    const places: Place[] = [];
    let code = '';
    for (const [index, piece] of pieces.entries()) {
      const reference = index % 2 === 0 ? undefined : this.references[Number(piece)];
      const start = code.length;
      code += reference ? parametersOf(reference, this.resolver) : piece;
      if (reference) places.push([start, code.length, reference]);
    }
    const isMarked = this.isPlain && code !== '' && report.getErrors().length === 0;
    return isMarked ? `${code}\n${MARK}${JSON.stringify(places)}` : code;
  }

  private writeReferences(): void {
    const { compiler } = this;
    const written = compiler.astIntoArrowFunction.bind(compiler);
    compiler.astIntoArrowFunction = (ast, code, cube, resolveCube) => {
      const expression = expressionOf(ast as Node);
      const names = expression && referencesIn(expression);
      if (!names || !/^\w+$/.test(cube)) {
        this.isPlain = false;
        return written(ast, code, cube, resolveCube);
      }
      const kind = resolveCube ? 'cubes' : 'names';
      const place = this.references.push([kind, cube, [...names]]) - 1;
      const made = t.arrowFunctionExpression([t.identifier(`${PLACE}${place}_`)], expression);
      this.functions.set(made, kind);
      return made;
    };
  }

  private lookThrough(): void {
    const { compiler } = this;
    const transform = compiler.transformYamlCubeObj.bind(compiler);
    const viewGroup = compiler.transpileViewGroup.bind(compiler);
    compiler.transformYamlCubeObj = (cube, report) => {
      const made = transform(cube, report);
      this.isPlain &&= this.isSettled(made as Node, '');
      return made;
    };
    compiler.transpileViewGroup = (group) => {
      this.isPlain = false;
      return viewGroup(group);
    };
  }

  /** Whether functions are at all places where a later phase has some, and nowhere else. */
  private isSettled(node: Node, path: string): boolean {
    if (node.type === 'ArrayExpression') return node.elements.every((each) => this.isSettled(each, `${path}0.`));
    if (node.type !== 'ObjectExpression') return referencesIn(node) !== undefined;
    return node.properties.every(({ key, value }) => {
      const full = path + key.value;
      const expected = key.value.includes('extends')
        ? 'cubes'
        : isReferenceField(key.value, full)
          ? 'names'
          : undefined;
      const kind = this.functions.get(value);
      return kind === expected && (kind !== undefined || this.isSettled(value, `${path}${key.value || '0'}.`));
    });
  }
}

/** Of a text alone, a program makes a directive. */
function expressionOf(ast: Node): Node | undefined {
  const expression = ast.type === 'Program' && ast.body.length === 1 ? ast.body[0]?.expression : ast;
  return expression?.type === 'StringLiteral' ? undefined : expression;
}
