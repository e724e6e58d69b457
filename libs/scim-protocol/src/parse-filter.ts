import type { Attribute } from './attributes';
import type { Comparison, Filter, Literal, ResolvedPath } from './filter';
import { resolveInFilter } from './resolve-path';
import type { ResourceKind } from './schemas';
import { invalidFilter, tokenise, type Token } from './tokens';

const DEEPEST = 32;
const MOST_CONDITIONS = 100;
const comparisons = new Set<string>(['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le']);
const reserved = new Set(['and', 'or', 'not']);
/** Comparisons that have no meaning for true and false. */
const ordering = new Set<string>(['gt', 'ge', 'lt', 'le', 'co', 'sw', 'ew']);

/**
 * Parses a filter on resources of the kind: `or` binds looser than `and`, which binds looser than `not`.
 *
 * @throws AppError `scim.invalid_filter` (400), also for one that is too long, too deep or has too many conditions.
 */
export function parseFilter(kind: ResourceKind, text: string): Filter {
  const parser = new FilterParser(tokenise(text), (name) => resolveInFilter(kind, name));
  return parser.whole();
}

/** Which values of a list are meant, and the part of them that is. */
interface Selection {
  filter: Filter;
  part?: string;
}

/**
 * Parses what follows the attribute in a path: a condition in brackets, and a part behind a dot.
 *
 * @throws AppError `scim.invalid_filter` (400).
 */
export function parseSelection(target: ResolvedPath, text: string): Selection {
  return new FilterParser(tokenise(text), partsOf(target)).selection();
}

type Resolve = (name: string) => ResolvedPath | undefined;

const partsOf =
  ({ path, attribute }: ResolvedPath): Resolve =>
  (name) => {
    const sub = attribute.subAttributes?.find((each) => each.name.toLowerCase() === name.toLowerCase());
    return sub && { path: { ...path, sub: sub.name }, attribute, sub };
  };

/** Recursive descent over the tokens; the depth and the number of conditions are bounded. */
class FilterParser {
  private at = 0;
  private depth = 0;
  private conditions = 0;

  constructor(
    private readonly tokens: readonly Token[],
    private resolve: Resolve,
  ) {}

  whole(): Filter {
    const filter = this.disjunction();
    this.end();
    return filter;
  }

  selection(): Selection {
    const filter = this.bracketed();
    const part = this.takePart();
    this.end();
    return { filter, ...(part !== undefined && { part }) };
  }

  private end(): void {
    if (this.at < this.tokens.length) throw invalidFilter('goes on after its end');
  }

  private disjunction(): Filter {
    return this.chain('or', () => this.chain('and', () => this.factor()));
  }

  private chain(kind: 'and' | 'or', operand: () => Filter): Filter {
    const operands = [operand()];
    while (this.takeWord(kind)) operands.push(operand());
    const [only] = operands;
    return operands.length === 1 && only ? only : { kind, operands };
  }

  private factor(): Filter {
    if (this.takeWord('not')) return { kind: 'not', operand: this.parenthesised() };
    if (this.tokens[this.at]?.kind === '(') return this.parenthesised();
    return this.condition();
  }

  private parenthesised(): Filter {
    this.take('(');
    const filter = this.deeper(() => this.disjunction());
    this.take(')');
    return filter;
  }

  private condition(): Filter {
    if ((this.conditions += 1) > MOST_CONDITIONS) throw invalidFilter(`has more than ${MOST_CONDITIONS} conditions`);
    const target = this.attribute(this.word('the name of an attribute'));
    if (this.tokens[this.at]?.kind === '[') return this.element(target);
    return this.comparison(target);
  }

  private comparison(target: ResolvedPath): Filter {
    const operator = this.word('an operator').toLowerCase();
    if (operator === 'pr') return { kind: 'present', path: target.path };
    if (!comparisons.has(operator)) throw invalidFilter(`has the unknown operator ${operator}`);
    return comparison(target, operator as Comparison, this.literal());
  }

