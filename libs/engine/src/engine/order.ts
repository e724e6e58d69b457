import type { Readable } from 'node:stream';
import { readLines } from '@plinth/streams';
import { z } from 'zod';
import type { EngineOrder, ProbeOrder } from '../protocol';

const MAX_BYTES = 256 << 20;
const count = z.int().positive();
const file = z.object({ path: z.string(), content: z.string() });

const engine: z.ZodType<EngineOrder> = z.object({
  socketPath: z.string().min(1),
  tokenSecret: z.string().min(32),
  variables: z.record(z.string(), z.string()),
  tokenPaths: z.record(z.string(), z.string()),
  model: z.array(file),
  modelRoot: z.string(),
  configuration: z.string().optional(),
  transpiled: z.array(z.tuple([z.string(), z.string()])),
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
  privateAddresses: z.boolean(),
});

const probe: z.ZodType<ProbeOrder> = z.object({
  kind: z.literal('probe'),
  variables: z.record(z.string(), z.string()),
  tokenPaths: z.record(z.string(), z.string()),
  privateAddresses: z.boolean(),
  timeoutMs: count,
});

/** The first line of the stream. What it holds is in no message. */
export function readOrder(stream: Readable): Promise<EngineOrder | ProbeOrder> {
  return new Promise((resolve, reject) => {
    readLines(stream, MAX_BYTES, (text) => {
      const line = parsed(text);
      const { data, error } = isProbe(line) ? probe.safeParse(line) : engine.safeParse(line);
      if (data) resolve(data);
      else reject(new Error(`The order cannot be read: ${error.issues.map(({ path }) => path.join('.')).join(', ')}`));
    });
  });
}

const isProbe = (line: unknown): boolean => typeof line === 'object' && line !== null && 'kind' in line;

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
