import type { EngineLimits } from './protocol';

/**
 * The environment variables by which packages of the engine keep to the limits. A deployment's own are kept to where they
 * are lower.
 */
export function limitVariables(
  variables: Readonly<Record<string, string>>,
  limits: EngineLimits,
): Record<string, string> {
  const atMost = (name: string, limit: number) => String(Math.min(positive(variables[name]) ?? limit, limit));
  return {
    CUBEJS_CACHE_AND_QUEUE_DRIVER: 'memory',
    CUBEJS_LOG_LEVEL: 'error',
    CUBEJS_DB_QUERY_LIMIT: atMost('CUBEJS_DB_QUERY_LIMIT', limits.maxRows),
    CUBEJS_DB_QUERY_DEFAULT_LIMIT: atMost('CUBEJS_DB_QUERY_DEFAULT_LIMIT', limits.defaultRows),
    CUBEJS_DB_QUERY_TIMEOUT: atMost('CUBEJS_DB_QUERY_TIMEOUT', Math.ceil(limits.queryMs / 1_000)),
    CUBEJS_CONCURRENCY: atMost('CUBEJS_CONCURRENCY', limits.concurrency),
    // There is no other process that would build them.
    CUBEJS_PRE_AGGREGATIONS_BUILDER: 'true',
  };
}

function positive(text: string | undefined): number | undefined {
  const number = Number(text);
  return Number.isFinite(number) && number > 0 ? number : undefined;
}
