import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@plinth/observability';
import { Redactor } from '@plinth/redaction';
import {
  EngineFailed,
  EngineGone,
  ModelBroken,
  type EngineCall,
  type EngineDriver,
  type EngineNews,
  type EngineReply,
  type EngineStart,
  type Place,
  type RunningEngine,
  type TokenFile,
} from './engine-driver';
import type { EngineListener, StartOutcome } from './engine-listener';
import { withoutTokenPath } from './token-paths';
import { TokenRenewal } from './token-renewal';

/** An engine that an environment is to have. */
export interface Wanted {
  place: Place;
  /** Another one for every engine that would answer otherwise. */
  revision: string;
  /** Grows with time: of two that are wanted for an environment, the greater is what it is to have. */
  sequence: number;
  /** What it is started with; asked for when it is started. */
  order(pod: string): Promise<Omit<EngineStart, 'tokens'>>;
  /** Makes the OIDC tokens of its deployment anew. */
  mintTokens(): Promise<readonly TokenFile[]>;
}

export interface RunOptions {
  driver: EngineDriver;
  listener: EngineListener;
  startTimeoutMs: number;
  /** Time for what runs in an engine that is stopped, in milliseconds. */
  stopGraceMs: number;
  /** Time after which an engine has new OIDC tokens, in milliseconds. */
  tokensEveryMs: number;
  logger: Logger;
}

/** The right to ask an engine, which does not end before it is given back. */
export interface EngineLease {
  request(call: EngineCall): Promise<EngineReply>;
  /** May be called more than once. */
  release(): void;
}

const SECOND_MS = 1_000;
/** Time in which the end of an engine is noticed that has dropped its connections, in milliseconds. */
const NOTICED_MS = 250;
/** Times that tokens are minted anew before the log forgets the first ones: long after they have expired. */
const MOST_TOKENS = 8;

/** One engine, from the decision to start it to its end. */
export class EngineRun {
  state: 'starting' | 'ready' | 'draining' | 'ended' = 'starting';
  startedAt: Date | undefined;
  lastUsedAt = performance.now();
  inFlight = 0;
  /** Settles when it answers, or will not. */
  readonly started: Promise<void>;
  /** What ended it by itself, once it had answered; undefined when it was stopped or never did. */
  readonly ended: Promise<string | undefined>;
  private readonly giveUp = new AbortController();
  private engine: RunningEngine | undefined;
  private redactor = new Redactor();
  private readonly renewal: TokenRenewal;
  private variables: EngineStart['variables'] = {};
  /** Its OIDC tokens, the latest ones first. */
  private tokens: readonly (readonly TokenFile[])[] = [];
  private stopped: Promise<void> | undefined;

  constructor(
    readonly pod: string,
    readonly wanted: Wanted,
    private readonly options: RunOptions,
    afterMs: number,
  ) {
    this.renewal = new TokenRenewal({
      mint: () => wanted.mintTokens(),
      minted: (tokens) => this.keepSecret([tokens, ...this.tokens]),
      say: (message) => this.say('INIT', message),
      everyMs: options.tokensEveryMs,
      logger: options.logger,
    });
    this.started = this.start(afterMs);
    this.ended = this.started.then(
      () => this.end(),
      () => this.neverRan(),
    );
  }

  get isUnused(): boolean {
    return this.state === 'ready' && this.inFlight === 0;
  }

  /** @throws EngineGone when it does not answer any more */
  lease(): EngineLease {
    const { engine } = this;
    if (!engine || this.state !== 'ready') throw new EngineGone('The engine has ended');
    this.inFlight += 1;
    let held = true;
    return {
      request: (call) => this.request(engine, call),
      release: () => {
        if (held) this.release();
        held = false;
      },
    };
  }

  memoryBytes(): number {
    return this.engine?.memoryBytes() ?? 0;
  }

  /** Takes no more requests, and ends when those that it has are answered. */
  retire(): void {
    if (this.state === 'starting') return this.giveUp.abort(new EngineFailed('Another engine takes its place'));
    if (this.state !== 'ready') return;
    this.state = 'draining';
    if (this.inFlight === 0) void this.stop();
  }

  /** Ends it, with what it still has to answer; resolves when it is gone. */
  stop(): Promise<void> {
    this.stopped ??= this.stopEngine();
    return this.stopped;
  }

