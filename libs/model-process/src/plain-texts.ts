import { type Ast, type YamlCompiler, babelTypes as t } from './compiler-internals';

/**
 * A text of YAML as the compiler asks its Python parser for it: characters and common escapes, and names in braces, of which
 * that parser takes no two in a row.
 */
const FORMATTED = /^f"((?:[^"`\\{}\r\n]|\\x[0-9a-f]{2}|\\["`]|\{[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*\}(?!\{))*)"$/;
const REFERENCE = /\{([^}]+)\}/;
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
  const text = FORMATTED.exec(code)?.[1];
  if (!text) return undefined;
  const parts = text.split(REFERENCE);
  const paths = parts.filter((_, index) => index % 2 === 1).map((path) => path.split('.'));
  if (paths.flat().some((name) => KEYWORDS.has(name))) return undefined;
  const quasis = parts
    .filter((_, index) => index % 2 === 0)
    .map((raw, index) => t.templateElement({ raw, cooked: raw }, index === paths.length));
  return t.program([t.expressionStatement(t.templateLiteral(quasis, paths.map(reference)))]);
}

function reference([first = '', ...members]: string[]): Ast {
  return members.reduce((object, name) => t.memberExpression(object, t.identifier(name)), t.identifier(first));
}
