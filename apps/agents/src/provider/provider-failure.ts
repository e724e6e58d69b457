import { EgressError } from '@plinth/egress';
import { APICallError } from 'ai';

/** Why a provider gave no answer. */
export type ProviderFailure =
  'key-refused' | 'not-found' | 'busy' | 'failed' | 'request-refused' | 'unreachable' | 'not-understood';

/** A failure of a provider, with what people may know of it: nothing that was sent or received. */
export interface ProviderProblem {
  failure: ProviderFailure;
  sentence: string;
}

export function problemOf(thrown: unknown): ProviderProblem {
  for (const error of causesOf(thrown)) {
    if (error instanceof EgressError) {
      return { failure: 'unreachable', sentence: `The language model's server ${error.message}.` };
    }
    if (APICallError.isInstance(error) && (error.statusCode ?? 0) >= 400) return ofStatus(error.statusCode ?? 0);
  }
  return { failure: 'not-understood', sentence: "The language model's answer could not be understood." };
}

function* causesOf(thrown: unknown): Generator<unknown> {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 8; depth += 1) {
    yield error;
    error = error.cause;
  }
}

function ofStatus(status: number): ProviderProblem {
  const [failure, what] = meaningOf(status);
  return { failure, sentence: `${what} (${status}).` };
}

function meaningOf(status: number): [ProviderFailure, string] {
  if (status === 401 || status === 403) return ['key-refused', "The language model's server refuses the key"];
  if (status === 404) return ['not-found', 'The language model or its server is not at the address that is set'];
  if (status === 429) {
    return ['busy', "The language model's server has too much to do, or the account there is spent"];
  }
  if (status >= 500) return ['failed', "The language model's server failed"];
  return ['request-refused', "The language model's server refused the request"];
}
