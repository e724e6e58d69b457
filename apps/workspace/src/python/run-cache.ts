import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { QueryCaller } from '@plinth/queries';
import type { PythonRun } from './python-run';

/** A program over the rows of a query. */
export interface Analysis {
  reportId: number;
  code: string;
  /** All that decides which rows there are; JSON. */
  query: unknown;
}

const MINUTE_MS = 60_000;
const LIMIT_BYTES = 64 << 20;

/** Results of programs, for a minute each. */
export class RunCache {
  private readonly runs: LRUCache<string, PythonRun>;

  /** @param now - milliseconds of a clock that does not jump */
  constructor(now: () => number = () => performance.now()) {
    this.runs = new LRUCache({
      ttl: MINUTE_MS,
      ttlResolution: 0,
      maxSize: LIMIT_BYTES,
      sizeCalculation: (run) => 1_000 + JSON.stringify([run.result, run.stdout, run.stderr, run.columns]).length,
      perf: { now },
    });
  }

  get(caller: QueryCaller, analysis: Analysis): PythonRun | undefined {
    return this.runs.get(keyOf(caller, analysis));
  }

  /** Failures are not kept. */
  keep(caller: QueryCaller, analysis: Analysis, run: PythonRun): void {
    if (run.failure === null) this.runs.set(keyOf(caller, analysis), run);
  }
}

/** Nobody gets what was made of the rows of another, nor of one's own under another security context. */
function keyOf({ principal, deploymentId, environment, securityContext }: QueryCaller, analysis: Analysis): string {
  const { tenantId, userId, embed, credentialId } = principal;
  const who = embed?.embedUserId ?? userId ?? credentialId;
  const { reportId, code, query } = analysis;
  const parts = [tenantId, deploymentId, environment, principal.kind, who, securityContext, reportId, code, query];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}
