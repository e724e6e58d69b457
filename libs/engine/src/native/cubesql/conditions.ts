import { type Expr, type ExprBinary, type ExprTernary, type ExprUnary } from 'pgsql-ast-parser';
import { type Clock, type Constant, constantOf } from './constants';
import { type Comparison, comparison, type Filter, isSet, listed, patterned } from './filters';
import { type Selectable } from './model';
import { operandOf } from './operands';
import { unsupported } from './refusal';
import { type Scope } from './scope';

const NEGATED: Readonly<Record<Comparison, Comparison>> = {
  '=': '!=',
  '!=': '=',
  '<': '>=',
  '>=': '<',
  '>': '<=',
  '<=': '>',
};
const TURNED: Readonly<Record<Comparison, Comparison>> = {
  '=': '=',
  '!=': '!=',
  '<': '>',
  '>': '<',
  '<=': '>=',
  '>=': '<=',
};
const isComparison = (operator: string): operator is Comparison => Object.hasOwn(NEGATED, operator);

/** What a WHERE or HAVING becomes: filters, and segments of the model, all of which must hold. */
export interface Conditions {
  filters: Filter[];
  segments: string[];
}

/**
 * Reads a condition. NOT is carried inwards to the comparisons, as SQL's logic of three values allows: a row with a null
 * fulfils neither a comparison nor its opposite.
 */
export class ConditionReader {
  constructor(
    private readonly scope: Scope,
    private readonly clock: Clock,
    /** What this condition may speak of: WHERE of rows, HAVING of their groups. */
    private readonly clause: 'WHERE' | 'HAVING',
  ) {}

  /** @throws SqlRefusal with what is not understood. */
  read(expression: Expr): Conditions {
    if (expression.type === 'binary' && expression.op === 'AND') {
      const [left, right] = [this.read(expression.left), this.read(expression.right)];
      return { filters: [...left.filters, ...right.filters], segments: [...left.segments, ...right.segments] };
    }
    const segment = this.segmentOf(expression);
    return segment === undefined
      ? { filters: [this.filter(expression, false)], segments: [] }
      : { filters: [], segments: [segment] };
  }

  private segmentOf(expression: Expr): string | undefined {
    if (expression.type === 'unary' && expression.op === 'IS TRUE') return this.segmentOf(expression.operand);
    if (expression.type === 'binary' && expression.op === '=' && constantOf(expression.right, this.clock) === true) {
      return this.segmentOf(expression.left);
    }
    if (expression.type !== 'ref') return undefined;
    const found = this.scope.resolve(expression);
    return found.kind === 'segment' ? found.member.name : undefined;
  }

  private filter(expression: Expr, negated: boolean): Filter {
    switch (expression.type) {
      case 'binary':
        return this.binary(expression, negated);
      case 'ternary':
        return this.between(expression, negated);
      case 'unary':
        return this.unary(expression, negated);
      case 'ref':
        return this.truth(expression, !negated);
      default:
        return unsupported(`a condition of the kind ${expression.type}`);
    }
  }

  private binary(expression: ExprBinary, negated: boolean): Filter {
    const { op, left, right } = expression;
    if (op === 'AND' || op === 'OR') {
      const parts = [this.filter(left, negated), this.filter(right, negated)];
      return (op === 'AND') === negated ? { or: parts } : { and: parts };
    }
    if (isComparison(op)) return this.compare(negated ? NEGATED[op] : op, left, right);
    if (op === 'IN' || op === 'NOT IN') {
      const values = valuesOf(right).map((value) => this.constant(value));
      return listed(this.member(left), values, (op === 'IN') !== negated, this.clock);
    }
    const like = /^(NOT )?I?LIKE$/.exec(op);
    if (like === null) return unsupported(`the operator ${op} in ${this.clause}`);
    return patterned(this.member(left), this.constant(right), (like[1] === undefined) !== negated);
  }

  private compare(operator: Comparison, left: Expr, right: Expr): Filter {
    const value = constantOf(right, this.clock);
    if (value !== undefined) return comparison(this.member(left), operator, value, this.clock);
    const turned = constantOf(left, this.clock);
    if (turned === undefined) return unsupported('a comparison of two members');
    return comparison(this.member(right), TURNED[operator], turned, this.clock);
  }

  private between({ value, lo, hi, op }: ExprTernary, negated: boolean): Filter {
    const inside = (op === 'BETWEEN') !== negated;
    const parts = [this.compare(inside ? '>=' : '<', value, lo), this.compare(inside ? '<=' : '>', value, hi)];
    return inside ? { and: parts } : { or: parts };
  }

  private unary({ op, operand }: ExprUnary, negated: boolean): Filter {
    switch (op) {
      case 'NOT':
        return this.filter(operand, !negated);
      case 'IS NULL':
      case 'IS NOT NULL':
        return isSet(this.member(operand), (op === 'IS NOT NULL') !== negated);
      case 'IS TRUE':
      case 'IS FALSE':
        return negated ? this.isNot(operand, op === 'IS TRUE') : this.truth(operand, op === 'IS TRUE');
      case 'IS NOT TRUE':
      case 'IS NOT FALSE':
        return negated ? this.truth(operand, op === 'IS NOT TRUE') : this.isNot(operand, op === 'IS NOT TRUE');
      default:
        return unsupported(`the operator ${op} in ${this.clause}`);
    }
  }

  private truth(operand: Expr, value: boolean): Filter {
    const member = this.member(operand);
    if (member.member.type !== 'boolean')
      unsupported(`${member.member.name} in place of a condition: it is no boolean`);
    return comparison(member, '=', value, this.clock);
  }

  private isNot(operand: Expr, value: boolean): Filter {
    return { or: [this.truth(operand, !value), isSet(this.member(operand), false)] };
  }

  private constant(expression: Expr): Constant {
    const value = constantOf(expression, this.clock);
    return value === undefined ? unsupported('a member in place of a value') : value;
  }

  private member(expression: Expr): Selectable {
    const found = operandOf(expression, this.scope);
    if (found.kind === 'segment') return unsupported(`the segment ${found.member.name} in OR or NOT`);
    if (found.kind === 'measure' && this.clause === 'WHERE')
      return unsupported(`the measure ${found.member.name} in WHERE; use HAVING`);
    if (found.kind === 'dimension' && this.clause === 'HAVING') {
      return unsupported(`the dimension ${found.member.name} in HAVING; use WHERE`);
    }
    if (found.kind === 'dimension' && found.granularity !== undefined)
      return unsupported('DATE_TRUNC of a member in a condition');
    return found;
  }
}

/** The list of an IN. One value alone is no list to the parser. */
function valuesOf(list: Expr): readonly Expr[] {
  if (list.type === 'select' || list.type === 'union' || list.type === 'union all')
    return unsupported('a subquery in IN');
  return list.type === 'list' ? list.expressions : [list];
}
