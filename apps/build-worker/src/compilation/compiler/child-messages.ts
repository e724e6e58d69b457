import type { Readable } from 'node:stream';
import { z } from 'zod';
import { type ChildMessage, MAX_ERRORS, MAX_MESSAGE } from './compile-result';

const MAX_PATH = 4_096;
const place = { fileName: z.string().max(MAX_PATH).exactOptional(), line: z.int().positive().exactOptional() };
const result = z.object({
  valid: z.boolean(),
  errors: z.array(z.object({ message: z.string().max(MAX_MESSAGE), ...place })).max(MAX_ERRORS),
  cubesCount: z.int().nonnegative(),
  aborted: z.literal(true).exactOptional(),
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
  private parts: Buffer[] = [];
  private received = 0;
  private broken = false;

  constructor(
    stream: Readable,
    private readonly heard: (message: ChildMessage | undefined) => void,
  ) {
    stream.on('data', (chunk: Buffer) => this.take(chunk));
  }

  /** Allows the bytes of another job. */
  expectJob(): void {
    this.received = 0;
  }

  private take(chunk: Buffer): void {
    this.received += chunk.length;
    if (this.received > MAX_BYTES) return this.breakOff();
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0 && !this.broken; end = chunk.indexOf(10, start)) {
      this.parts.push(chunk.subarray(start, end));
      start = end + 1;
      this.hear(Buffer.concat(this.parts.splice(0)).toString('utf8'));
    }
    if (!this.broken) this.parts.push(chunk.subarray(start));
  }

  private hear(line: string): void {
    const { data } = message.safeParse(parsed(line));
    if (data) this.heard(data);
    else this.breakOff();
  }

  private breakOff(): void {
    if (this.broken) return;
    this.broken = true;
    this.parts = [];
    this.heard(undefined);
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
