import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** What ended a line: its line feed, the limit, beyond which the rest of it is left out, or the end of the stream. */
export type LineEnd = 'line feed' | 'limit' | 'stream';

const LINE_FEED = 10;

/**
 * Hands over each line of a stream in UTF-8, as soon as it is whole or has reached `limitBytes`. What is not handed over yet
 * takes no more memory than that, and each byte is looked at once.
 */
export function readLines(stream: Readable, limitBytes: number, heard: (line: string, end: LineEnd) => void): void {
  let parts: Buffer[] = [];
  let length = 0;
  let skipping = false;
  const take = (part: Buffer): void => {
    if (skipping || part.length === 0) return;
    parts.push(part.subarray(0, limitBytes - length));
    length += part.length;
    if (length <= limitBytes) return;
    skipping = true;
    // Without the first bytes of a character.
    heard(new StringDecoder('utf8').write(taken()), 'limit');
  };
  const taken = (): Buffer => {
    const line = Buffer.concat(parts);
    parts = [];
    length = 0;
    return line;
  };
  stream.on('data', (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      take(chunk.subarray(start, end));
      start = end + 1;
      if (!skipping) heard(taken().toString('utf8'), 'line feed');
      skipping = false;
    }
    take(chunk.subarray(start));
  });
  stream.on('end', () => {
    if (length > 0) heard(taken().toString('utf8'), 'stream');
  });
}
