/** What the gateway tells of a result that is to be sent: how its rows are to be read and in which shape they leave. */
export interface ResultRequest {
  /** Member of the data model, by the name of the column that the source gives it. */
  aliasToMemberNameMap: Readonly<Record<string, string>>;
  /** The members that the caller may see; times with a granularity are named `cube.member.granularity`. */
  annotation: Readonly<Record<string, { type?: string }>>;
  query: NormalizedQuery;
  queryType?: QueryType;
  resType?: ResultFormat;
}

export type QueryType = 'regularQuery' | 'compareDateRangeQuery' | 'blendingQuery';
export type ResultFormat = 'default' | 'compact' | 'columnar';

/** A member, or what the SQL API makes of one: only its name counts here. */
export type MemberReference = string | { name: string };

export interface NormalizedQuery {
  measures?: readonly MemberReference[];
  dimensions?: readonly MemberReference[];
  timeDimensions?: readonly TimeDimension[];
  [property: string]: unknown;
}

export interface TimeDimension {
  dimension: string;
  granularity?: string;
  dateRange?: string | readonly string[];
}

/** A row as the driver gives it, by the names of its columns. */
export type Row = Readonly<Record<string, unknown>>;
