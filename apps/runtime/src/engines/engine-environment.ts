import { AppError } from '@plinth/errors';
import { unlessAborted } from '@plinth/streams';
import { ModelBroken, EngineFailed, type Place } from './engine-driver';
import { EngineRun, type EngineLease, type RunOptions, type Wanted } from './engine-run';

/** A model that is broken is tried again after this time, should something else have been at fault. */
const BROKEN_FOR_MS = 60_000;
const FIRST_BACK_OFF_MS = 1_000;
const LONGEST_BACK_OFF_MS = 30_000;
/** An engine that ran for so long has not ended because of how it began. */
const SOUND_AFTER_MS = 60_000;
/** Whoever would wait longer for the next attempt is told to come again. */
const LONGEST_WAIT_MS = 8_000;

interface Failure {
  revision: string;
  error: Error;
  until: number;
}

export interface EnvironmentOptions extends RunOptions {
  /** Makes room for one more engine. @throws AppError `engine.limit_reached` (503) */
  makeRoom(): void;
  newPod(place: Place): string;
  /** Something runs or has ended. */
  onChange(): void;
}

/** The engine of one environment: the one that answers, the one that is to take its place, and those that drain. */
export class EngineEnvironment {
  current: EngineRun | undefined;
  next: EngineRun | undefined;
  readonly runs = new Set<EngineRun>();
  /** How often its engines have ended by themselves. */
  restarts = 0;
  private latest: Wanted;
  private failure: Failure | undefined;
  private failures = 0;
  private startAt = 0;
  private users = 0;
  private rememberedUntil = 0;

  constructor(
    wanted: Wanted,
    private readonly options: EnvironmentOptions,
  ) {
    this.latest = wanted;
  }

  get place(): Place {
    return this.latest.place;
  }

  /** Whether it waits for the next attempt after failures. */
  get isBackingOff(): boolean {
    return !this.current && !this.next && this.startAt > performance.now();
  }

  /** Has the engine that is wanted started, if it is another than the one that runs; an engine that waits is not waked. */
  follow(wanted: Wanted): void {
    this.want(wanted);
    if (!this.current || this.current.wanted.revision === this.latest.revision) return;
    this.startNext()?.started.catch(() => undefined);
  }

  /**
   * Production goes on with the engine it has until the one that is wanted answers; whoever asks a dev branch waits for what
   * the branch holds now.
   *
   * @throws ModelBroken, EngineFailed, AppError, and the signal's reason
   */
  async use(wanted: Wanted, signal: AbortSignal): Promise<EngineLease> {
    this.want(wanted);
    this.users += 1;
    try {
      return await this.lease(signal);
    } finally {
      this.users -= 1;
    }
  }

  private async lease(signal: AbortSignal): Promise<EngineLease> {
    for (;;) {
      const { current, latest } = this;
      if (current?.state === 'ready' && this.serves(current, latest)) {
        if (current.wanted.revision !== latest.revision) this.follow(latest);
        return current.lease();
      }
      const run = this.startNext() ?? this.fail();
      await unlessAborted(run.started, signal).catch((error: unknown) => {
        // Another one is wanted meanwhile.
        if (signal.aborted || run.wanted.revision === this.latest.revision) throw error;
      });
    }
  }

  /** Whether there is nothing to remember of it. */
  get isForgettable(): boolean {
    return this.users === 0 && this.runs.size === 0 && this.rememberedUntil <= performance.now();
  }

  retireAll(): void {
    for (const run of this.runs) run.retire();
  }

  async stop(): Promise<void> {
    await Promise.all([...this.runs].map((run) => run.stop()));
  }

  private want(wanted: Wanted): void {
    if (wanted.sequence >= this.latest.sequence) this.latest = wanted;
  }

  private serves({ wanted }: EngineRun, { revision, place }: Wanted): boolean {
    return place.isProduction || wanted.revision === revision;
  }

  /** The start of what is wanted, under way or begun now; undefined when it has failed a moment ago. */
  private startNext(): EngineRun | undefined {
    if (this.next?.wanted.revision === this.latest.revision) return this.next;
    if (this.failed()) return undefined;
    this.next?.retire();
    if (!this.current) this.options.makeRoom();
    const waitMs = Math.max(0, this.startAt - performance.now());
    const run = new EngineRun(this.options.newPod(this.place), this.latest, this.options, waitMs);
    this.next = run;
    this.runs.add(run);
    run.started.then(
      () => this.onReady(run),
      (error: unknown) => this.onFailed(run, error),
    );
    void run.ended.then((fault) => this.onEnded(run, fault));
    return run;
  }

  private failed(): Failure | undefined {
    const { failure } = this;
    const isOver = failure && (failure.revision !== this.latest.revision || failure.until <= performance.now());
    return isOver ? undefined : failure;
  }

  private fail(): never {
    throw this.failed()?.error ?? new EngineFailed('The engine could not be started');
  }

  private onReady(run: EngineRun): void {
    if (this.next !== run || run.state !== 'ready') return run.retire();
    this.next = undefined;
    this.failure = undefined;
    this.current?.retire();
    this.current = run;
    this.options.onChange();
  }

  private onFailed(run: EngineRun, error: unknown): void {
    if (this.next !== run) return;
    this.next = undefined;
    const { revision } = run.wanted;
    if (error instanceof ModelBroken) {
      this.failure = { revision, error, until: performance.now() + BROKEN_FOR_MS };
      this.remember(BROKEN_FOR_MS);
      if (!this.place.isProduction) this.current?.retire();
    } else this.backOff(revision, error instanceof Error ? error : new EngineFailed('The engine could not be started'));
    this.options.onChange();
  }

  private onEnded(run: EngineRun, fault: string | undefined): void {
    this.runs.delete(run);
    if (this.current === run) this.current = undefined;
    if (fault !== undefined) {
      this.restarts += 1;
      const livedMs = run.startedAt ? Date.now() - run.startedAt.getTime() : 0;
      if (livedMs > SOUND_AFTER_MS) this.failures = 0;
      this.backOff(run.wanted.revision, new EngineFailed(fault));
    }
    this.options.onChange();
  }

  private remember(milliseconds: number): void {
    this.rememberedUntil = performance.now() + milliseconds;
  }

  /** The first attempt after a sound run is made at once. Whoever would wait for long is told when to come again. */
  private backOff(revision: string, error: Error): void {
    this.failures += 1;
    this.remember(SOUND_AFTER_MS);
    const waitMs =
      this.failures === 1 ? 0 : Math.min(LONGEST_BACK_OFF_MS, FIRST_BACK_OFF_MS * 2 ** (this.failures - 2));
    this.startAt = performance.now() + waitMs;
    if (waitMs <= LONGEST_WAIT_MS) return;
    const told = error instanceof AppError ? error : unavailable(error.message, waitMs);
    this.failure = { revision, error: told, until: this.startAt - LONGEST_WAIT_MS };
  }
}

const unavailable = (message: string, waitMs: number): AppError =>
  new AppError('engine.unavailable', message, { retryAfterSeconds: Math.ceil(waitMs / 1_000) });
