import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import type { Exit, Program } from '../program';

/**
 * How a program is run by another process, over its unix socket. Every connection begins with one line of JSON.
 *
 * - `{ start }`: the control connection of a program. It is answered with lines: `{ id }`, then, when the program has
 *   ended, `{ exit }`. A line `{ kill: true }` ends the program, and so does the end of the connection.
 * - `{ attach: { id, stream } }`: the bytes of one of its streams, until the end of either side.
 */
export const STREAMS = ['stdin', 'stdout', 'stderr'] as const;
export type StreamName = (typeof STREAMS)[number];

export type FirstLine = { start: Program } | { attach: { id: string; stream: StreamName } };
export type ControlLine = { id: string } | { exit: Exit };

/** Arguments, paths and the like: what a program reads goes over its input. */
const LINE_BYTES = 1 << 20;
const FIRST_LINE_MS = 10_000;

const program = z.strictObject({
  command: z.string().startsWith('/'),
  args: z.array(z.string()),
  readable: z.array(z.string().startsWith('/')),
  environment: z.record(z.string(), z.string()).optional(),
  scratchBytes: z.int().nonnegative().optional(),
  limits: z.strictObject({
    memoryBytes: z.int().positive(),
    processes: z.int().positive(),
    cpuSeconds: z.int().positive().optional(),
    wallMs: z.int().positive().optional(),
  }),
});
const firstLine = z.union([
  z.strictObject({ start: program }),
  z.strictObject({ attach: z.strictObject({ id: z.string(), stream: z.enum(STREAMS) }) }),
]);

export const asLine = (message: FirstLine | ControlLine | { kill: true }): string => `${JSON.stringify(message)}\n`;

/**
 * The line that a connection begins with. What follows it stays in the socket.
 *
 * @throws Error when none comes in time, when it is too long, or not one of ours
 */
export async function readFirstLine(socket: Socket): Promise<FirstLine> {
  const late = setTimeout(() => socket.destroy(new Error('It says nothing')), FIRST_LINE_MS);
  try {
    return firstLine.parse(JSON.parse(await readLine(socket))) as FirstLine;
  } finally {
    clearTimeout(late);
  }
}

async function readLine(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for (;;) {
    const chunk = await nextChunk(socket);
    const end = chunk.indexOf('\n');
    bytes += end < 0 ? chunk.length : end;
    if (bytes > LINE_BYTES) throw new Error('The first line is too long');
    if (end < 0) {
      chunks.push(chunk);
      continue;
    }
    if (end + 1 < chunk.length) socket.unshift(chunk.subarray(end + 1));
    return Buffer.concat([...chunks, chunk.subarray(0, end)]).toString('utf8');
  }
}

function nextChunk(socket: Socket): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      const chunk: Buffer | null = socket.read() as Buffer | null;
      if (chunk === null && !socket.readableEnded && !socket.destroyed) return;
      for (const event of ['readable', 'end', 'close']) socket.off(event, settle);
      if (chunk === null) reject(new Error('The connection ends within its first line'));
      else resolve(chunk);
    };
    for (const event of ['readable', 'end', 'close']) socket.on(event, settle);
    settle();
  });
}

/** Hands over each line of a control connection; one that is not JSON ends it. */
export function onLines(socket: Socket, take: (message: unknown) => void): void {
  const lines = createInterface({ input: socket, crlfDelay: Infinity });
  // The interface passes the errors of its input on; they belong to the socket's owner.
  lines.on('error', () => undefined);
  lines.on('line', (line) => {
    try {
      take(JSON.parse(line));
    } catch (error) {
      socket.destroy(error instanceof Error ? error : undefined);
    }
  });
}
