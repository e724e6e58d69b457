import { existsSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { EngineOrder } from '@plinth/engine';
import { jwtVerify } from 'jose/jwt/verify';
import type { FakeModel, FakeQuery } from './fake-model';

const HELD_POLL_MS = 20;

export interface FakeServer {
  tokenSecret: string;
  model: FakeModel;
  /** What the answers show of the environment. */
  variables: Readonly<Record<string, string>>;
  /** What the answers show of what the build has handed over. */
  transpiled?: EngineOrder['transpiled'];
  checked?: boolean;
  log(message: string): void;
  queried?(route: string, durationMs: number): void;
}

/** Answers requests as their queries say. */
export function fakeAnswers(server: FakeServer): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    answer(request, response, server).catch((error: unknown) => {
      response.writeHead(500).end(JSON.stringify({ error: String(error) }));
    });
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { tokenSecret, model, variables, transpiled, checked, log, queried }: FakeServer,
): Promise<void> {
  const began = performance.now();
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://engine');
  const route = pathname.replace('/cubejs-api/v1/', '');
  const { payload } = await jwtVerify(request.headers.authorization ?? '', new TextEncoder().encode(tokenSecret));
  const query = (request.method === 'POST' ? await json(request) : Object.fromEntries(searchParams)) as FakeQuery;
  log(`received ${route}`);
  response.once('close', () => {
    if (!response.writableEnded) log('cancelled');
  });
  if (query.delayMs !== undefined) await pause(Number(query.delayMs));
  while (query.heldBy !== undefined && existsSync(query.heldBy)) await pause(HELD_POLL_MS);
  if (query.dies !== undefined) process.kill(process.pid, 'SIGKILL');
  if (query.logs !== undefined) log(query.logs);
  response.writeHead(Number(query.status ?? 200), { 'content-type': 'application/json' });
  if (query.bytes !== undefined) await flood(response, Number(query.bytes));
  response.end(JSON.stringify({ answer: model.answer, route, claims: payload, variables, transpiled, checked }));
  queried?.(route, performance.now() - began);
}

/** So many bytes of a reply, no faster than they are read. */
async function flood(response: ServerResponse, bytes: number): Promise<void> {
  const chunk = Buffer.alloc(65_536, ' ');
  for (let left = bytes; left > 0 && !response.destroyed; left -= chunk.length) {
    if (!response.write(chunk)) await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
  }
}
