import type { Column, Result, Row } from '@plinth/queries';
import type { EngineQuery, TimeDimension } from './engine-query';
import { isStep, moved, movedRange } from './time-steps';

/** A measure beside what it was some time before. */
export interface PeriodComparison {
  measure: string;
  timeDimension: string;
  offset: { amount: number; unit: string };
  /** What is shown; everything when it names nothing. */
  outputs?: readonly string[] | null;
}

/** What a comparison can show: the earlier value, how much the value has risen since, and that as a part of the earlier one. */
const outputs = ['value', 'change', 'percent'] as const;
type Output = (typeof outputs)[number];

/**
 * The query over the earlier period. Undefined where the rows of the query itself have it: without a date range.
 *
 * @param ran the query as the engine understood it, with dates instead of words.
 */
export function earlierQuery(
  query: EngineQuery,
  ran: EngineQuery,
  comparison: PeriodComparison,
): EngineQuery | undefined {
  const { amount, unit } = comparison.offset;
  const isMeant = ({ dimension }: TimeDimension): boolean => dimension === comparison.timeDimension;
  const ranges = (ran.timeDimensions ?? []).filter(isMeant).map(({ dateRange }) => dateRange);
  if (!isStep(unit) || !ranges.some(isRange)) return undefined;
  const timeDimensions = (query.timeDimensions ?? []).filter((each) => !isMeant(each));
  const earlier = (ran.timeDimensions ?? []).filter(isMeant).map(({ dimension, granularity, dateRange }) => ({
    dimension,
    ...(granularity !== undefined && { granularity }),
    ...(isRange(dateRange) && { dateRange: movedRange(dateRange, -Math.abs(amount), unit) }),
  }));
  return { ...query, timeDimensions: [...timeDimensions, ...earlier] };
}

/** The result with columns for the earlier period; null where it has no row for them. */
export function compared(result: Result, earlier: Result, comparison: PeriodComparison): Result {
  const { measure, timeDimension, offset } = comparison;
  const amount = Math.abs(offset.amount);
  const wanted = outputs.filter((each) => !comparison.outputs?.length || comparison.outputs.includes(each));
  const name = (output: Output): string => `${measure}__${amount}_${offset.unit}_${output}`;
  const time = result.columns.find(({ name: each }) => each.startsWith(`${timeDimension}.`))?.name;
  const keys = keyColumns(result).filter((each) => each !== time && each !== timeDimension);
  const keyOf = (row: Row, at: unknown): string => JSON.stringify([at ?? null, ...keys.map((key) => row[key])]);
  const values = new Map(earlier.rows.map((row) => [keyOf(row, time && row[time]), row[measure]]));
  const rows = result.rows.map((row) => {
    const at = time && typeof row[time] === 'string' ? moved(row[time], -amount, offset.unit) : undefined;
    const before = values.get(keyOf(row, at)) ?? null;
    return {
      ...row,
      ...Object.fromEntries(wanted.map((output) => [name(output), outputOf(output, row[measure], before)])),
    };
  });
  const title = result.columns.find((each) => each.name === measure)?.title ?? measure;
  const added = wanted.map((output): Column => ({
    name: name(output),
    title: `${title}, ${amount} ${offset.unit} before (${output})`,
    type: 'number',
    format: output === 'percent' ? 'percent' : null,
  }));
  return { ...result, columns: [...result.columns, ...added], rows };
}

function outputOf(output: Output, value: unknown, before: unknown): unknown {
  if (output === 'value' || before === null || value === null)
    return before === null ? null : output === 'value' ? before : null;
  const change = Number(value) - Number(before);
  if (output === 'change') return String(change);
  return Number(before) === 0 ? null : String(change / Number(before));
}

/** Everything but measures, as the query asked for it. */
function keyColumns({ columns, query }: Result): string[] {
  const measures = new Set((query as EngineQuery).measures);
  return columns.map(({ name }) => name).filter((name) => !measures.has(name) && !name.includes('__'));
}

const isRange = (range: TimeDimension['dateRange']): range is [string, string] =>
  Array.isArray(range) && range.length === 2;
