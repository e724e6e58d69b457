import { clientNetwork } from '@plinth/auth';
import { atMost } from '@plinth/caches';
import { AppError } from '@plinth/errors';
import type { Logger } from '@plinth/observability';
import { LRUCache } from 'lru-cache';
import { Counter, type Registry } from 'prom-client';

/** What a client tries in vain: credentials of the API, hosts, routes, and what the authorization server is shown. */
export type FailureKind = 'credential' | 'host' | 'route' | 'grant';

const PERIOD_MS = 60_000;
/** Bounds of memory. Whoever has more addresses than that has no need to come back to one of them. */
const MOST_CLIENTS = 50_000;
const MOST_PROVEN = 50_000;

/**
 * Slows down who guesses, before anything is looked up for them: bounds the failures of one client address in a minute,
 * each kind for itself. Successes count nothing, so any number of people may share an address. What has been found
 * before is looked up without asking who wants it: nobody is shut out by others who guess from the same address.
 */
export class FailureLimiter {
  private readonly periods: LRUCache<string, { failures: number }>;
  private readonly proven = new LRUCache<string, true>(atMost(MOST_PROVEN));
  private readonly refusals: Counter<'kind'>;

  constructor(
    private readonly perMinute: number,
    private readonly logger: Logger,
    registry: Registry,
    periodMs = PERIOD_MS,
  ) {
    this.periods = new LRUCache({ ...atMost(MOST_CLIENTS), ttl: periodMs });
    this.refusals = new Counter({
      name: 'plinth_http_failures_limited_total',
      help: 'Requests refused because their address failed too often.',
      labelNames: ['kind'],
      registers: [registry],
    });
  }

  /**
   * Looks something up that a client names by `key`. What is not there counts as a failure; a look-up that could not be
   * made does not.
   *
   * @throws AppError `request.too_many_failures` (429), without having looked.
   */
  async find<Value extends object>(
    kind: FailureKind,
    key: string,
    clientIp: string,
    lookUp: () => Promise<Value | null>,
  ): Promise<Value | null> {
    const name = `${kind}:${key}`;
    const takeBack = this.proven.has(name) ? nothing : this.count(kind, clientIp);
    const found = await lookUp().catch((error: unknown) => {
      takeBack();
      throw error;
    });
    if (!found) {
      this.proven.delete(name);
      return null;
    }
    takeBack();
    this.proven.set(name, true);
    return found;
  }

  /**
   * Counts a failure. Counting an attempt before it is made, and taking it back when it succeeds, makes attempts at the
   * same time count too.
   *
   * @returns takes the failure back.
   * @throws AppError `request.too_many_failures` (429).
   */
  count(kind: FailureKind, clientIp: string): () => void {
    if (this.perMinute === 0) return nothing;
    const client = `${kind}:${clientNetwork(clientIp)}`;
    const period = this.periods.get(client) ?? this.begin(client);
    if (period.failures >= this.perMinute) throw this.refusal(kind, client);
    period.failures += 1;
    if (period.failures === this.perMinute) this.logger.warn({ kind, clientIp }, 'an address fails too often');
    return () => void (period.failures -= 1);
  }

  private begin(client: string): { failures: number } {
    const period = { failures: 0 };
    this.periods.set(client, period);
    return period;
  }

  private refusal(kind: FailureKind, client: string): AppError {
    this.refusals.inc({ kind });
    return new AppError(
      'request.too_many_failures',
      'Too many failed requests from your address; wait before the next',
      {
        retryAfterSeconds: Math.max(1, Math.ceil(this.periods.getRemainingTTL(client) / 1_000)),
      },
    );
  }
}

const nothing = (): void => undefined;
