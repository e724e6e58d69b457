import type { Schemas } from '@plinth/contract';
import type { EngineFilters } from './engine-filters';
import { cubeOf, type EngineQuery, type TimeDimension } from './engine-query';

/** What a reader wants otherwise than the query says. */
export interface Shape {
  conditions: EngineFilters;
  timeGrains: readonly Schemas['DataTimeGrain'][];
  memberSwitchers: readonly Schemas['DataMemberSwitcher'][];
  timezone: string | undefined;
  /** Rows at most, whatever the query says. */
  limit: number;
}

/** The query with the reader's conditions, granularities, members and time zone. */
export function shapedQuery(query: EngineQuery, shape: Shape): EngineQuery {
  const { conditions, timezone, limit } = shape;
  const ranged = withGrains(withMembers(query, shape.memberSwitchers), shape.timeGrains);
  return {
    ...ranged,
    filters: [...(ranged.filters ?? []), ...conditions.filters],
    timeDimensions: [...(ranged.timeDimensions ?? []), ...conditions.timeDimensions],
    limit: Math.min(ranged.limit ?? limit, limit),
    ...(timezone !== undefined && { timezone }),
  };
}

function withMembers(query: EngineQuery, switchers: Shape['memberSwitchers']): EngineQuery {
  const others = new Map(switchers.map(({ member, selected }) => [member, `${cubeOf(member)}.${selected}`]));
  if (others.size === 0) return query;
  const other = (member: string): string => others.get(member) ?? withGranularity(member, others);
  const { measures, dimensions, timeDimensions, order } = query;
  return {
    ...query,
    ...(measures && { measures: [...new Set(measures.map(other))] }),
    ...(dimensions && { dimensions: [...new Set(dimensions.map(other))] }),
    ...(timeDimensions && {
      timeDimensions: timeDimensions.map((each) => ({ ...each, dimension: other(each.dimension) })),
    }),
    ...(order && { order: orderPairs(order).map(([member, way]): [string, string] => [other(member), way]) }),
  };
}

/** A time dimension may stand there with its granularity: `orders.created_at.month`. */
function withGranularity(member: string, others: ReadonlyMap<string, string>): string {
  const end = member.lastIndexOf('.');
  const replaced = others.get(member.slice(0, end));
  return replaced === undefined ? member : `${replaced}${member.slice(end)}`;
}

function withGrains(query: EngineQuery, timeGrains: Shape['timeGrains']): EngineQuery {
  const grains = new Map(timeGrains.map(({ member, grain }) => [member, grain]));
  if (grains.size === 0) return query;
  const { dimensions, timeDimensions, order } = query;
  const regrained = (member: string): string => {
    const end = member.lastIndexOf('.');
    const grain = grains.get(member.slice(0, end));
    return grain === undefined ? member : `${member.slice(0, end)}.${grain}`;
  };
  const ofTime = (each: TimeDimension): TimeDimension => {
    const granularity = grains.get(each.dimension);
    // One without a granularity is a condition and no column.
    return each.granularity === undefined || granularity === undefined ? each : { ...each, granularity };
  };
  return {
    ...query,
    ...(dimensions && { dimensions: dimensions.map(regrained) }),
    ...(timeDimensions && { timeDimensions: timeDimensions.map(ofTime) }),
    ...(order && { order: orderPairs(order).map(([member, way]): [string, string] => [regrained(member), way]) }),
  };
}

const orderPairs = (order: NonNullable<EngineQuery['order']>): [string, string][] =>
  Array.isArray(order) ? order : Object.entries(order);
