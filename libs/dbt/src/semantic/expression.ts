import { type CubeDraft, type ModelSql } from '../cubes/draft';
import { isIdentifier } from '../cubes/names';
import { literal } from '../cubes/literal';

const TOKENS =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|--[^\n]*|\/\*[\s\S]*?\*\/|[A-Za-z_][\w$]*|\d[\w.]*|::|\s+|[\s\S]/g;
const SPACE = /^\s+$/;

interface Token {
  text: string;
  /** The tokens around it that are no space, in lower case. */
  before: string;
  after: string;
}

/** SQL over the columns of a model, whose columns get the cube in front: in a join they would be ambiguous. */
export function overColumns(cube: CubeDraft, expression: string): ModelSql {
  const whole = expression.trim();
  if (isIdentifier(whole)) return cube.column(whole)?.sql ?? `{CUBE}.${whole}`;
  return replaced(whole, (token) => (isColumn(token) ? cube.column(token.text)?.sql : undefined));
}

/** An expression over names that stand for other things; what is not among them stays. */
export function overNames(expression: string, names: ReadonlyMap<string, ModelSql>): ModelSql {
  return replaced(expression.trim(), (token) => (isColumn(token) ? names.get(token.text) : undefined));
}

function replaced(expression: string, replacement: (token: Token) => ModelSql | undefined): ModelSql {
  const texts = expression.match(TOKENS) ?? [];
  const solid = texts.filter((text) => !SPACE.test(text));
  let position = -1;
  return texts
    .map((text) => {
      if (SPACE.test(text)) return text;
      position += 1;
      const before = solid[position - 1]?.toLowerCase() ?? '';
      const after = solid[position + 1]?.toLowerCase() ?? '';
      return replacement({ text, before, after }) ?? literal(text);
    })
    .join('');
}

/** Whether a word is neither a function, nor part of a longer name, a type, or a part of a date. */
function isColumn({ text, before, after }: Token): boolean {
  if (!/^[A-Za-z_"`]/.test(text)) return false;
  const named = before === '.' || after === '.' || after === '(';
  const typed = before === 'as' || before === '::' || after.startsWith("'");
  return !named && !typed && after !== 'from';
}
