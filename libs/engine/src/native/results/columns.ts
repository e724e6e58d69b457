import { type NormalizedQuery, type ResultRequest, type Row, type TimeDimension } from './result-request';

/** A column of a result: read from the rows, or the same in each. */
export type ResultColumn = { member: string; alias: string; isTime: boolean } | { member: string; constant: string };
type SourceColumn = Extract<ResultColumn, { alias: string }>;

/** From fine to coarse; what the data model defines itself counts as coarser than all. */
const GRANULARITIES = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'];
const levelOf = (granularity: string): number =>
  GRANULARITIES.includes(granularity) ? GRANULARITIES.indexOf(granularity) : GRANULARITIES.length;

const nameOf = (member: string | { name: string }): string => (typeof member === 'string' ? member : member.name);
const firstTime = (query: NormalizedQuery): TimeDimension | undefined => query.timeDimensions?.[0];

/**
 * The columns of a result, in the order of the source, then those that are added: a time without granularity repeats the
 * finest of the same time, and queries of several parts say which part a row belongs to.
 *
 * @throws Error that names a member which the caller may not see, also when there are no rows.
 */
export function columnsOf(request: ResultRequest, [first]: readonly Row[]): ResultColumn[] {
  if (first === undefined) {
    refuseHidden(request);
    return [];
  }
  const columns = Object.keys(first).map((alias) => sourceColumn(request, alias));
  return [...columns, ...withoutGranularity(request.query, columns), ...partColumns(request, columns)];
}

function sourceColumn({ aliasToMemberNameMap, annotation }: ResultRequest, alias: string): SourceColumn {
  const member = aliasToMemberNameMap[alias];
  if (member === undefined) throw new Error(`Member name not found for alias: '${alias}'`);
  const shown = annotation[member];
  if (shown === undefined) throw hiddenMember(alias);
  return { member, alias, isTime: shown.type === 'time' };
}

/** Clients may read a time by its bare name. A dimension of that name comes from the source already. */
function withoutGranularity(query: NormalizedQuery, columns: readonly SourceColumn[]): SourceColumn[] {
  const dimensions = new Set(query.dimensions?.map(nameOf));
  const finest = new Map<string, { level: number; column: SourceColumn }>();
  for (const column of columns) {
    const [cube, name, granularity] = column.member.split('.');
    const bare = `${cube}.${name}`;
    if (granularity === undefined || dimensions.has(bare)) continue;
    const level = levelOf(granularity);
    const known = finest.get(bare);
    if (known === undefined || level <= known.level) finest.set(bare, { level, column });
  }
  return [...finest].map(([member, { column }]) => ({ ...column, member }));
}

function partColumns({ query, queryType }: ResultRequest, columns: readonly SourceColumn[]): ResultColumn[] {
  if (queryType === 'compareDateRangeQuery') return [{ member: 'compareDateRange', constant: rangeOf(query) }];
  if (queryType !== 'blendingQuery') return [];
  const { dimension, granularity } = firstTime(query) ?? {};
  const time = columns.find(({ member }) => member === `${dimension}.${granularity}`);
  return time === undefined ? [] : [{ ...time, member: `time.${granularity}` }];
}

function rangeOf(query: NormalizedQuery): string {
  const range = firstTime(query)?.dateRange;
  if (typeof range === 'object' && range.length > 1) return range.join(' - ');
  throw new Error('Inconsistent dateRange configuration for the compare date range query');
}

function refuseHidden({ query, annotation }: ResultRequest): void {
  const members = [...(query.measures ?? []), ...(query.dimensions ?? [])].map(nameOf);
  const times = query.timeDimensions?.map(({ dimension }) => dimension) ?? [];
  const hidden = [...members, ...times].find((member) => annotation[member] === undefined);
  if (hidden !== undefined) throw hiddenMember(hidden);
}

/** The engine's own words, by which clients know it. */
function hiddenMember(name: string): Error {
  return new Error(
    `You requested hidden member: '${name}'. Please make it visible using \`public: true\`. ` +
      'Please note primaryKey fields are `public: false` by default: ' +
      'https://cube.dev/docs/schema/reference/joins#setting-a-primary-key.',
  );
}
