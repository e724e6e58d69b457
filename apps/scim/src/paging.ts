/** Most resources that one page holds. */
export const MAX_RESULTS = 500;

const DEFAULT_RESULTS = 100;

export interface Window {
  startIndex: number;
  limit: number;
}

/** The part of a list that is asked for; values below the least count as the least (RFC 7644, section 3.4.2.4). */
export const windowOf = (startIndex: number | null | undefined, count: number | null | undefined): Window => ({
  startIndex: Math.max(1, startIndex ?? 1),
  limit: Math.min(MAX_RESULTS, Math.max(0, count ?? DEFAULT_RESULTS)),
});
