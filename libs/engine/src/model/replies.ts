import type { Readable } from 'node:stream';
import { readLines } from '@plinth/streams';
import { z } from 'zod';
import { MAX_MESSAGE, MAX_PROBLEMS, type ModelMessage } from './messages';

/** Bytes of one message: the description of a large model. */
const MAX_BYTES = 64 << 20;
const MAX_PATH = 4_096;
const MAX_TRANSPILED = 10_000;
const text = z.string().max(MAX_MESSAGE);

const message: z.ZodType<ModelMessage> = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('ready'),
    features: z.object({ policies: z.boolean(), rewrites: z.boolean(), perContext: z.boolean() }),
    transpiled: z.array(z.tuple([z.string().max(64), z.string()])).max(MAX_TRANSPILED),
    warnings: z.array(text).max(MAX_PROBLEMS),
  }),
  z.object({
    kind: z.literal('broken'),
    problems: z
      .array(
        z.object({
          message: text,
          fileName: z.string().max(MAX_PATH).exactOptional(),
          line: z.int().positive().exactOptional(),
        }),
      )
      .min(1)
      .max(MAX_PROBLEMS),
  }),
  z.object({ kind: z.literal('value'), value: z.unknown() }),
  z.object({ kind: z.literal('error'), message: text }),
  z.object({ kind: z.literal('idle') }),
]);

/**
 * Reads what a model process says, which may be hostile: a flood, or a message that is none, is `undefined`, and the last
 * thing that is heard. No name in a message reaches into the prototypes of objects here.
 */
export function readReplies(stream: Readable, heard: (message: ModelMessage | undefined) => void): void {
  let broken = false;
  readLines(stream, MAX_BYTES, (line, end) => {
    // What a process says as it dies is told by its end.
    if (broken || end === 'stream') return;
    const { data } = message.safeParse(end === 'limit' ? undefined : parsed(line));
    broken = data === undefined;
    heard(data);
  });
}

function parsed(line: string): unknown {
  try {
    // An escape may spell it.
    if (!/__proto__|\\u/.test(line)) return JSON.parse(line);
    return JSON.parse(line, function (this: object, key, value: unknown) {
      return key === '__proto__' ? undefined : value;
    });
  } catch {
    return undefined;
  }
}
