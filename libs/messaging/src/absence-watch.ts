import type { BusLogger } from './logger';

/** Milliseconds after which a server that was not there at once is worth a line. */
const FIRST_WORD_MS = 1_000;
/** Milliseconds between lines while it stays away. */
const REPEAT_MS = 30_000;

export interface AbsenceWatchOptions {
  logger: BusLogger;
  /** What is told with each line: who waits, and for which server. */
  details: Record<string, unknown>;
  firstWordMs?: number;
  repeatMs?: number;
}

/** Says that a server is away, again and again until it is back, and then for how long it was. */
export class AbsenceWatch {
  private timer: NodeJS.Timeout | undefined;
  private since: number | undefined;
  private hasTold = false;
  /** Why it cannot be reached, as far as is known. */
  reason: string | undefined;

  constructor(private readonly options: AbsenceWatchOptions) {}

  /** The server is not there; `isNews` is false for one that may only be a moment late. */
  begin(isNews: boolean): void {
    if (this.since !== undefined) return;
    const { firstWordMs = FIRST_WORD_MS } = this.options;
    this.since = performance.now();
    this.reason = undefined;
    if (isNews) this.tell('The connection to NATS was lost: requests wait or are answered with 503 until it is back');
    else this.timer = setTimeout(() => this.tell(WAITING), firstWordMs).unref();
  }

  /** The server is there. */
  end(): void {
    clearTimeout(this.timer);
    if (this.hasTold) this.options.logger.warn(this.facts(), 'Connected to NATS');
    this.since = undefined;
    this.hasTold = false;
  }

  /** Nobody is to hear of it any more. */
  stop(): void {
    clearTimeout(this.timer);
  }

  private tell(message: string): void {
    const { logger, repeatMs = REPEAT_MS } = this.options;
    this.hasTold = true;
    logger.warn(this.facts(), message);
    this.timer = setTimeout(() => this.tell(WAITING), repeatMs).unref();
  }

  private facts(): Record<string, unknown> {
    const awaySeconds = Math.round((performance.now() - (this.since ?? 0)) / 1_000);
    return { ...this.options.details, awaySeconds, ...(this.reason !== undefined && { reason: this.reason }) };
  }
}

const WAITING = 'Waiting for NATS: nothing is served until it answers';
