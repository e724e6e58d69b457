import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createInterface } from 'node:readline';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { EngineOrder, EngineReport } from '@plinth/engine';
import { jwtVerify } from 'jose';
import type { FakeModel, FakeQuery } from './fake-model';

const report = (line: EngineReport): boolean => process.stdout.write(`${JSON.stringify(line)}\n`);

/**
 * An engine whose behaviour its model and each request decide, so that tests can have it die, wait and be broken at a
 * moment of their choice. Process, pipes, socket and tokens are those of the real one.
 */
async function main(): Promise<void> {
  const lines = createInterface({ input: process.stdin });
  lines.once('close', () => process.exit(0));
  const order = await new Promise<EngineOrder>((resolve) =>
    lines.once('line', (line) => resolve(JSON.parse(line) as EngineOrder)),
  );
  const model = JSON.parse(order.model[0]?.content ?? '{}') as FakeModel;
  if (model.says !== undefined) process.stderr.write(`${model.says}\n`);
  if (model.startMs !== undefined) await pause(model.startMs);
  if (model.diesAtStart) process.kill(process.pid, 'SIGKILL');
  if (model.broken) return leave({ kind: 'broken', problems: model.broken });
  if (model.fails !== undefined) return leave({ kind: 'failed', message: model.fails });
  serve(order, model);
}

function leave(last: EngineReport): void {
  process.stdout.write(`${JSON.stringify(last)}\n`, () => process.exit(1));
}

function serve(order: EngineOrder, model: FakeModel): void {
  const key = new TextEncoder().encode(order.tokenSecret);
  const server = createServer((request, response) => {
    answer(request, response, { key, order, model }).catch((error: unknown) => {
      response.writeHead(500).end(JSON.stringify({ error: String(error) }));
    });
  });
  server.listen(order.socketPath, () => report({ kind: 'ready', native: 'stand-in' }));
  process.on('SIGTERM', () => server.close(() => process.exit(0)));
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { key, order, model }: { key: Uint8Array; order: EngineOrder; model: FakeModel },
): Promise<void> {
  const began = performance.now();
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://engine');
  const route = pathname.replace('/cubejs-api/v1/', '');
  const { payload } = await jwtVerify(request.headers.authorization ?? '', key);
  const query = (request.method === 'POST' ? await json(request) : Object.fromEntries(searchParams)) as FakeQuery;
  report({ kind: 'log', level: 'info', message: `received ${route}`, container: 'engine' });
  response.once('close', () => {
    if (!response.writableEnded) report({ kind: 'log', level: 'info', message: 'cancelled', container: 'engine' });
  });
  if (query.delayMs !== undefined) await pause(Number(query.delayMs));
  if (query.dies !== undefined) process.kill(process.pid, 'SIGKILL');
  if (query.logs !== undefined) report({ kind: 'log', level: 'info', message: query.logs, container: 'engine' });
  response.writeHead(Number(query.status ?? 200), { 'content-type': 'application/json' });
  if (query.bytes !== undefined) await flood(response, Number(query.bytes));
  const { variables, transpiled } = order;
  response.end(JSON.stringify({ answer: model.answer, route, claims: payload, variables, transpiled }));
  const durationMs = performance.now() - began;
  report({ kind: 'query', route, durationMs, rows: 1, cached: false, failed: false });
}

/** So many bytes of a reply, no faster than they are read. */
async function flood(response: ServerResponse, bytes: number): Promise<void> {
  const chunk = Buffer.alloc(65_536, ' ');
  for (let left = bytes; left > 0 && !response.destroyed; left -= chunk.length) {
    if (!response.write(chunk)) await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
  }
}

void main();
