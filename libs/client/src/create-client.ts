import createFetchClient, { type Client } from 'openapi-fetch';
import type { paths } from './generated/api';
import { retryingFetch } from './retrying-fetch';

export interface ClientOptions {
  /** Address of the tenant, for example `https://acme.example.com`. */
  baseUrl: string;
  /** An API key or an OAuth access token. */
  apiKey: string;
  /** How often a request is sent again after a broken connection or a status 429, 503 or 504. Default: 4. */
  retries?: number;
  /** How long one attempt may take, in milliseconds. Default: 60 000. */
  timeoutMs?: number;
  /** Sends a request; by default the `fetch` of the runtime. */
  fetch?: (request: Request) => Promise<Response>;
}

/** A method for each HTTP method, typed by path: `client.GET('/api/v1/deployments')`. */
export type PlinthClient = Client<paths>;

/** A client of the platform API. Its writes are safe to repeat, and it repeats them. */
export function createClient({
  baseUrl,
  apiKey,
  retries = 4,
  timeoutMs = 60_000,
  fetch = (request) => globalThis.fetch(request),
}: ClientOptions): PlinthClient {
  return createFetchClient<paths>({
    baseUrl,
    headers: { authorization: `Bearer ${apiKey}` },
    fetch: retryingFetch({ retries, timeoutMs, fetch }),
  });
}
