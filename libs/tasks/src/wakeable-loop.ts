export interface WakeableLoopOptions {
  /** What a round does, for the log: `look for builds`. */
  name: string;
  /** The longest time between two rounds, for what nobody announces. Without it there is none that nobody asks for. */
  everyMs?: number | undefined;
  /** Time until the first round that nobody asks for, where there is one. */
  firstAfterMs?: number;
  /** How long a round waits, when it is wanted, for others who want one: it serves them all. */
  gatherMs?: number;
  /** Hears of rounds that fail; pino's and the bus's own will do. */
  logger: { warn(fields: Record<string, unknown>, message: string): void };
}

const FIRST_BACK_OFF_MS = 1_000;
/** Of a loop without a period. */
const LONGEST_BACK_OFF_MS = 60_000;

/**
 * Runs a function again and again: when it is woken, and, if it has a slow period, at the latest after that. It never runs
 * twice at once, and however often it is woken meanwhile, it runs once more. A round that fails is logged and repeated after
 * a back-off, during which nobody wakes it. Timers do not keep the process alive, and know nothing of the time of day.
 */
export class WakeableLoop {
  private active = false;
  private wanted = false;
  private failures = 0;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;

  /** @param round returns in how many milliseconds to come again, when that is earlier than the period */
  constructor(
    private readonly round: () => Promise<number | undefined> | Promise<void>,
    private readonly options: WakeableLoopOptions,
  ) {}

  start(): void {
    this.active = true;
    if (this.options.everyMs !== undefined) this.wakeIn(this.options.firstAfterMs ?? 0);
    else if (this.wanted) this.run();
  }

  /** Asks for a round that begins after this call. */
  wake(): void {
    this.wanted = true;
    if (this.active && this.failures === 0) this.run();
  }

  /** Finishes the round that runs; none begins any more. */
  async stop(): Promise<void> {
    this.active = false;
    clearTimeout(this.timer);
    await this.running;
  }

  private wakeIn(milliseconds: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.wanted = true;
      this.run();
    }, milliseconds).unref();
  }

  private run(): void {
    this.running ??= this.rounds();
  }

  /** Ends in the same turn in which it finds that nobody wants more, so that no wake is lost. */
  private async rounds(): Promise<void> {
    clearTimeout(this.timer);
    let next: number | undefined;
    do {
      if (this.options.gatherMs) await delay(this.options.gatherMs);
      this.wanted = false;
      next = await this.attempt();
    } while (this.active && this.wanted && this.failures === 0);
    this.running = undefined;
    if (this.active && next !== undefined) this.wakeIn(next);
  }

  private async attempt(): Promise<number | undefined> {
    const { name, everyMs, logger } = this.options;
    try {
      const next = await this.round();
      this.failures = 0;
      return typeof next === 'number' ? Math.max(0, Math.min(everyMs ?? next, next)) : everyMs;
    } catch (error) {
      logger.warn({ err: error }, `could not ${name}`);
      this.failures += 1;
      return Math.min(everyMs ?? LONGEST_BACK_OFF_MS, FIRST_BACK_OFF_MS * 2 ** (this.failures - 1));
    }
  }
}

const delay = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
