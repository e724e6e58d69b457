import { AppError } from '@plinth/errors';
import { CST, isNode, isScalar, Lexer, LineCounter, parseDocument, stringify, visit, type Node } from 'yaml';
import { LIMITS } from './content-files';
import type { ImportProblems } from './problems';

/** What a file says. */
export interface Content {
  file: string;
  value: Record<string, unknown>;
  /** Line of a value, or of what it would be in; undefined where that is not known. */
  lineOf(path: readonly (string | number)[]): number | undefined;
}

/** The same value gives the same text. */
export const textOf = (value: object): string => stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });

const bracketSteps: Readonly<Record<string, number>> = {
  'flow-seq-start': 1,
  'flow-map-start': 1,
  'flow-seq-end': -1,
  'flow-map-end': -1,
};

/** Reads the files of one archive, which may be hostile. */
export class DocumentReader {
  private tokensLeft = LIMITS.tokens;

  constructor(private readonly problems: ImportProblems) {}

  /**
   * Undefined for a file of which something is wrong, which is noted.
   *
   * @throws AppError `request.too_large` (413) for more than the parser is to be given.
   */
  read(file: string, text: string): Content | undefined {
    if (this.isDeep(file, text)) return this.refuse(file, 'is nested too deeply');
    const lines = new LineCounter();
    // Looking for repeated keys takes the parser time by the square of their number.
    const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false, prettyErrors: false });
    const wrong = document.errors.map(({ message, pos: [start] }) => ({ message, start }));
    const note = (node: Node, message: string): void => void wrong.push({ message, start: node.range?.[0] ?? 0 });
    visit(document, {
      Alias: (_key, alias) => note(alias, 'Aliases are not taken'),
      Map: (_key, { items }) => {
        const seen = new Set<string>();
        for (const { key } of items) {
          const name = isScalar(key) ? String(key.value) : '';
          if (seen.has(name) && isNode(key)) note(key, `${name} stands here twice`);
          seen.add(name);
        }
      },
    });
    for (const { message, start } of wrong) this.refuse(file, message, lines.linePos(start).line);
    if (wrong.length > 0) return undefined;
    const value: unknown = document.toJS();
    if (!isMapping(value)) return this.refuse(file, 'is no mapping', 1);
    if (isDeep(value)) return this.refuse(file, 'is nested too deeply');
    const lineOf: Content['lineOf'] = (path) => {
      const node = path.length === 0 ? document.contents : document.getIn(path, true);
      if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
      return path.length === 0 ? undefined : lineOf(path.slice(0, -1));
    };
    return { file, value, lineOf };
  }

  /** Whether the parser would run out of stack: by brackets, by lists that begin in one line, or by indentation. */
  private isDeep(file: string, text: string): boolean {
    let [tokens, brackets, inLine, atStart] = [0, 0, 0, true];
    for (const token of new Lexer().lex(text)) {
      if ((tokens += 1) > LIMITS.tokensOfFile || (this.tokensLeft -= 1) < 0) throw tooMuch(file);
      const type = CST.tokenType(token) ?? '';
      brackets += bracketSteps[type] ?? 0;
      inLine = type === 'newline' ? 0 : inLine + Number(type.endsWith('-ind'));
      const indentation = atStart && type === 'space' ? token.length / 2 : 0;
      if (Math.max(brackets, inLine, indentation) > 2 * LIMITS.nesting) return true;
      atStart = type === 'newline';
    }
    return false;
  }

  private refuse(file: string, message: string, line?: number): undefined {
    this.problems.add('invalid', file, message, line);
    return undefined;
  }
}

const tooMuch = (file: string): AppError =>
  new AppError('request.too_large', `${file} says more than can be read: import the archive in parts`);

export const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a value is nested deeper than files may be. */
export function isDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > LIMITS.nesting) return true;
    level = level.flatMap((each) =>
      typeof each === 'object' && each !== null ? (Object.values(each) as unknown[]) : [],
    );
  }
  return false;
}
