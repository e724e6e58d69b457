import { setTimeout as delay } from 'node:timers/promises';

const ATTEMPTS = 3;
const BACKOFF_MS = 200;

type Fetch = typeof fetch;

/**
 * `fetch` that ends within the deadline, tries again what failed for a moment, and waits as long as GitHub asks for
 * (https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api). When that is longer than
 * the deadline, the caller gets the refusal at once and can pass the time on to its own caller.
 */
export function githubFetch(timeoutMs: number): Fetch {
  return async (input, init = {}) => {
    const endsAt = Date.now() + timeoutMs;
    const deadline = AbortSignal.timeout(timeoutMs);
    const signal = init.signal ? AbortSignal.any([init.signal, deadline]) : deadline;
    for (let attempt = 1; ; attempt++) {
      const response = await fetch(input, { ...init, signal }).catch((error: Error) => error);
      const waitMs = pauseBefore(attempt, response, init.method ?? 'GET');
      if (waitMs === undefined || attempt === ATTEMPTS || Date.now() + waitMs >= endsAt) {
        if (response instanceof Error) throw response;
        return response;
      }
      if (!(response instanceof Error)) await response.body?.cancel();
      await delay(waitMs, undefined, { signal });
    }
  };
}

/** Milliseconds after which the request may be sent again; undefined when it may not. */
function pauseBefore(attempt: number, response: Response | Error, method: string): number | undefined {
  const backoff = BACKOFF_MS * 2 ** (attempt - 1) * (0.5 + Math.random());
  if (response instanceof Error) return isRepeatable(method) ? backoff : undefined;
  const seconds = secondsToWait(response.status, response.headers);
  if (seconds !== undefined) return seconds * 1000;
  return response.status >= 500 && isRepeatable(method) ? backoff : undefined;
}

/** Seconds for which GitHub wants to be left alone; undefined unless the answer is about its rate limits. */
export function secondsToWait(status: number, headers: Pick<Headers, 'get'>): number | undefined {
  if (status !== 403 && status !== 429) return undefined;
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN);
  if (Number.isFinite(retryAfter)) return Math.max(0, retryAfter);
  if (headers.get('x-ratelimit-remaining') === '0') {
    return Math.max(1, Number(headers.get('x-ratelimit-reset')) - Math.floor(Date.now() / 1000));
  }
  return status === 429 ? SECONDARY_LIMIT_SECONDS : undefined;
}

/** What GitHub asks for when it names no time. */
const SECONDARY_LIMIT_SECONDS = 60;

const isRepeatable = (method: string): boolean => method.toUpperCase() === 'GET';
