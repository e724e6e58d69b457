import { setTimeout as delay } from 'node:timers/promises';
import { text } from 'node:stream/consumers';
import type { V1Pod, V1Secret, V1Service } from '@kubernetes/client-node';
import type { Logger } from '@plinth/observability';
import { own } from '@plinth/streams';
import { WakeableLoop } from '@plinth/tasks';
import {
  EngineFailed,
  EngineGone,
  ModelBroken,
  type EngineCall,
  type EngineEnd,
  type EngineNews,
  type EngineReply,
  type RunningEngine,
  type TokenFile,
} from '../engine-driver';
import { EngineHttp } from '../engine-http';
import { EngineTokens } from '../engine-tokens';
import type { Cluster } from './cluster';
import { ClusterError } from './cluster-error';
import { ENGINE, HOLDER } from './engine-labels';
import { ENGINE_PORT } from './engine-port';
import { PodLog } from './pod-log';
import { endOf, podStateOf, refusalOf, type PodState } from './pod-state';

/** Between two looks at an engine that starts, and at one that answers, in milliseconds. */
const STARTING_MS = 500;
const ANSWERING_MS = 5_000;
/** Looks that may fail in a row while an engine starts. */
const PATIENCE = 5;
/** Changes by others that may come between reading a service and deleting it. */
const ATTEMPTS = 5;
/** How often an engine may end while it starts. */
const MOST_RESTARTS = 2;
const COMPILE_ERRORS = /^(?:Error: )?Compile errors?:\s*/i;

export interface ClusterEngineOptions {
  cluster: Cluster;
  service: V1Service;
  /** The mark of this claim, unlike all others. */
  holder: string;
  tokenSecret: string;
  /** The manifest of its OIDC tokens. */
  tokens: (tokens: readonly TokenFile[]) => V1Secret;
  /** What has been printed until then is not heard again, as RFC 3339 has it. */
  heardUntil: string | undefined;
  onNews: (news: EngineNews) => void;
  /** Makes a line fit for users. */
  redact: (line: string) => string;
  logger: Logger;
}

/** How far the pod of an engine that starts has come. */
interface Progress {
  state?: PodState;
  /** Looks in a row that the API server has not answered. */
  failures: number;
  restartsBefore?: number;
}

/** One engine of a cluster, from the moment in which it belongs to this runtime. */
export class ClusterEngine implements RunningEngine {
  readonly ended: Promise<EngineEnd>;
  private end!: (end: EngineEnd) => void;
  private readonly name: string;
  private readonly http: EngineHttp;
  private readonly log: PodLog;
  private readonly watch: WakeableLoop;
  /** The container that has answered: another one is another engine. */
  private answering = { pod: '', restarts: 0 };

  constructor(private readonly options: ClusterEngineOptions) {
    const { service, tokenSecret, cluster, heardUntil, onNews, logger } = options;
    this.name = service.metadata?.name ?? '';
    this.ended = new Promise((resolve) => (this.end = resolve));
    const address = { host: service.spec?.clusterIP ?? '', port: ENGINE_PORT };
    this.http = new EngineHttp(address, new EngineTokens(tokenSecret));
    const hear = (message: string): void => onNews({ kind: 'log', level: 'info', message, container: 'engine' });
    this.log = new PodLog(cluster, hear, heardUntil);
    this.watch = new WakeableLoop(() => this.lookAfter(), {
      name: 'look after an engine in the cluster',
      everyMs: ANSWERING_MS,
      firstAfterMs: ANSWERING_MS,
      logger,
    });
    void this.ended.then(() => this.letGo());
  }

  /**
   * Resolves when it answers, with its model compiled.
   *
   * @throws ModelBroken, EngineFailed with what the engine itself has said, ClusterError, and the signal's reason
   */
  async ready(signal: AbortSignal): Promise<void> {
    const state = await this.podReady(signal);
    this.answering = state;
    await this.warm(signal);
    this.watch.start();
  }

  async request(call: EngineCall): Promise<EngineReply> {
    const began = performance.now();
    try {
      const reply = await this.http.request(call);
      const failed = reply.status >= 400;
      own(reply.body).once('close', () => this.tell(call.route, performance.now() - began, failed));
      return reply;
    } catch (error) {
      if (error instanceof EngineGone) this.watch.wake();
      throw error;
    }
  }

  /** Nodes bring them to the pod within their sync period, of a minute or two. */
  async replaceTokens(tokens: readonly TokenFile[]): Promise<void> {
    await this.options.cluster.replaceSecret(this.options.tokens(tokens));
  }

