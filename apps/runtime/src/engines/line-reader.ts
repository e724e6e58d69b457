import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** Hands over each line of a stream; of one longer than `limit` characters the beginning. */
export function readLines(stream: Readable, limit: number, heard: (line: string) => void): void {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  stream.on('data', (chunk: Buffer) => {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = (lines.pop() ?? '').slice(0, limit);
    for (const line of lines) heard(line.slice(0, limit));
  });
  stream.on('end', () => {
    if (rest !== '') heard(rest);
  });
}
