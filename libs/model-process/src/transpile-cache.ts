import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type CubeDictionary, type SymbolResolver } from './compiler-internals';
import { type NameResolver } from './yaml-code';

/** A name that a file asked for, in the symbols of a cube or, without `symbols`, among the cubes. */
interface Question {
  symbols: boolean;
  cube: string | null;
  name: string;
}

export interface Transpiled {
  content: string;
  /** Whether there were no errors, which would have to be found again. */
  sound: boolean;
}

interface Output {
  content: string;
  asked: { question: Question; exists: boolean }[];
}

/** Characters of kept output, far below the heap of a child. */
const MAX_CHARACTERS = 32 << 20;
/** A file is transpiled in several phases, each of which knows more of the model. */
const MAX_OUTPUTS = 4;

/**
 * Output of transpilers that outlives a compilation. A transpiler sees its file, and of all others only whether names
 * exist: what it asked is kept with its output, which holds as long as the answers are the same.
 */
export class TranspileCache {
  private readonly outputs = new LRUCache<string, Output[]>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (outputs) => outputs.reduce((sum, { content, asked }) => sum + content.length + asked.length, 1),
  });

  get(file: object, names: KnownNames, transpile: () => Transpiled): string {
    const key = createHash('sha256').update(JSON.stringify(file)).digest('base64');
    const kept = this.outputs.get(key) ?? [];
    const valid = kept.find(({ asked }) => asked.every(({ question, exists }) => names.answer(question) === exists));
    if (valid) return valid.content;
    const { result, asked } = names.recording(transpile);
    const { content, sound } = result;
    if (sound) this.outputs.set(key, [{ content, asked }, ...kept].slice(0, MAX_OUTPUTS));
    return content;
  }
}

/** The names of a model as far as they are known, which remembers what it was asked. */
export class KnownNames implements NameResolver {
  private asked = new Map<string, Output['asked'][number]>();
  private readonly resolveSymbol: SymbolResolver['resolveSymbol'];
  private readonly resolveCube: CubeDictionary['resolveCube'];

  constructor(
    private readonly symbols: SymbolResolver,
    private readonly dictionary: CubeDictionary,
  ) {
    const resolveSymbol = (this.resolveSymbol = symbols.resolveSymbol.bind(symbols));
    const resolveCube = (this.resolveCube = dictionary.resolveCube.bind(dictionary));
    symbols.resolveSymbol = (cube, name) => this.record({ symbols: true, cube, name }, resolveSymbol(cube, name));
    dictionary.resolveCube = (name) => this.record({ symbols: false, cube: null, name }, resolveCube(name));
  }

  isCube(name: string): boolean {
    return this.dictionary.resolveCube(name);
  }

  /** Every transpiler counts the words for the cube itself as known. */
  isKnownTo(cube: string, name: string): boolean {
    return Boolean(this.symbols.resolveSymbol(cube, name)) || this.symbols.isCurrentCube(name);
  }

  answer({ symbols, cube, name }: Question): boolean {
    return Boolean(symbols ? this.resolveSymbol(cube, name) : this.resolveCube(name));
  }

  recording<T>(work: () => T): { result: T; asked: Output['asked'] } {
    this.asked = new Map();
    return { result: work(), asked: [...this.asked.values()] };
  }

  private record<T>(question: Question, answer: T): T {
    this.asked.set(JSON.stringify(question), { question, exists: Boolean(answer) });
    return answer;
  }
}
