import { type Expr, type ExprCall } from 'pgsql-ast-parser';
import { type Resolved } from './model';
import { unsupported } from './refusal';
import { type Scope } from './scope';

/** The types of measures that an aggregate of SQL stands for. */
const AGGREGATES: Readonly<Record<string, readonly string[]>> = {
  count: ['count'],
  sum: ['sum', 'runningTotal'],
  avg: ['avg'],
  min: ['min'],
  max: ['max'],
};
const DISTINCT = ['countDistinct', 'countDistinctApprox'];

/**
 * The member for which an expression stands: a column, `MEASURE(m)`, a matching aggregate, or `DATE_TRUNC` of a time.
 *
 * @throws SqlRefusal for every other expression, with what it is.
 */
export function operandOf(expression: Expr, scope: Scope): Resolved {
  switch (expression.type) {
    case 'ref':
      if (expression.name === '*') unsupported('SELECT *; name the members');
      return scope.resolve(expression);
    case 'cast':
      return operandOf(expression.operand, scope);
    case 'call':
      return callOf(expression, scope);
    case 'case':
      return unsupported('CASE');
    case 'select':
    case 'union':
    case 'union all':
    case 'with':
    case 'array select':
      return unsupported('a subquery');
    default:
      return unsupported(`an expression (${expression.type}) in place of a member`);
  }
}

function callOf(call: ExprCall, scope: Scope): Resolved {
  const name = call.function.name.toLowerCase();
  if (call.over) unsupported(`${name}() with OVER`);
  if (call.filter) unsupported(`${name}() with FILTER`);
  if (name === 'measure') return measureOf(call, scope);
  if (name === 'date_trunc') return truncatedTime(call, scope);
  const types = Object.hasOwn(AGGREGATES, name) ? AGGREGATES[name] : undefined;
  return types === undefined ? unsupported(`the function ${name}()`) : aggregateOf(name, types, call, scope);
}

function measureOf({ args: [argument] }: ExprCall, scope: Scope): Resolved {
  const found = argument?.type === 'ref' ? scope.resolve(argument) : unsupported('MEASURE() of anything but a measure');
  return found.kind === 'measure' ? found : unsupported(`MEASURE(${found.member.name}): it is no measure`);
}

function truncatedTime({ args: [granularity, time] }: ExprCall, scope: Scope): Resolved {
  const found = time === undefined ? undefined : operandOf(time, scope);
  if (granularity?.type !== 'string' || found?.kind !== 'dimension' || found.member.type !== 'time') {
    return unsupported('DATE_TRUNC of anything but a time dimension');
  }
  return { ...found, granularity: granularity.value.toLowerCase() };
}

function aggregateOf(name: string, types: readonly string[], call: ExprCall, scope: Scope): Resolved {
  const [argument] = call.args;
  if (argument === undefined) return unsupported(`${name}() without an argument`);
  if (name === 'count' && argument.type === 'ref' && argument.name === '*') return scope.countOfRows();
  const found = operandOf(argument, scope);
  if (found.kind !== 'measure') return unsupported(`${name}() of a ${found.kind}`);
  const { aggType = '' } = found.member;
  const fits = call.distinct === 'distinct' ? DISTINCT : types;
  return fits.includes(aggType) ? found : unsupported(`${name}() of a measure of type ${aggType}; use MEASURE()`);
}
