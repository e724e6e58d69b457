import { OrchestratorApi } from '@cubejs-backend/server-core/dist/src/core/OrchestratorApi';
import type { Redactor } from '@plinth/redaction';
import type { QueryTracker } from './query-tracker';

interface Query {
  requestId?: string;
  context?: { securityContext?: unknown };
  queuePriority?: number;
}

/** The queue's priority of what somebody waits for. */
const INTERACTIVE = 10;
/** The queue takes priorities down to -10000. */
const MOST = 5_000;

/**
 * Queries wait for the source in a queue, and those of whoever has fewest in it go first: nobody keeps others from their
 * turn by asking much.
 */
export class FairOrchestratorApi extends OrchestratorApi {
  private readonly waiting = new Map<string, number>();

  constructor(
    private readonly tracker: QueryTracker,
    private readonly redactor: Redactor,
    ...rest: ConstructorParameters<typeof OrchestratorApi>
  ) {
    super(...rest);
  }

  override async executeQuery(query: Query): Promise<unknown> {
    const who = JSON.stringify(query.context?.securityContext ?? null);
    const before = this.waiting.get(who) ?? 0;
    this.waiting.set(who, before + 1);
    try {
      const result: unknown = await super.executeQuery({
        ...query,
        queuePriority: INTERACTIVE - Math.min(before, MOST),
      } as never);
      this.tracker.answered(query.requestId, result);
      return result;
    } catch (error) {
      throw this.withoutSecrets(error);
    } finally {
      const left = (this.waiting.get(who) ?? 1) - 1;
      if (left > 0) this.waiting.set(who, left);
      else this.waiting.delete(who);
    }
  }

  /** Messages of drivers are passed on as they are. */
  private withoutSecrets(thrown: unknown): unknown {
    const { error } = (thrown ?? {}) as { error?: unknown };
    if (typeof error !== 'string') return thrown;
    return { ...(thrown as object), error: this.redactor.clean(error) };
  }
}
