/** Names that a query uses, by what the data model has to have them as. */
export interface UsedMembers {
  measures: string[];
  dimensions: string[];
  segments: string[];
  /** Measures or dimensions, whichever there are. */
  either: string[];
}

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
/** Members that a query computes by itself are objects, or objects as text. */
const isName = (value: unknown): value is string => typeof value === 'string' && !value.startsWith('{');
const namesIn = (value: unknown): string[] => listOf(value).filter(isName);

/** The members of a query of the data API, or of a list of them; undefined for what is no query. */
export function membersOfQuery(text: string): UsedMembers | undefined {
  const query = parsed(text);
  const queries = listOf(query).concat(isObject(query) ? [query] : []);
  if (queries.length === 0 || !queries.every(isObject)) return undefined;
  return {
    measures: queries.flatMap(({ measures }) => namesIn(measures)),
    dimensions: queries.flatMap(({ dimensions, timeDimensions }) => [
      ...namesIn(dimensions),
      ...listOf(timeDimensions).flatMap((each) => (isObject(each) ? namesIn([each['dimension']]) : [])),
    ]),
    segments: queries.flatMap(({ segments }) => namesIn(segments)),
    either: queries.flatMap(({ filters, order }) => [...filtered(filters), ...ordered(order)]),
  };
}

/** Filters nest to any depth, so that they are walked and not descended into. */
function filtered(filters: unknown): string[] {
  const names: string[] = [];
  const open = [...listOf(filters)];
  for (let filter = open.pop(); filter !== undefined; filter = open.pop()) {
    if (!isObject(filter)) continue;
    // The second name is the older one.
    names.push(...namesIn([filter['member'] ?? filter['dimension']]));
    for (const branch of [filter['and'], filter['or']]) for (const each of listOf(branch)) open.push(each);
  }
  return names;
}

/** `{ name: direction }`, or a list of `[name, direction]` or of `{ id, desc }`. */
function ordered(order: unknown): string[] {
  if (isObject(order)) return Object.keys(order).filter(isName);
  return listOf(order).flatMap((each) => namesIn([isObject(each) ? each['id'] : listOf(each)[0]]));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
