import { randomBytes } from 'node:crypto';
import { AppError } from '@plinth/errors';
import type { Logger } from '@plinth/observability';
import { WakeableLoop } from '@plinth/tasks';
import type { EngineDriver, Place } from './engine-driver';
import { EngineEnvironment, type EnvironmentOptions } from './engine-environment';
import type { EngineListener } from './engine-listener';
import type { EngineLease, EngineRun, Wanted } from './engine-run';

/** Longest time between two looks at what is unused, in milliseconds. */
const LOOK_EVERY_MS = 60_000;
/** What an engine takes that has just been started, in bytes. */
const EXPECTED_BYTES = 256 * 2 ** 20;
const RETRY_AFTER_S = 5;

export interface RegistryOptions {
  driver: EngineDriver;
  listener: EngineListener;
  logger: Logger;
  /** Time without a request after which an engine is ended, in milliseconds; 0 keeps it. */
  idleMs: number;
  /** Engines at the same time, but for those that take the place of another. */
  most: number;
  /** Bytes of memory of all engines together; 0 for no limit. */
  memoryBytes: number;
  /** Engines that wait for what they are to serve, while others run and memory suffices. */
  spares: number;
  startTimeoutMs: number;
  /** Time for what runs in an engine that is stopped, in milliseconds. */
  stopGraceMs: number;
  /** Time after which an engine has new OIDC tokens, in milliseconds. */
  tokensEveryMs: number;
}

/** An engine as others see it. */
export interface EngineState {
  environmentId: number;
  pod: string;
  status: 'Pending' | 'Running' | 'Terminating' | 'CrashLoopBackOff';
  restarts: number;
  startedAt: Date | undefined;
}

/** The engines of this replica: one for each environment that is asked, started when it is first asked. */
export class EngineRegistry {
  private readonly environments = new Map<number, EngineEnvironment>();
  private readonly idleLoop: WakeableLoop;
  private readonly environmentOptions: Omit<EnvironmentOptions, 'makeRoom'>;
  private closed = false;

  constructor(private readonly options: RegistryOptions) {
    const { driver, listener, startTimeoutMs, stopGraceMs, tokensEveryMs, logger } = options;
    this.idleLoop = new WakeableLoop(async () => this.lookAround(), {
      name: 'end engines that nobody asks',
      everyMs: LOOK_EVERY_MS,
      firstAfterMs: LOOK_EVERY_MS,
      logger,
    });
    this.environmentOptions = {
      driver,
      listener,
      startTimeoutMs,
      stopGraceMs,
      tokensEveryMs,
      logger,
      newPod,
      onChange: () => this.idleLoop.wake(),
    };
    this.idleLoop.start();
  }

  /**
   * An engine for the environment, which the caller gives back.
   *
   * @throws ModelBroken, EngineFailed, AppError `engine.limit_reached` and `engine.unavailable` (503), and the signal's reason
   */
  use(wanted: Wanted, signal: AbortSignal): Promise<EngineLease> {
    if (this.closed) throw new AppError('service.unavailable', 'The service is shutting down');
    const { environmentId } = wanted.place;
    let environment = this.environments.get(environmentId);
    if (!environment) {
      const created = new EngineEnvironment(wanted, {
        ...this.environmentOptions,
        makeRoom: () => this.makeRoom(created),
      });
      this.environments.set(environmentId, (environment = created));
    }
    return environment.use(wanted, signal);
  }

  /** Environments of the deployment that have an engine. */
  placesOf(deploymentId: number): Place[] {
    return [...this.environments.values()]
      .filter(({ place, runs }) => place.deploymentId === deploymentId && runs.size > 0)
      .map(({ place }) => place);
  }

  /** Has the engine of the environment replaced, if there is one and another is wanted. */
  follow(wanted: Wanted): void {
    this.environments.get(wanted.place.environmentId)?.follow(wanted);
  }

  /** The environment serves nothing any more. */
  retire(environmentId: number): void {
    this.environments.get(environmentId)?.retireAll();
  }

  statesOf(deploymentId: number): EngineState[] {
    return [...this.environments.values()]
      .filter(({ place }) => place.deploymentId === deploymentId)
      .flatMap((environment) => statesOf(environment));
  }

