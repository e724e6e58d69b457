import type { IncomingMessage } from 'node:http';
import { ReadableStream } from 'node:stream/web';
import { EgressError } from './egress-error';
import { requireAllowed, responseOf, send, type EgressLimits, type EgressRequest } from './guarded-fetch';

/**
 * As `guardedFetch`, for answers that come bit by bit: the body is read as it is consumed. The time limit holds for each
 * silence of the server, the one before its first byte among them, and not for the time that the reader takes.
 *
 * @throws EgressError when there is no answer; later, reading the body fails with one.
 */
export async function guardedStream(url: URL, request: EgressRequest, limits: EgressLimits): Promise<Response> {
  const silence = new Silence(limits.timeoutMs);
  const signal = request.signal ? AbortSignal.any([silence.signal, request.signal]) : silence.signal;
  try {
    requireAllowed(url, limits);
    silence.begin();
    const answer = await send(url, { ...request, signal }, limits);
    silence.end();
    return responseOf(answer, ReadableStream.from(parts(answer, url.host, limits, silence)));
  } catch (error) {
    silence.end();
    throw failure(error, url.host, silence);
  }
}

async function* parts(
  answer: IncomingMessage,
  host: string,
  { limitBytes }: EgressLimits,
  silence: Silence,
): AsyncGenerator<Uint8Array> {
  let length = 0;
  try {
    silence.begin();
    for await (const part of answer as AsyncIterable<Buffer>) {
      silence.end();
      length += part.length;
      if (length > limitBytes) throw new EgressError('answer-too-large', host);
      yield part;
      silence.begin();
    }
  } catch (error) {
    throw failure(error, host, silence);
  } finally {
    silence.end();
    answer.destroy();
  }
}

function failure(error: unknown, host: string, { signal }: Silence): EgressError {
  if (error instanceof EgressError) return error;
  return new EgressError(signal.aborted ? 'timed-out' : 'unreachable', host, error);
}

/** Aborts its signal when a silence lasts too long. */
class Silence {
  private readonly controller = new AbortController();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly limitMs: number) {}

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  begin(): void {
    this.end();
    this.timer = setTimeout(() => this.controller.abort(), this.limitMs);
  }

  end(): void {
    clearTimeout(this.timer);
  }
}
