import { systemPrincipal } from '@plinth/auth';
import { AppError } from '@plinth/errors';
import type { Bus } from '@plinth/messaging';
import type { Logger } from '@plinth/observability';
import { Counter, type Registry } from 'prom-client';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { scimDialect } from '../dialects/scim.dialect';
import type { Exchange } from '../exchange/exchange';
import { describeScimRequest, type ScimRequestEntry } from './scim-request';

/** Entries of one call: as many as surely fit into a message of 1 MB. */
const BATCH = 50;
const EVERY_MS = 1_000;
const CALL_TIMEOUT_MS = 5_000;
const MOST_WAITING = 10_000;
/** Keeps one tenant from taking the place of all others. */
const MOST_WAITING_OF_TENANT = 2_000;
/** Requests without a valid credential: anybody may send them, and nobody is to fill the list with them. */
const UNKNOWN_PER_MINUTE_AND_TENANT = 60;

type Loss = 'unknown_caller' | 'full' | 'refused';

/**
 * Has every request below `/api/scim` recorded for the tenant that received it. Entries wait in memory and leave in
 * batches, so that no request waits for the record of another. Beyond the bounds they are lost, and counted.
 */
export class ScimRequestLog {
  private readonly waiting = new Map<number, ScimRequestEntry[]>();
  private waitingCount = 0;
  private timer: NodeJS.Timeout | undefined;
  private sending: Promise<void> | undefined;
  private readonly unknownCallers = new RateLimiterMemory({ points: UNKNOWN_PER_MINUTE_AND_TENANT, duration: 60 });
  private readonly lost: Counter<'reason'>;

  constructor(
    private readonly bus: Bus,
    private readonly logger: Logger,
    registry: Registry,
  ) {
    this.lost = new Counter({
      name: 'plinth_scim_requests_unrecorded_total',
      help: 'SCIM requests that are missing in the list of requests, by the reason.',
      labelNames: ['reason'],
      registers: [registry],
    });
  }

  /** Never keeps an answer waiting, and never fails. */
  note(exchange: Exchange): void {
    const { tenant, dialect } = exchange;
    if (!tenant || dialect !== scimDialect) return;
    const entry = describeScimRequest(exchange);
    if (entry.caller) {
      this.add(tenant.tenantId, entry);
      return;
    }
    this.unknownCallers.consume(tenant.tenantId).then(
      () => this.add(tenant.tenantId, entry),
      () => this.lose('unknown_caller', 1),
    );
  }

  /** Sends what waits; what cannot be sent now is lost. */
  async close(): Promise<void> {
    await this.sending;
    await this.flush();
    clearTimeout(this.timer);
    if (this.waitingCount > 0) this.lose('refused', this.waitingCount);
  }

  private add(tenantId: number, entry: ScimRequestEntry): void {
    const entries = this.waiting.get(tenantId) ?? [];
    if (this.waitingCount >= MOST_WAITING || entries.length >= MOST_WAITING_OF_TENANT) {
      this.lose('full', 1);
      return;
    }
    this.waiting.set(tenantId, entries);
    entries.push(entry);
    this.waitingCount += 1;
    if (entries.length === BATCH) void this.flush();
    else this.schedule();
  }

  private schedule(): void {
    this.timer ??= setTimeout(() => void this.flush(), EVERY_MS).unref();
  }

  private flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.sending ??= this.sendAll().finally(() => {
      this.sending = undefined;
      if (this.waitingCount > 0) this.schedule();
    });
    return this.sending;
  }

  private async sendAll(): Promise<void> {
    for (const [tenantId, entries] of this.waiting) {
      while (entries.length > 0) {
        const batch = entries.slice(0, BATCH);
        if (!(await this.send(tenantId, batch))) return;
        // Others may have come meanwhile, which wait for the next batch.
        entries.splice(0, batch.length);
        this.waitingCount -= batch.length;
      }
      this.waiting.delete(tenantId);
    }
  }

  /** Whether the entries are done with. An entry that arrives twice is recorded once, so they may be sent again. */
  private async send(tenantId: number, requests: ScimRequestEntry[]): Promise<boolean> {
    try {
      const options = { timeoutMs: CALL_TIMEOUT_MS };
      await this.bus.ask('recordScimRequests', systemPrincipal(tenantId), { requests }, options);
      return true;
    } catch (failure) {
      this.logger.warn({ err: failure }, 'SCIM requests could not be recorded');
      const { status } = AppError.from(failure);
      if (status === 503 || status === 504) return false;
      this.lose('refused', requests.length);
      return true;
    }
  }

  private lose(reason: Loss, count: number): void {
    this.lost.inc({ reason }, count);
  }
}
