import { EgressError } from '@plinth/egress';
import { APICallError } from 'ai';

/** What people may know of a failure of the provider: nothing that was sent or received. */
export function sentenceOf(thrown: unknown): string {
  for (const error of causesOf(thrown)) {
    if (error instanceof EgressError) return `The language model's server ${error.message}.`;
    if (APICallError.isInstance(error) && (error.statusCode ?? 0) >= 400) return ofStatus(error.statusCode ?? 0);
  }
  return "The language model's answer could not be understood.";
}

function* causesOf(thrown: unknown): Generator<unknown> {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 8; depth += 1) {
    yield error;
    error = error.cause;
  }
}

function ofStatus(status: number): string {
  if (status === 401 || status === 403) return `The language model's server refuses the key (${status}).`;
  if (status === 404) return 'The language model or its server is not at the address that is set (404).';
  if (status === 429) return "The language model's server has too much to do, or the account there is spent (429).";
  if (status >= 500) return `The language model's server failed (${status}).`;
  return `The language model's server refused the request (${status}).`;
}
