/** What the compiler makes of texts of YAML, as far as it is known here. */
export type Node =
  | { type: 'Program'; body: { expression?: Node }[] }
  | { type: 'Identifier'; name: string }
  | { type: 'MemberExpression'; computed: boolean; object: Node; property: Node }
  | { type: 'TemplateLiteral'; quasis: { value: { raw: string } }[]; expressions: Node[] }
  | { type: 'ArrayExpression'; elements: Node[] }
  | { type: 'ObjectExpression'; properties: { key: { value: string }; value: Node }[] }
  | { type: 'ArrowFunctionExpression' }
  | { type: 'NumericLiteral' | 'BooleanLiteral' | 'NullLiteral' | 'StringLiteral' };

const LITERALS: ReadonlySet<string | undefined> = new Set([
  'NumericLiteral',
  'BooleanLiteral',
  'NullLiteral',
  'StringLiteral',
]);
const NAME = /^[A-Za-z_]\w*$/;
/** Neither the end of a template nor an escape that JavaScript may not know. */
const RAW = /^(?:[^`\\$\r]|\$(?!\{)|\\["`]|\\x[0-9a-f]{2})*$/;
/** What is no name of a variable in a module of JavaScript. */
const RESERVED: ReadonlySet<string> = new Set(
  [
    'arguments await break case catch class const continue debugger default delete do else enum eval export extends false',
    'finally for function if implements import in instanceof interface let new null package private protected public return',
    'static super switch this throw true try typeof var void while with yield',
  ].flatMap((line) => line.split(' ')),
);
/** The compiler rewrites what has them, or refuses it. */
const SPECIAL: ReadonlySet<string> = new Set(['USER_CONTEXT', 'userAttributes', 'user_attributes', 'groups']);

/**
 * The names that code refers to, without those of members behind a dot. Undefined for whatever is more than names, plain
 * texts and lists of them.
 */
export function referencesIn(code: Node): ReadonlySet<string> | undefined {
  const names = new Set<string>();
  return collect(code, names) ? names : undefined;
}

function collect(node: Node | undefined, names: Set<string>): boolean {
  switch (node?.type) {
    case 'Identifier':
      names.add(node.name);
      return NAME.test(node.name) && !RESERVED.has(node.name) && !SPECIAL.has(node.name);
    case 'MemberExpression':
      return isMember(node) && collect(node.object, names);
    case 'TemplateLiteral':
      return (
        node.quasis.every(({ value }) => RAW.test(value.raw)) && node.expressions.every((each) => collect(each, names))
      );
    case 'ArrayExpression':
      return node.elements.every((each) => collect(each, names));
    default:
      return LITERALS.has(node?.type);
  }
}

function isMember({ computed, property }: Extract<Node, { type: 'MemberExpression' }>): boolean {
  return !computed && property.type === 'Identifier' && NAME.test(property.name) && !SPECIAL.has(property.name);
}
