import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { RequestHandler } from 'express';

const compress = promisify(gzip);

/** Less than this travels as it is. */
const compressedFromBytes = 16_384;

export interface ShippedFile {
  type: string;
  read(): Promise<Buffer>;
  /** How long browsers keep it without asking; 0: they ask each time. */
  maxAgeSeconds: number;
}

/** Answers with a file, compressed for clients that can read it. It is read and compressed once, when first asked for. */
export function shippedFile({ type, read, maxAgeSeconds }: ShippedFile): RequestHandler {
  let prepared: ReturnType<typeof prepare> | undefined;
  const prepare = async () => {
    const plain = await read();
    const tag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
    const compressed = plain.length >= compressedFromBytes ? await compress(plain) : undefined;
    return { plain, compressed, tag };
  };
  return (request, response, next) => {
    prepared ??= prepare();
    prepared.then(({ plain, compressed, tag }) => {
      const sent = request.acceptsEncodings('gzip') === 'gzip' ? compressed : undefined;
      response.set({
        'cache-control': maxAgeSeconds > 0 ? `public, max-age=${maxAgeSeconds}` : 'no-cache',
        vary: 'accept-encoding',
        etag: tag,
        ...(sent && { 'content-encoding': 'gzip' }),
      });
      response.type(type).send(sent ?? plain);
    }, next);
  };
}
