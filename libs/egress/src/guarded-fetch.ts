import { request as plainRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as secureRequest } from 'node:https';
import { isIP } from 'node:net';
import type { ReadableStream } from 'node:stream/web';
import { isAllowedAddress, type AddressPolicy } from './address-policy';
import { EgressError } from './egress-error';
import { checkedLookup } from './guard-connections';

export interface EgressLimits extends AddressPolicy {
  /** From the start until the last byte of the answer. */
  timeoutMs: number;
  /** Longest body of an answer. */
  limitBytes: number;
}

export interface EgressRequest {
  method: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  signal?: AbortSignal;
}

/**
 * Calls a server that a user named. The address that was checked is the one connected to, whatever the name service says
 * next; redirections are answers, not followed; plain HTTP takes `allowInsecure`.
 *
 * @throws EgressError when there is no complete answer within the limits.
 */
export async function guardedFetch(url: URL, request: EgressRequest, limits: EgressLimits): Promise<Response> {
  const deadline = AbortSignal.timeout(limits.timeoutMs);
  const signal = request.signal ? AbortSignal.any([deadline, request.signal]) : deadline;
  try {
    requireAllowed(url, limits);
    const answer = await send(url, { ...request, signal }, limits);
    const body = await readBody(answer, url.host, limits.limitBytes);
    return responseOf(answer, body);
  } catch (error) {
    if (error instanceof EgressError) throw error;
    throw new EgressError(signal.aborted ? 'timed-out' : 'unreachable', url.host, error);
  }
}

/**
 * That the policy lets the address be called, as far as it says by itself; names are checked when they are resolved.
 *
 * @throws EgressError `address-refused`
 */
export function requireAllowed({ protocol, hostname, host }: URL, policy: AddressPolicy): void {
  const isSecure = protocol === 'https:' || (protocol === 'http:' && policy.allowInsecure);
  const literal = hostname.replace(/^\[|\]$/g, '');
  // A name is checked when it is resolved; sockets do not resolve what is an address already.
  if (!isSecure || (isIP(literal) !== 0 && !isAllowedAddress(literal, policy))) {
    throw new EgressError('address-refused', host);
  }
}

/** The head of the answer; its body is still to be read. */
export function send(url: URL, { method, headers, body, signal }: EgressRequest, policy: AddressPolicy) {
  const options: RequestOptions = { method, headers: { ...headers }, agent: false, lookup: checkedLookup(policy) };
  if (signal) options.signal = signal;
  return new Promise<IncomingMessage>((answered, failed) => {
    const request = (url.protocol === 'https:' ? secureRequest : plainRequest)(url, options);
    request.once('response', answered).once('error', failed).end(body);
  });
}

async function readBody(answer: IncomingMessage, host: string, limitBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > limitBytes) throw new EgressError('answer-too-large', host);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const WITHOUT_BODY: readonly number[] = [204, 205, 304];

/** The answer as `fetch` has it. */
export function responseOf(
  { statusCode = 502, headers }: IncomingMessage,
  body: Buffer | ReadableStream<Uint8Array>,
): Response {
  const fields = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((text): [string, string] => [name, text]),
  );
  return new Response(WITHOUT_BODY.includes(statusCode) ? null : body, { status: statusCode, headers: fields });
}
