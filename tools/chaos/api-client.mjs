import { setTimeout as delay } from 'node:timers/promises';
import { adminKey } from '../bench/processes.mjs';

/** How long a client sends a request again before it gives up on it. */
const RETRY_FOR_MS = 60_000;
const LONGEST_WAIT_MS = 2_000;

/** Replies that say: come again. Everything else that is not a success is a finding. */
const isRetriable = ({ status, body }) =>
  typeof body?.code === 'string' &&
  (status === 503 || status === 504 || (status === 409 && body.code === 'idempotency.in_progress'));

/** What clients saw: every attempt, every request, and every reply that none should see. */
export class Observations {
  attempts = 0;
  failedAttempts = new Map();
  requests = {};
  findings = [];

  attempt({ status, body }) {
    this.attempts += 1;
    if (status < 300) return;
    const code = `${status} ${body?.code}`;
    this.failedAttempts.set(code, (this.failedAttempts.get(code) ?? 0) + 1);
  }

  request(kind, milliseconds, succeeded) {
    const seen = (this.requests[kind] ??= { milliseconds: [], failed: 0 });
    seen.milliseconds.push(milliseconds);
    if (!succeeded) seen.failed += 1;
  }
}

/** Sends requests as a well-behaved client does: with one idempotency key for all attempts of a mutation. */
export class ApiClient {
  constructor(url, observations = new Observations()) {
    this.url = url;
    this.observations = observations;
  }

  /**
   * The body of the successful reply, or undefined when the request was given up or refused; whether it had an effect
   * is not known then. `requestId` names a mutation in all its attempts.
   */
  async send(kind, method, path, { body, requestId } = {}) {
    const startedAt = performance.now();
    let reply;
    for (let attempt = 0; ; attempt += 1) {
      reply = await this.#attempt(method, path, body, requestId);
      this.observations.attempt(reply);
      if (!isRetriable(reply) || performance.now() - startedAt > RETRY_FOR_MS) break;
      await delay(Math.min(LONGEST_WAIT_MS, 100 * 2 ** attempt) * (0.5 + Math.random() / 2));
    }
    const succeeded = reply.status < 300;
    this.observations.request(kind, performance.now() - startedAt, succeeded);
    if (!succeeded && !isRetriable(reply)) this.observations.findings.push({ kind, method, path, requestId, ...reply });
    return succeeded ? reply.body : undefined;
  }

  async #attempt(method, path, body, requestId) {
    const headers = {
      authorization: `Bearer ${adminKey}`,
      ...(body && { 'content-type': 'application/json' }),
      ...(requestId && { 'x-request-id': requestId, 'idempotency-key': requestId }),
    };
    try {
      const response = await fetch(`${this.url}${path}`, { method, headers, body: body && JSON.stringify(body) });
      return { status: response.status, body: await response.json() };
    } catch (error) {
      return { status: 0, body: String(error.cause ?? error) };
    }
  }
}
