import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

export interface RetryOptions {
  /** How often a request is sent again. */
  retries: number;
  /** How long one attempt may take, in milliseconds. */
  timeoutMs: number;
  fetch: (request: Request) => Promise<Response>;
}

const readingMethods = ['GET', 'HEAD'];
const firstPauseMs = 200;
const longestPauseMs = 30_000;

/** Statuses after which the platform says that the same request may be sent again. */
const passing = new Set([429, 503, 504]);

/**
 * Sends requests again that met a broken connection, a limit or an instance that was going away. Every write has an
 * `Idempotency-Key`, so a repeat never acts twice.
 */
export const retryingFetch =
  (options: RetryOptions) =>
  async (original: Request): Promise<Response> => {
    const request = withKey(original);
    for (let attempt = 0; ; attempt += 1) {
      const isLast = attempt === options.retries;
      try {
        const response = await send(request, options, isLast);
        if (isLast || !passing.has(response.status)) return response;
        await response.body?.cancel();
        await pause(pauseMs(attempt, response), undefined, { signal: original.signal });
      } catch (error) {
        if (isLast || original.signal.aborted) throw error;
        await pause(pauseMs(attempt), undefined, { signal: original.signal });
      }
    }
  };

function withKey(request: Request): Request {
  if (readingMethods.includes(request.method) || request.headers.has('idempotency-key')) return request;
  // The upload of a file takes none: sending it again has the same effect.
  if (request.headers.get('content-type')?.startsWith('multipart/')) return request;
  const headers = new Headers(request.headers);
  headers.set('idempotency-key', randomUUID());
  return new Request(request, { headers });
}

const send = (request: Request, { fetch, timeoutMs }: RetryOptions, isLast: boolean): Promise<Response> => {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]);
  return fetch(new Request(isLast ? request : request.clone(), { signal }));
};

/** What the platform asks for, else twice as long each time; spread, so that clients do not come back together. */
function pauseMs(attempt: number, response?: Response): number {
  const asked = Number(response?.headers.get('retry-after')) * 1000;
  if (asked > 0) return Math.min(asked, longestPauseMs);
  return Math.min(firstPauseMs * 2 ** attempt, longestPauseMs) * (0.5 + Math.random() / 2);
}
