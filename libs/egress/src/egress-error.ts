export type EgressFailure = 'address-refused' | 'unreachable' | 'timed-out' | 'answer-too-large';

const descriptions: Readonly<Record<EgressFailure, string>> = {
  'address-refused': 'its network must not be used',
  unreachable: 'could not be reached',
  'timed-out': 'did not answer in time',
  'answer-too-large': 'sent an answer that is too large',
};

/** No answer came. The message names the host and nothing else of the request. */
export class EgressError extends Error {
  constructor(
    readonly failure: EgressFailure,
    host: string,
    cause?: unknown,
  ) {
    super(`${host}: ${descriptions[failure]}`, { cause });
    this.name = 'EgressError';
  }
}
