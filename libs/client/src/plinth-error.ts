import type { components } from './generated/api';

type ErrorBody = components['schemas']['Error'];

/** A reply that is no success. Its message is the platform's own sentence. */
export class PlinthError extends Error {
  /** For programs, for example `deployment.not_found`; undefined when something in front of the platform answered. */
  readonly code: string | undefined;
  /** Leads an operator to the cause. */
  readonly requestId: string | undefined;
  /** Every problem of a request that breaks the contract, with the JSON pointer of the value. */
  readonly details: ErrorBody['details'];

  constructor(
    /** HTTP status. */
    readonly status: number,
    body: unknown,
  ) {
    const error = (typeof body === 'object' ? (body ?? {}) : {}) as Partial<ErrorBody>;
    super(error.message ?? `The platform answered with status ${status}`);
    this.name = 'PlinthError';
    this.code = error.code;
    this.requestId = error.requestId;
    this.details = error.details;
  }
}

interface Result<Data> {
  data?: Data | undefined;
  error?: unknown;
  response: { status: number; ok: boolean };
}

/**
 * The data of a reply.
 *
 * @throws PlinthError when the reply is no success.
 */
export async function unwrap<Data>(pending: Promise<Result<Data>>): Promise<Data> {
  const { data, error, response } = await pending;
  if (!response.ok) throw new PlinthError(response.status, error);
  return data as Data;
}
