import type { Readable } from 'node:stream';
import { readLines } from '@plinth/streams';
import { z } from 'zod';
import { type ChildMessage, MAX_ERRORS, MAX_MEMBERS_LENGTH, MAX_MESSAGE, MAX_TRANSPILED_FILES } from './compile-result';

const MAX_PATH = 4_096;
export const transpiled = z.array(z.tuple([z.string().regex(/^[0-9a-f]{32}$/), z.string()])).max(MAX_TRANSPILED_FILES);
const place = { fileName: z.string().max(MAX_PATH).exactOptional(), line: z.int().positive().exactOptional() };
const names = z.array(z.string());
const cube = z.object({
  name: z.string(),
  kind: z.enum(['cube', 'view']),
  measures: names,
  dimensions: names,
  segments: names,
});
const members = z.array(cube).refine((cubes) => JSON.stringify(cubes).length <= MAX_MEMBERS_LENGTH);
const result = z.object({
  valid: z.boolean(),
  errors: z.array(z.object({ message: z.string().max(MAX_MESSAGE), ...place })).max(MAX_ERRORS),
  cubesCount: z.int().nonnegative(),
  members: members.nullable().exactOptional(),
  aborted: z.literal(true).exactOptional(),
  transpiled: transpiled.exactOptional(),
});
const message: z.ZodType<ChildMessage> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready') }),
  z.object({ kind: z.literal('begun'), id: z.string() }),
  z.object({ kind: z.literal('file'), path: z.string().max(MAX_PATH) }),
  z.object({ kind: z.literal('result'), id: z.string(), result }),
]);

/** Bytes of all messages of one job. */
const MAX_BYTES = 16 << 20;

/**
 * Reads what a child says, which may be hostile: a flood, or a message that is none, is `undefined`, and the last thing
 * that is heard.
 */
export class ChildMessages {
  private received = 0;
  private broken = false;

  constructor(
    stream: Readable,
    private readonly heard: (message: ChildMessage | undefined) => void,
  ) {
    readLines(stream, MAX_BYTES, (line, end) => {
      // What a child says as it dies is told by its end.
      if (!this.broken && end !== 'stream') this.hear(end === 'limit' ? undefined : line);
    });
  }

  /** Allows the bytes of another job. */
  expectJob(): void {
    this.received = 0;
  }

  private hear(line = ''): void {
    this.received += line.length;
    const { data } = message.safeParse(this.received > MAX_BYTES ? undefined : parsed(line));
    this.broken = data === undefined;
    this.heard(data);
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
