import { type Expr, type ExprBinary, type ExprCall } from 'pgsql-ast-parser';
import { unsupported } from './refusal';
import { type ClockTime, clockTimeOf, parseTime, shiftTime, truncateTime } from './times';

/** A value that stands in a statement. Times are told apart: filters on times take them. */
export type Constant = string | number | boolean | null | { time: ClockTime };

/** When and where a statement is read. */
export interface Clock {
  now: Date;
  timezone: string;
}

const TIMES = ['timestamp', 'timestamptz', 'date', 'timestamp without time zone', 'timestamp with time zone'];

/**
 * The value of an expression without members, undefined when it has one.
 *
 * @throws SqlRefusal for an expression of constants that is not understood.
 */
export function constantOf(expression: Expr, clock: Clock): Constant | undefined {
  switch (expression.type) {
    case 'string':
    case 'integer':
    case 'numeric':
    case 'boolean':
      return expression.value;
    case 'null':
      return null;
    case 'cast':
      return castOf(constantOf(expression.operand, clock), expression.to, clock);
    case 'unary':
      return signed(expression.op, constantOf(expression.operand, clock));
    case 'keyword':
      return keyword(expression.keyword, clock);
    case 'call':
      return callOf(expression, clock);
    case 'binary':
      return shifted(expression, clock);
    default:
      return undefined;
  }
}

function castOf(value: Constant | undefined, to: object, { timezone }: Clock): Constant | undefined {
  const isTime = 'name' in to && typeof to.name === 'string' && TIMES.includes(to.name);
  return isTime && typeof value === 'string' ? { time: parseTime(value, timezone) } : value;
}

function signed(operator: string, value: Constant | undefined): Constant | undefined {
  if (typeof value !== 'number') return undefined;
  if (operator === '-') return -value;
  return operator === '+' ? value : undefined;
}

function keyword(name: string, { now, timezone }: Clock): Constant | undefined {
  if (name === 'current_date') return { time: truncateTime(clockTimeOf(now, timezone), 'day') };
  if (name === 'current_timestamp' || name === 'localtimestamp') return { time: clockTimeOf(now, timezone) };
  return unsupported(name.toUpperCase());
}

function callOf({ function: { name }, args: [first, second] }: ExprCall, clock: Clock): Constant | undefined {
  if (name.toLowerCase() === 'now') return { time: clockTimeOf(clock.now, clock.timezone) };
  if (name.toLowerCase() !== 'date_trunc' || first?.type !== 'string' || second === undefined) return undefined;
  const time = timeOf(constantOf(second, clock));
  return time === undefined ? undefined : { time: truncateTime(time, first.value.toLowerCase()) };
}

/** A time plus or minus an interval. */
function shifted({ op, left, right }: ExprBinary, clock: Clock): Constant | undefined {
  const time = timeOf(constantOf(left, clock));
  if (time === undefined) return undefined;
  const interval =
    right.type === 'cast' && 'name' in right.to && right.to.name === 'interval' ? right.operand : undefined;
  if ((op !== '+' && op !== '-') || interval?.type !== 'string')
    return unsupported(`${op} of a time and anything but an interval`);
  return { time: shiftTime(time, interval.value, op === '-' ? -1 : 1) };
}

/** The time that a constant is, if it is one. */
export const timeOf = (value: Constant | undefined): ClockTime | undefined =>
  typeof value === 'object' && value !== null ? value.time : undefined;
