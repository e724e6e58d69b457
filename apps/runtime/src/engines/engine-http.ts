import { Agent, request as send, type ClientRequest, type IncomingMessage } from 'node:http';
import { own } from '@plinth/streams';
import { EngineGone, type EngineCall, type EngineReply } from './engine-driver';
import type { EngineTokens } from './engine-tokens';

const BASE_PATH = '/cubejs-api/v1';
/** Headers of an engine's reply that concern its client. */
const PASSED_ON = ['content-type', 'content-encoding', 'retry-after'];

/** Where an engine answers: a unix socket, or a port. */
export type EngineAddress = { socketPath: string } | { host: string; port: number };

/** Requests to one engine, on connections that are kept. */
export class EngineHttp {
  private readonly agent = new Agent({ keepAlive: true });

  constructor(
    private readonly address: EngineAddress,
    private readonly tokens: EngineTokens,
  ) {}

  /** @throws EngineGone when the connection ends before the reply begins, and the reason of the call's signal */
  async request({ route, method, search, body, securityContext, signal }: EngineCall): Promise<EngineReply> {
    const token = await this.tokens.for(securityContext);
    signal?.throwIfAborted();
    const content = body === null || body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const request = own(
      send({
        ...this.address,
        agent: this.agent,
        method,
        path: `${BASE_PATH}/${route}${search === '' ? '' : `?${search}`}`,
        headers: {
          host: 'engine',
          authorization: token,
          ...(content && { 'content-type': 'application/json', 'content-length': content.length }),
        },
      }),
    );
    request.end(content);
    const response = await responseTo(request, signal);
    return { status: response.statusCode ?? 502, headers: passedOn(response), body: response };
  }

  close(): void {
    this.agent.destroy();
  }
}

/** A signal that comes later ends the reply's body. */
function responseTo(request: ClientRequest, signal: AbortSignal | undefined): Promise<IncomingMessage> {
  const abort = (): void => void request.destroy(signal?.reason as Error);
  signal?.addEventListener('abort', abort, { once: true });
  return new Promise<IncomingMessage>((resolve, reject) => {
    let isAnswered = false;
    request.once('response', (response: IncomingMessage) => {
      isAnswered = true;
      resolve(own(response));
    });
    request.once('close', () => {
      signal?.removeEventListener('abort', abort);
      if (isAnswered) return;
      reject(signal?.aborted ? (signal.reason as Error) : new EngineGone('The engine ended before it answered'));
    });
  });
}

function passedOn({ headers }: IncomingMessage): Record<string, string> {
  const kept = PASSED_ON.flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value]] : [];
  });
  return Object.fromEntries(kept) as Record<string, string>;
}
