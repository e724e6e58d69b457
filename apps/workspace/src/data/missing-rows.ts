import { MOST_ROWS, type Result, type Row } from '@plinth/queries';
import type { EngineQuery } from './engine-query';
import { isStep, moved } from './time-steps';

/** The time whose gaps are filled, and dimensions that no combination is made of. */
export interface FillMissingRows {
  member: string;
  excludedDimensions?: readonly string[] | null;
}

/**
 * The result with a row for each step of a time at which it has none: between the first and the last, or in the whole date
 * range, for every combination of the other dimensions that occurs. Measures, and dimensions that are left out, are null in such rows.
 */
export function filled(result: Result, { member, excludedDimensions }: FillMissingRows): Result {
  const query = result.query as EngineQuery;
  const dimension = query.timeDimensions?.find((each) => each.dimension === member && each.granularity !== undefined);
  const granularity = dimension?.granularity;
  if (granularity === undefined || !isStep(granularity) || result.rows.length === 0) return result;
  const time = `${member}.${granularity}`;
  const times = result.rows.map((row) => row[time]).filter((each): each is string => typeof each === 'string');
  const first = times.reduce((left, right) => (left < right ? left : right), times[0] ?? '');
  const last = times.reduce((left, right) => (left > right ? left : right), first);
  const [start, end] = within(dimension?.dateRange, first, last, granularity);
  const steps = stepsOf(start, end, granularity);
  const left = new Set(excludedDimensions ?? []);
  const others = (query.dimensions ?? []).filter((name) => !left.has(name));
  const combinations = new Map(result.rows.map((row) => [keyOf(row, others), row]));
  if (first === '' || steps.length * combinations.size > MOST_ROWS) return result;
  return { ...result, rows: inOrder(result, { time, member, steps, others, combinations }) };
}

interface Gaps {
  time: string;
  member: string;
  steps: readonly string[];
  others: readonly string[];
  combinations: ReadonlyMap<string, Row>;
}

/** Times rise, as the engine has them, unless the query says otherwise; the rows of a step keep their order. */
function inOrder({ rows, columns, query }: Result, { time, member, steps, others, combinations }: Gaps): Row[] {
  const empty = Object.fromEntries(columns.map(({ name }) => [name, null]));
  const byStep = new Map<unknown, Row[]>();
  for (const row of rows) byStep.set(row[time], [...(byStep.get(row[time]) ?? []), row]);
  const known = new Set(steps);
  const outside = rows.filter((row) => !known.has(row[time] as string));
  const inside = steps.flatMap((step) => {
    const there = byStep.get(step) ?? [];
    const present = new Set(there.map((row) => keyOf(row, others)));
    const missing = [...combinations].filter(([key]) => !present.has(key));
    const made = missing.map(([, row]) => {
      const values = Object.fromEntries(others.map((name) => [name, row[name]]));
      return { ...empty, ...values, [time]: step, ...(member in row && { [member]: step }) };
    });
    return [...there, ...made];
  });
  return [...outside, ...(descends((query as EngineQuery).order, member) ? inside.reverse() : inside)];
}

function within(
  range: string | string[] | undefined,
  first: string,
  last: string,
  granularity: string,
): [string, string] {
  const [from, to] = Array.isArray(range) ? range : [];
  if (from === undefined || to === undefined || first === '') return [first, last];
  let start = first;
  for (let count = 0; count < MOST_ROWS; count += 1) {
    const before = moved(start, -1, granularity);
    if (before < from) break;
    start = before;
  }
  return [start, to > last ? to : last];
}

function stepsOf(start: string, end: string, granularity: string): string[] {
  const steps: string[] = [];
  // From the start each time: months of 31 days come back after one of 28.
  for (
    let count = 0, step = start;
    step <= end && count <= MOST_ROWS;
    count += 1, step = moved(start, count, granularity)
  ) {
    steps.push(step);
  }
  return steps;
}

function descends(order: EngineQuery['order'], member: string): boolean {
  const pairs = (order === undefined ? [] : Array.isArray(order) ? order : Object.entries(order)) as unknown[];
  return pairs.some((pair) => {
    const [name, way] = Array.isArray(pair)
      ? (pair as [string, string])
      : [(pair as { id?: string }).id ?? '', (pair as { desc?: boolean }).desc === true ? 'desc' : 'asc'];
    return (name === member || name.startsWith(`${member}.`)) && way === 'desc';
  });
}

const keyOf = (row: Row, names: readonly string[]): string => JSON.stringify(names.map((name) => row[name]));