  /** One that another runtime has taken over goes on. */
  async stop(): Promise<void> {
    this.end({});
    await this.watch.stop();
    const { cluster, holder, logger } = this.options;
    try {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const service = await cluster.service(this.name);
        if (service?.metadata?.annotations?.[HOLDER] !== holder) return;
        if (await cluster.deleteService(service)) return;
      }
    } catch (error) {
      // Whoever owns the deployment ends what nobody holds.
      logger.warn({ engine: this.name, err: error }, 'An engine in the cluster could not be ended now');
    }
  }

  memoryBytes(): undefined {
    return undefined;
  }

  private letGo(): void {
    this.log.close();
    this.http.close();
  }

  private async podReady(signal: AbortSignal): Promise<Extract<PodState, { kind: 'ready' }>> {
    const progress: Progress = { failures: 0 };
    try {
      for (;;) {
        signal.throwIfAborted();
        const state = await this.advance(progress);
        if (state?.kind === 'ready') return state;
        await delay(STARTING_MS, undefined, { signal });
      }
    } catch (error) {
      const reason: unknown = signal.aborted ? signal.reason : error;
      throw reason instanceof EngineFailed ? await this.explained(reason, progress.state) : reason;
    }
  }

  /** @throws EngineFailed for what will not come up, and ClusterError when the API server has been away for long enough */
  private async advance(progress: Progress): Promise<PodState | undefined> {
    const state = await this.look().catch((error: unknown) => {
      if (!(error instanceof ClusterError) || ++progress.failures >= PATIENCE) throw error;
      return undefined;
    });
    if (!state) return undefined;
    Object.assign(progress, { state, failures: 0 });
    if (state.kind === 'failed') throw new EngineFailed(state.why);
    progress.restartsBefore ??= state.restarts;
    if (state.restarts - progress.restartsBefore >= MOST_RESTARTS) {
      throw new EngineFailed('The engine ended while it started');
    }
    return state;
  }

  private async look(): Promise<PodState> {
    const pods = await this.pods();
    const state = podStateOf(pods);
    if (state.kind !== 'failed' && state.pod !== undefined) this.log.follow(state.pod);
    if (pods.length > 0) return state;
    const why = refusalOf(await this.options.cluster.deployment(this.name));
    return why === undefined ? state : { kind: 'failed', why };
  }

  private pods(): Promise<V1Pod[]> {
    return this.options.cluster.pods({ [ENGINE]: this.name });
  }

  /** With what the pod says, and the engine in it. */
  private async explained({ message }: EngineFailed, state: PodState | undefined): Promise<EngineFailed> {
    if (state?.kind !== 'starting') return new EngineFailed(message);
    if (state.pod !== undefined) await this.log.catchUp(state.pod);
    const { last } = this.log;
    const said = last === undefined ? [] : [`its last line is: ${this.options.redact(last)}`];
    return new EngineFailed([message, ...(state.why ? [state.why] : []), ...said].join('; '));
  }

  /** The first reply waits for the compiler. The addresses of a service are known everywhere a moment after it is ready. */
  private async warm(signal: AbortSignal): Promise<void> {
    for (;;) {
      const reply = await this.firstReply(signal).catch((error: unknown) => {
        signal.throwIfAborted();
        if (!(error instanceof EngineGone)) throw error;
        return undefined;
      });
      if (reply?.status === 200) return;
      if (reply && COMPILE_ERRORS.test(reply.error)) {
        throw new ModelBroken([{ message: this.options.redact(reply.error.replace(COMPILE_ERRORS, '')) }]);
      }
      if (reply?.status === 403) throw new EngineFailed('The engine does not know its runtime');
      if (reply) return;
      await delay(STARTING_MS, undefined, { signal });
    }
  }

  private async firstReply(signal: AbortSignal): Promise<{ status: number; error: string }> {
    const call = { route: 'meta', method: 'GET', search: '', body: null, securityContext: {}, signal } as const;
    const { status, body } = await this.http.request(call);
    const content = await text(body);
    return { status, error: status === 200 ? '' : errorIn(content) };
  }

  /** An engine goes on while the API server is away. */
  private async lookAfter(): Promise<void> {
    const pods = await this.pods();
    const state = podStateOf(pods);
    const { pod, restarts } = this.answering;
    if (state.kind === 'failed') return this.end({ fault: state.why });
    if (state.pod !== pod || state.restarts !== restarts) this.end({ fault: endOf(pods) });
  }

  private tell(route: string, durationMs: number, failed: boolean): void {
    this.options.onNews({ kind: 'query', route, durationMs, rows: 0, cached: false, failed });
  }
}

function errorIn(content: string): string {
  try {
    const { error } = JSON.parse(content) as { error?: unknown };
    return typeof error === 'string' ? error : '';
  } catch {
    return '';
  }
}
