/** A query of the data API, as far as it is changed here. */
export interface EngineQuery {
  measures?: string[];
  dimensions?: string[];
  timeDimensions?: TimeDimension[];
  filters?: unknown[];
  order?: Record<string, string> | [string, string][];
  limit?: number;
  timezone?: string;
  [other: string]: unknown;
}

export interface TimeDimension {
  dimension: string;
  granularity?: string;
  dateRange?: string | string[];
  [other: string]: unknown;
}

/** Names of the cubes and views whose members the query asks for. */
export function cubesOf({ measures = [], dimensions = [], timeDimensions = [] }: EngineQuery): Set<string> {
  const members = [...measures, ...dimensions, ...timeDimensions.map(({ dimension }) => dimension)];
  return new Set(members.map(cubeOf));
}

export const cubeOf = (member: string): string => member.slice(0, member.indexOf('.'));