  /** `emails[type eq "work"].value eq "x"` says one thing more of the same value. */
  private element(target: ResolvedPath): Filter {
    if (!target.attribute.multiValued || target.sub) throw invalidFilter('selects among values that there is one of');
    const outer = this.resolve;
    this.resolve = partsOf(target);
    const filter = this.bracketed();
    const part = this.takePart();
    const operands = part === undefined ? [filter] : [filter, this.comparison(this.attribute(part))];
    this.resolve = outer;
    return { kind: 'element', path: target.path, filter: operands.length > 1 ? { kind: 'and', operands } : filter };
  }

  private bracketed(): Filter {
    this.take('[');
    const filter = this.deeper(() => this.disjunction());
    this.take(']');
    return filter;
  }

  /** The name behind the dot that follows a bracket. */
  private takePart(): string | undefined {
    const token = this.tokens[this.at];
    if (token?.kind !== 'word' || !token.text.startsWith('.')) return undefined;
    this.at += 1;
    return token.text.slice(1);
  }

  private attribute(name: string): ResolvedPath {
    const target = this.resolve(name);
    if (!target || target.attribute.returned === 'never') throw invalidFilter(`names ${name}, which is no attribute`);
    return target;
  }

  private deeper(parse: () => Filter): Filter {
    if ((this.depth += 1) > DEEPEST) throw invalidFilter('is nested too deeply');
    const filter = parse();
    this.depth -= 1;
    return filter;
  }

  private literal(): Literal {
    const token = this.tokens[this.at];
    this.at += 1;
    if (token?.kind === 'string') return token.text;
    if (token?.kind !== 'word' || reserved.has(token.text.toLowerCase())) throw invalidFilter('lacks a value');
    return bare(token.text);
  }

  private word(what: string): string {
    const token = this.tokens[this.at];
    if (token?.kind !== 'word' || reserved.has(token.text.toLowerCase())) throw invalidFilter(`lacks ${what}`);
    this.at += 1;
    return token.text;
  }

  private takeWord(text: string): boolean {
    const token = this.tokens[this.at];
    const found = token?.kind === 'word' && token.text.toLowerCase() === text;
    if (found) this.at += 1;
    return found;
  }

  private take(kind: Token['kind']): void {
    if (this.tokens[this.at]?.kind !== kind) throw invalidFilter(`lacks "${kind}"`);
    this.at += 1;
  }
}

/** Identity providers leave quotation marks out at times: a word that is no literal stands for itself. */
function bare(text: string): Literal {
  const lower = text.toLowerCase();
  if (lower === 'true' || lower === 'false') return lower === 'true';
  if (lower === 'null') return null;
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

function comparison(target: ResolvedPath, operator: Comparison, value: Literal): Filter {
  const { path, type } = comparable(target);
  if (value === null) {
    const absent: Filter = { kind: 'not', operand: { kind: 'present', path } };
    if (operator === 'eq') return absent;
    if (operator === 'ne') return { kind: 'present', path };
    throw invalidFilter('compares null');
  }
  if (type === 'boolean' && ordering.has(operator)) throw invalidFilter(`cannot use ${operator} on a boolean`);
  return { kind: 'compare', path, operator, value: typed(type, value) };
}

/** A complex attribute that is compared means its `value`. */
function comparable({ path, attribute, sub }: ResolvedPath): { path: ResolvedPath['path']; type: Attribute['type'] } {
  const last = sub ?? attribute;
  if (last.type !== 'complex') return { path, type: last.type };
  const value = last.subAttributes?.find(({ name }) => name === 'value');
  if (!value) throw invalidFilter(`compares ${last.name}, which has parts`);
  return { path: { ...path, sub: 'value' }, type: value.type };
}

function typed(type: Attribute['type'], value: string | number | boolean): string | boolean {
  if (type === 'boolean') return booleanOf(value);
  if (type !== 'dateTime') return String(value);
  const time = Date.parse(String(value));
  if (Number.isNaN(time)) throw invalidFilter(`compares a time with ${String(value)}`);
  return new Date(time).toISOString();
}

function booleanOf(value: string | number | boolean): boolean {
  const text = String(value).toLowerCase();
  if (text !== 'true' && text !== 'false') throw invalidFilter(`compares a boolean with ${String(value)}`);
  return text === 'true';
}
