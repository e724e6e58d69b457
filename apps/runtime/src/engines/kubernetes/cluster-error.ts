import { AppError } from '@plinth/errors';

const RETRY_AFTER_S = 5;

/** The API server has refused, or has not answered. What users are told names nothing of the cluster. */
export class ClusterError extends AppError {
  override readonly name = 'ClusterError';

  /**
   * @param answered status of the API server's reply; undefined without one
   * @param reason for operators: what was tried and why it failed, without contents of objects
   */
  constructor(
    readonly answered: number | undefined,
    readonly reason: string,
  ) {
    super('engine.unavailable', 'Engines cannot be started at the moment: try again later', {
      retryAfterSeconds: RETRY_AFTER_S,
      cause: new Error(reason),
    });
  }
}

/** What of an error of the client's is fit for a log: bodies may repeat what was sent. */
export function clusterErrorOf(what: string, error: unknown): ClusterError {
  const { code, body, name, cause, errno } = (error ?? {}) as Record<string, unknown>;
  if (typeof code !== 'number') {
    const why = [code, errno, name].find((each) => typeof each === 'string') ?? 'no answer';
    const { code: below } = (cause ?? {}) as { code?: unknown };
    return new ClusterError(undefined, `${what}: ${typeof below === 'string' ? below : String(why)}`);
  }
  return new ClusterError(code, `${what}: ${code} ${reasonIn(body)}`.trimEnd());
}

function reasonIn(body: unknown): string {
  const { reason } = (typeof body === 'string' ? parsed(body) : (body ?? {})) as { reason?: unknown };
  return typeof reason === 'string' ? reason : '';
}

function parsed(text: string): object {
  try {
    return (JSON.parse(text) ?? {}) as object;
  } catch {
    return {};
  }
}

export const hasStatus = (error: unknown, ...statuses: readonly number[]): boolean =>
  error instanceof ClusterError && error.answered !== undefined && statuses.includes(error.answered);
