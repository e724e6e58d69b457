import type { IncomingMessage } from 'node:http';
import { PassThrough, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { AppError } from '@plinth/errors';
import { passThrough, type ByteStream } from '@plinth/messaging';
import { own, ownedBytes } from '@plinth/streams';
import { formTextOf } from './exact-text';

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * The body, decoded. What is refused is not read on: the rest stays with the connection.
 *
 * @param limitBytes of the body as it is sent, and of what it becomes when it is decoded
 * @throws AppError `request.too_large` (413), `request.unsupported_media_type` (415) for an unknown content encoding,
 *   `request.malformed_body` (400) for a broken transfer or encoding.
 */
export async function collectBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes);
  const decoder = decoderFor(request.headers['content-encoding']);
  const source = decoder ? request.pipe(own(decoder)) : request;
  try {
    return await collect(source, request, limitBytes);
  } finally {
    request.unpipe();
    request.pause();
    decoder?.destroy();
  }
}

/**
 * The body, decoded, as it arrives. Its end is that of a whole body: one that breaks off or grows too large fails.
 *
 * @throws AppError as {@link collectBody}, the first and the second at once, the others while it is read
 */
export function streamBody(request: IncomingMessage, limitBytes: number): ByteStream {
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes);
  const decoded = decoderFor(request.headers['content-encoding']) ?? new PassThrough();
  const bytes = ownedBytes(decoded);
  let size = 0;
  request.once('close', () => void (!request.complete && decoded.destroy(new Error('The client has gone'))));
  request.pipe(decoded);
  return passThrough(bytes, {
    chunk: (chunk) => {
      size += chunk.length;
      if (size <= limitBytes) return chunk;
      throw tooLarge(limitBytes);
    },
    failure: (cause) => (cause instanceof AppError ? cause : brokenOff(cause)),
    // The rest of the body stays with the connection.
    ended: (how) => {
      if (how === 'complete') return;
      request.unpipe(decoded);
      request.pause();
      decoded.destroy();
    },
  });
}

/**
 * A form of a browser or an OAuth client, which is never large.
 *
 * @throws AppError `request.malformed_body` (400), also for one that is too large.
 */
export async function collectForm(request: IncomingMessage, limitBytes: number): Promise<URLSearchParams> {
  try {
    return new URLSearchParams(formTextOf(await collectBody(request, limitBytes), request.headers['content-type']));
  } catch (cause) {
    if (cause instanceof AppError && cause.code === 'request.malformed_body') throw cause;
    throw new AppError('request.malformed_body', 'The form could not be read', { cause });
  }
}

function decoderFor(encoding = 'identity'): Transform | undefined {
  const name = encoding.toLowerCase();
  if (name === 'identity') return undefined;
  const make = decoders[name];
  if (make) return make();
  throw new AppError('request.unsupported_media_type', 'The content encoding of the body is not supported');
}

function collect(source: Readable, request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const broken = (cause?: Error): void => reject(brokenOff(cause));
    source.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= limitBytes) chunks.push(chunk);
      else reject(tooLarge(limitBytes));
    });
    source.once('end', () => resolve(Buffer.concat(chunks)));
    source.once('error', broken);
    // A client that goes away does not end what its body is piped to.
    request.once('close', () => void (!request.complete && broken()));
    if (request.destroyed) broken();
  });
}

const brokenOff = (cause: unknown): AppError =>
  new AppError('request.malformed_body', 'The body could not be read to its end', { cause });

const tooLarge = (limitBytes: number): AppError =>
  new AppError('request.too_large', `The body is larger than the ${limitBytes} bytes allowed here`);
