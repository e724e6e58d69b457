import { EventEmitter, on } from 'node:events';
import type { Readable } from 'node:stream';
import { readLines } from '@plinth/streams';
import { z } from 'zod';
import type { EngineOrder, PrepareOrder, ProbeOrder } from '../protocol';

const MAX_BYTES = 256 << 20;
const count = z.int().positive();
const file = z.object({ path: z.string(), content: z.string() });

const common = {
  limits: z.object({
    defaultRows: count,
    maxRows: count,
    queryMs: count,
    concurrency: count,
    cacheBytes: count,
    modelMemoryBytes: count,
    modelCallMs: count,
  }),
  sandbox: z.object({
    kind: z.enum(['namespace', 'user', 'container', 'none']),
    users: z.object({ first: count, last: count }),
    socket: z.string().optional(),
  }),
};

const engine: z.ZodType<EngineOrder> = z.object({
  ...common,
  socketPath: z.string().min(1),
  tokenSecret: z.string().min(32),
  variables: z.record(z.string(), z.string()),
  tokenPaths: z.record(z.string(), z.string()),
  model: z.array(file),
  modelRoot: z.string(),
  configuration: z.string().optional(),
  transpiled: z.array(z.tuple([z.string(), z.string()])),
  checked: z.boolean(),
  privateAddresses: z.boolean(),
});

const prepare: z.ZodType<PrepareOrder> = z.object({ kind: z.literal('prepare'), ...common });

const probe: z.ZodType<ProbeOrder> = z.object({
  kind: z.literal('probe'),
  variables: z.record(z.string(), z.string()),
  tokenPaths: z.record(z.string(), z.string()),
  privateAddresses: z.boolean(),
  timeoutMs: count,
});

export type Order = EngineOrder | PrepareOrder | ProbeOrder;

/** The lines of the stream, as they come. What they hold is in no message. */
export async function* readOrders(stream: Readable): AsyncGenerator<Order, never> {
  const lines = new EventEmitter();
  readLines(stream, MAX_BYTES, (line) => lines.emit('line', line));
  for await (const [line] of on(lines, 'line') as AsyncIterableIterator<[string]>) yield orderIn(line);
  throw new Error('There is no order');
}

function orderIn(text: string): Order {
  const line = parsed(text);
  const { data, error } = schemaOf(line).safeParse(line);
  if (data) return data;
  throw new Error(`The order cannot be read: ${error.issues.map(({ path }) => path.join('.')).join(', ')}`);
}

function schemaOf(line: unknown): z.ZodType<Order> {
  if (typeof line !== 'object' || line === null || !('kind' in line)) return engine;
  return line.kind === 'prepare' ? prepare : probe;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
