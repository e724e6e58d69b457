import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import type { StreamReply } from '@plinth/messaging';
import { requestContext } from '@plinth/observability';
import { ownedBytes, unlessAborted } from '@plinth/streams';
import { EngineFailed, EngineGone, EngineRegistry, ModelBroken, type EngineReply, type Wanted } from '../engines';
import { EngineTargets, type BranchPlace } from './engine-targets';
import { Patience, StillWaiting } from './patience';
import { QueryTurns } from './query-turns';

type Query = BodyOf<'queryEngine'>;

/** How long a client waits before it is told to ask again, as the engine has it for slow queries. */
const PATIENCE_MS = 10_000;
/** How often a first build is looked at that somebody waits for. */
const BUILDING_MS = 500;
const RETRY_AFTER_S = 5;

/** Passes requests on to engines, each in its turn, and their replies back as they come. */
@Injectable()
export class QueriesService {
  constructor(
    private readonly targets: EngineTargets,
    private readonly engines: EngineRegistry,
    private readonly turns: QueryTurns,
  ) {}

  /**
   * @throws AppError `branch.not_found` (404), `engine.model_broken` (400), `request.rate_limited` (429),
   *   `engine.limit_reached` and `engine.unavailable` (503)
   */
  async query({ tenantId }: Principal, deploymentId: number, query: Query): Promise<StreamReply> {
    const { branchName, isProduction, caller } = query;
    const patience = new Patience(PATIENCE_MS);
    const ends: (() => void)[] = [];
    const end = (): void => {
      for (const each of ends.splice(0).reverse()) each();
    };
    try {
      const wanted = await this.wanted({ tenantId, deploymentId, branchName, isProduction }, patience.signal);
      ends.push(await this.turns.enter({ tenantId, deploymentId, caller }, patience.signal));
      const reply = await this.ask(wanted, query, patience.signal, ends);
      reply.body.once('close', end);
      return streamed(reply);
    } catch (error) {
      end();
      // An engine that died may have died of this request: whoever wants that makes it again.
      if (error instanceof StillWaiting || error instanceof EngineGone) return continueWait();
      throw toClient(error);
    } finally {
      patience.end();
    }
  }

  /** A branch that has never been built is waited for. */
  private async wanted(place: BranchPlace, signal: AbortSignal): Promise<Wanted> {
    for (;;) {
      const target = await unlessAborted(this.targets.of(place), signal);
      if (target.kind === 'served') return target.wanted;
      if (target.kind === 'none') throw target.error;
      await delay(BUILDING_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }

  private async ask(
    wanted: Wanted,
    { route, method, search, body, securityContext }: Query,
    signal: AbortSignal,
    ends: (() => void)[],
  ): Promise<EngineReply> {
    const lease = await this.engines.use(wanted, signal);
    ends.push(() => lease.release());
    return lease.request({ route, method, search, body, securityContext, signal: requestContext()?.signal });
  }
}

const streamed = ({ status, headers, body }: EngineReply): StreamReply => ({
  headers: { ...headers, status: String(status) },
  stream: ownedBytes(body),
});

/** What the public client takes as "ask again", which it does by itself. */
const continueWait = (): StreamReply => ({
  headers: { status: '200', 'content-type': 'application/json; charset=utf-8' },
  stream: (async function* () {
    yield Buffer.from('{"error":"Continue wait"}');
  })(),
});

function toClient(error: unknown): unknown {
  if (error instanceof ModelBroken) return new AppError('engine.model_broken', error.message);
  if (!(error instanceof EngineFailed)) return error;
  return new AppError('engine.unavailable', error.message, { retryAfterSeconds: RETRY_AFTER_S });
}
