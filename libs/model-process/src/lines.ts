import fs from 'node:fs';

// Held here because models cannot reach them, and may break what they can reach.
const { parse, stringify } = JSON;
const { readSync, writeSync } = fs;

const INPUT = 0;
const OUTPUT = 1;
const chunk = Buffer.alloc(65_536);

/**
 * Waits for the parent's next message, one JSON document a line, without turning the event loop: nothing that a model left
 * behind can run in between. The parent sends one only when it was asked for; the end of the input is the end of the parent.
 */
export function readMessage(): unknown {
  const parts: Buffer[] = [];
  for (;;) {
    const length = readSync(INPUT, chunk);
    if (length === 0) return undefined;
    const ends = chunk[length - 1] === 10;
    parts.push(Buffer.from(chunk.subarray(0, ends ? length - 1 : length)));
    if (ends) return parse(Buffer.concat(parts).toString('utf8'));
  }
}

/** One JSON document, as a line. */
export function writeMessage(message: unknown): void {
  const line = Buffer.from(`${stringify(message)}\n`);
  for (let sent = 0; sent < line.length;) sent += writeSync(OUTPUT, line, sent);
}
