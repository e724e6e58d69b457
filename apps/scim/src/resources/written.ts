import type { StreamReply } from '@plinth/messaging';

type Parts = AsyncIterable<string> | Iterable<string>;

/** A reply that is written piece by piece. */
export const streamOf = (parts: Parts, headers: Record<string, string> = {}): StreamReply => ({
  headers: { 'content-type': 'application/scim+json; charset=utf-8', ...headers },
  stream: bytesOf(parts),
});

export async function* between(start: string, parts: Parts, end: string): AsyncGenerator<string> {
  yield start;
  yield* parts;
  yield end;
}

async function* bytesOf(parts: Parts): AsyncGenerator<Uint8Array> {
  for await (const part of parts) if (part !== '') yield Buffer.from(part);
}
