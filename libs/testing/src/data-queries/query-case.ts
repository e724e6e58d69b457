import { type Query, type TimeDimension } from '@cubejs-client/core';

/** A query of the REST API, and the SQL over the sample shop that must answer the same rows. */
export interface QueryCase {
  title: string;
  query: Query;
  sql: string;
}

const isSelected = (time: TimeDimension): boolean => time.granularity !== undefined;

/** The members whose values hand-written SQL selects: dimensions, times, measures. */
export const selectedMembers = ({ dimensions = [], timeDimensions = [], measures = [] }: Query): string[] => [
  ...dimensions,
  ...timeDimensions.filter(isSelected).map(({ dimension, granularity }) => `${dimension}.${granularity}`),
  ...measures,
];
