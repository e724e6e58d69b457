import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { endingEvents, message, messageEvents } from './anthropic-replies';
import { closingEvents, completion, openingEvents, type ScriptedReply } from './replies';

/** A request as the model got it. */
export interface ModelRequest {
  /** The key, as the protocol has it. */
  authorization: string | undefined;
  body: {
    model: string;
    stream?: boolean;
    messages: { role: string; content?: unknown; tool_calls?: unknown[] }[];
    tools?: { function: { name: string } }[];
    tool_choice?: unknown;
  };
}

/**
 * A server with the chat completions of OpenAI, and the messages of Anthropic, which says what a script says. It is no
 * language model.
 */
export interface ScriptedModel {
  baseUrl: string;
  /** What has been asked, oldest first. */
  requests: ModelRequest[];
  /** Number of requests that ended because the client had gone. */
  abandoned(): number;
  /** What is answered next, one reply a request; when there are no more, the last one again. A function sees the request. */
  script(...replies: (ScriptedReply | ((request: ModelRequest) => ScriptedReply))[]): void;
  stop(): Promise<void>;
}

export async function startScriptedModel(): Promise<ScriptedModel> {
  const requests: ModelRequest[] = [];
  let replies: (ScriptedReply | ((request: ModelRequest) => ScriptedReply))[] = [{ says: 'ok' }];
  let abandoned = 0;
  const next = (request: ModelRequest): ScriptedReply => {
    const reply = (replies.length > 1 ? replies.shift() : replies[0]) ?? { says: '' };
    return typeof reply === 'function' ? reply(request) : reply;
  };
  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const authorization = incoming.headers.authorization ?? incoming.headers['x-api-key']?.toString();
    const request = { authorization, body: JSON.parse(await text(incoming)) as ModelRequest['body'] };
    response.once('close', () => (abandoned += response.writableEnded ? 0 : 1));
    requests.push(request);
    const protocol = incoming.url?.endsWith('/messages') ? anthropic : openAi;
    await answer(response, next(request), protocol, request.body.stream === true);
  };
  const server = createServer((incoming, response) => {
    serve(incoming, response).catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    abandoned: () => abandoned,
    script: (...next) => {
      replies = next;
      requests.length = 0;
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** How a reply is written. */
interface Protocol {
  whole(reply: ScriptedReply): object;
  opening(reply: ScriptedReply): Iterable<string>;
  closing(reply: ScriptedReply): string;
}

const openAi: Protocol = { whole: completion, opening: openingEvents, closing: closingEvents };
const anthropic: Protocol = { whole: message, opening: messageEvents, closing: endingEvents };

async function answer(
  response: ServerResponse,
  reply: ScriptedReply,
  { whole, opening, closing }: Protocol,
  isStream: boolean,
): Promise<void> {
  if ('status' in reply) {
    response.writeHead(reply.status, { 'content-type': 'application/json' });
    return void response.end(reply.body ?? '{"error":{"message":"scripted"}}');
  }
  response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
  if ('bytes' in reply) return void response.end(reply.bytes);
  if (!isStream) return void response.end(JSON.stringify(whole(reply)));
  response.flushHeaders();
  for (const event of opening(reply)) {
    response.write(event);
    if ('everyMs' in reply) await delay(reply.everyMs);
  }
  if ('stalls' in reply) await (reply.stalls === true ? new Promise<void>(() => undefined) : reply.stalls);
  if ('isCut' in reply) return void response.destroy();
  response.end(closing(reply));
}
