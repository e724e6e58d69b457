import { type Ast, type YamlCompiler, babelTypes as t } from './compiler-internals';

/**
 * A text of YAML as the compiler asks its Python parser for it: characters and common escapes, and names in braces, of which
 * that parser takes no two in a row.
 */
const FORMATTED = /^f"((?:[^"`\\{}\r\n]|\\x[0-9a-f]{2}|\\["`]|\{[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*\}(?!\{))*)"$/;
const REFERENCE = /\{([^}]+)\}/;
/** A member, as lists of members name it. */
const NAME = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/;
/** Words that Python does not take for names. */
const KEYWORDS: ReadonlySet<string> = new Set(
  [
    'False None True and as assert async await break class continue def del elif else except exec finally for from global',
    'if import in is lambda nonlocal not or pass print raise return try while with yield',
  ].flatMap((line) => line.split(' ')),
);

/**
 * Most texts of a model are plain, or refer to names and nothing else. The compiler's Python parser takes most of the time of
 * large models, and makes of those what can be told at a glance; all others still go to it.
 */
export function readPlainTexts(compiler: YamlCompiler): void {
  const parse = compiler.parsePythonAndTranspileToJs.bind(compiler);
  compiler.parsePythonAndTranspileToJs = (code, report) => plainText(code) ?? parse(code, report);
}

function plainText(code: string): Ast | undefined {
  const made = NAME.test(code) ? reference(code) : template(FORMATTED.exec(code)?.[1]);
  return made && t.program([t.expressionStatement(made)]);
}

function template(text?: string): Ast | undefined {
  if (!text) return undefined;
  const parts = text.split(REFERENCE);
  const references = parts.filter((_, index) => index % 2 === 1).map(reference);
  const known = references.filter((each) => each !== undefined);
  if (known.length < references.length) return undefined;
  const quasis = parts
    .filter((_, index) => index % 2 === 0)
    .map((raw, index) => t.templateElement({ raw, cooked: raw }, index === known.length));
  return t.templateLiteral(quasis, known);
}

/** Undefined for what Python does not take for names. */
function reference(path: string): Ast | undefined {
  const [first = '', ...members] = path.split('.');
  if (KEYWORDS.has(first) || members.some((name) => KEYWORDS.has(name))) return undefined;
  return members.reduce((object, name) => t.memberExpression(object, t.identifier(name)), t.identifier(first));
}