  private async stopEngine(): Promise<void> {
    this.giveUp.abort(new EngineFailed('The engine is not needed any more'));
    await this.started.catch(() => undefined);
    if (this.state === 'ready') this.state = 'draining';
    await this.engine?.stop(this.options.stopGraceMs);
    await this.ended;
  }

  /** Whoever asks again after its end shall not be sent to it once more. */
  private async request(engine: RunningEngine, call: EngineCall): Promise<EngineReply> {
    try {
      return await engine.request(call);
    } catch (error) {
      if (error instanceof EngineGone) await Promise.race([this.ended, delay(NOTICED_MS)]);
      throw error;
    }
  }

  private release(): void {
    this.inFlight -= 1;
    this.lastUsedAt = performance.now();
    if (this.state === 'draining' && this.inFlight === 0) void this.stop();
  }

  private async start(afterMs: number): Promise<void> {
    const began = performance.now();
    const overdue = setTimeout(
      () => this.giveUp.abort(new EngineFailed('The engine did not start in time')),
      this.options.startTimeoutMs + afterMs,
    );
    try {
      const { signal } = this.giveUp;
      await delay(afterMs, undefined, { signal }).catch(() => signal.throwIfAborted());
      await this.startEngine(signal);
      this.settled('ready', began);
    } catch (error) {
      this.settled(outcomeOf(error, this.giveUp.signal), began, error);
      throw error;
    } finally {
      clearTimeout(overdue);
    }
  }

  private async startEngine(signal: AbortSignal): Promise<void> {
    const [order, tokens] = await Promise.all([this.wanted.order(this.pod), this.renewal.first()]);
    this.variables = order.variables;
    this.keepSecret(this.tokens);
    for (const line of [`Starting for commit ${order.commitHash}`, ...withoutTokenPath(order)]) this.say('INIT', line);
    const engine = await this.options.driver.start({ ...order, tokens }, (news) => this.hear(news), signal);
    if (signal.aborted) await engine.stop(0);
    signal.throwIfAborted();
    this.engine = engine;
    this.state = 'ready';
    this.startedAt = new Date();
    this.lastUsedAt = performance.now();
    this.renewal.start((next) => engine.replaceTokens(next));
  }

  /** Lines of the log hold none of them. */
  private keepSecret(tokens: readonly (readonly TokenFile[])[]): void {
    this.tokens = tokens.slice(0, MOST_TOKENS);
    this.redactor = new Redactor({ variables: this.variables, secrets: this.tokens.flat().map(({ token }) => token) });
  }

  private settled(outcome: StartOutcome, began: number, error?: unknown): void {
    const seconds = (performance.now() - began) / SECOND_MS;
    this.options.listener.started(outcome, seconds);
    const told =
      error instanceof ModelBroken || error instanceof EngineFailed ? error.message : 'It could not be started';
    this.say('INIT', outcome === 'ready' ? `Ready after ${seconds.toFixed(1)} s` : `Not started: ${told}`);
  }

  private async end(): Promise<string | undefined> {
    const end = await this.engine?.ended;
    this.renewal.end();
    this.state = 'ended';
    this.say('INIT', end?.fault ?? 'Ended');
    if (end?.fault === undefined) return undefined;
    this.options.listener.crashed();
    return end.fault;
  }

  private neverRan(): undefined {
    this.renewal.end();
    this.state = 'ended';
  }

  private hear(news: EngineNews): void {
    const { place } = this.wanted;
    if (news.kind === 'query') this.options.listener.query(place, news);
    else if (news.kind === 'transpiled') this.options.listener.transpiled(place, news.transpiled);
    else this.say('cubejs-server', news.message);
  }

  private say(container: 'INIT' | 'cubejs-server', message: string): void {
    const { place } = this.wanted;
    // The database keeps no such character.
    for (const line of message.replaceAll('\0', '').split('\n')) {
      this.options.listener.line({ place, pod: this.pod, container, message: this.redactor.clean(line) });
    }
  }
}

function outcomeOf(error: unknown, { aborted }: AbortSignal): StartOutcome {
  if (error instanceof ModelBroken) return 'broken';
  return aborted ? 'given-up' : 'failed';
}