  /** How many engines start and run. */
  count(): { starting: number; running: number; memoryBytes: number } {
    const runs = this.allRuns();
    const starting = runs.filter(({ state }) => state === 'starting').length;
    const spareBytes = this.options.driver.spares?.memoryBytes() ?? 0;
    return { starting, running: runs.length - starting, memoryBytes: this.memoryBytes() + spareBytes };
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.idleLoop.stop();
    await Promise.all([...this.environments.values()].map((environment) => environment.stop()));
    await this.options.driver.close();
  }

  private allRuns(): EngineRun[] {
    return [...this.environments.values()].flatMap(({ runs }) => [...runs]);
  }

  private memoryBytes(): number {
    return this.allRuns().reduce((sum, run) => sum + run.memoryBytes(), 0);
  }

  /** @throws AppError `engine.limit_reached` (503) when all engines have something to do */
  private makeRoom(newcomer: EngineEnvironment): void {
    const { most, memoryBytes } = this.options;
    const others = [...this.environments.values()].filter(
      (each) => each !== newcomer && (each.next !== undefined || each.current?.state === 'ready'),
    );
    const unused = others
      .flatMap(({ current, next }) => (current?.isUnused && !next ? [current] : []))
      .sort((left, right) => left.lastUsedAt - right.lastUsedAt);
    let count = others.length + 1;
    let bytes = memoryBytes > 0 ? this.memoryBytes() + EXPECTED_BYTES : 0;
    while (count > most || (memoryBytes > 0 && bytes > memoryBytes && count > 1)) {
      const longest = unused.shift();
      if (!longest) throw limitReached();
      bytes -= longest.memoryBytes();
      count -= 1;
      longest.retire();
    }
  }

  private lookAround(): number | undefined {
    this.keepSpares();
    return this.endUnused();
  }

  /** What starts comes first: a spare engine takes as much of a processor for a moment. */
  private keepSpares(): void {
    const { driver, spares } = this.options;
    const { starting, running } = this.count();
    if (starting > 0) return;
    driver.spares?.keep(running > 0 && this.hasMemoryFor(spares) ? spares : 0);
  }

  /** Spare engines are counted as what they become. */
  private hasMemoryFor(count: number): boolean {
    const { driver, memoryBytes } = this.options;
    const free = process.availableMemory() + (driver.spares?.memoryBytes() ?? 0);
    const isWithinLimit = memoryBytes === 0 || this.memoryBytes() + count * EXPECTED_BYTES <= memoryBytes;
    return isWithinLimit && free >= (count + 1) * EXPECTED_BYTES;
  }

  /** Returns when the next engine may have been unused for long enough. */
  private endUnused(): number | undefined {
    const { idleMs } = this.options;
    let next: number | undefined;
    for (const [id, environment] of this.environments) {
      if (environment.isForgettable) this.environments.delete(id);
      const { current } = environment;
      if (idleMs === 0 || !current) continue;
      // One that is asked right now is unused for long enough after that time at the earliest.
      const left = current.isUnused ? current.lastUsedAt + idleMs - performance.now() : idleMs;
      if (left <= 0) current.retire();
      else next = Math.min(next ?? Infinity, left);
    }
    return next;
  }
}

function statesOf({ runs, place, restarts, isBackingOff }: EngineEnvironment): EngineState[] {
  const { environmentId } = place;
  const states = [...runs].map(({ pod, state, startedAt }) => ({
    environmentId,
    pod,
    status: STATUS[state],
    restarts,
    startedAt,
  }));
  if (states.length > 0 || !isBackingOff) return states;
  return [{ environmentId, pod: podPrefix(place), status: 'CrashLoopBackOff', restarts, startedAt: undefined }];
}

const STATUS = { starting: 'Pending', ready: 'Running', draining: 'Terminating', ended: 'Terminating' } as const;

const podPrefix = ({ isProduction, environmentId }: Place): string =>
  `${isProduction ? 'production' : 'branch'}-${environmentId}`;

const newPod = (place: Place): string => `${podPrefix(place)}-${randomBytes(4).toString('hex')}`;

const limitReached = (): AppError =>
  new AppError('engine.limit_reached', 'Too many data models are being asked at the same time: try again in a moment', {
    retryAfterSeconds: RETRY_AFTER_S,
  });
