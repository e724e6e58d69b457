import type { OperationDescription } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import { passThrough, type ByteStream } from '@plinth/messaging';
import { own, ownedBytes } from '@plinth/streams';
import busboy from 'busboy';
import type { Request } from 'express';
import type { Readable } from 'node:stream';

/** A form whose text parts have arrived and whose file is still on its way. */
export interface FormData {
  fields: Record<string, string>;
  file: ByteStream;
}

/** Far above the few short parts that a form of the contract has. */
const LIMITS = { fields: 32, fieldNameSize: 100, fieldSize: 64 * 1024, files: 1, headerPairs: 32 };

/** What the parser writes in place of bytes that are no text; nobody means that character. */
const UNREADABLE = /\ufffd|\p{Surrogate}/u;

/**
 * Reads a `multipart/form-data` body (RFC 7578) up to its file, which is handed on as it arrives. The text parts must
 * come first; what follows the file is left out.
 *
 * @throws AppError `request.unsupported_media_type` (415), `request.malformed_body` (400); while the file is read also
 *   `request.too_large` (413) and `request.malformed_body` for a body that breaks off.
 */
export function readForm(request: Request, { bodyLimitBytes }: OperationDescription): Promise<FormData> {
  const parser = parserFor(request, bodyLimitBytes);
  const fields: Record<string, string> = {};
  return new Promise<FormData>((resolve, reject) => {
    const refuse = (reason: string, cause?: unknown): void => {
      detach(request, parser);
      reject(new AppError('request.malformed_body', reason, { cause }));
    };
    parser.on('field', (name, value, { valueTruncated, nameTruncated }) => {
      if (valueTruncated || nameTruncated) refuse(`The part ${name} is too long`);
      else if (UNREADABLE.test(name + value)) refuse('A part of the form is not UTF-8');
      else fields[name] = value;
    });
    parser.on('fieldsLimit', () => refuse('The form has too many parts'));
    parser.on('file', (_name, file) => {
      // A part that comes later is left out, however short the file before it is.
      resolve({ fields: { ...fields }, file: bytesOf(file, bodyLimitBytes, () => detach(request, parser)) });
    });
    parser.on('close', () => refuse('The form has no file'));
    own(parser, (error) => refuse('The form could not be read', error));
    request.once('close', () => {
      if (!request.complete) parser.destroy(new Error('the client went away'));
    });
    request.pipe(parser);
  });
}

function parserFor(request: Request, bodyLimitBytes: number): busboy.Busboy {
  // The parser calls a file too large that just reaches its limit.
  const limits = { ...LIMITS, fileSize: bodyLimitBytes + 1 };
  try {
    return busboy({ headers: request.headers, limits, defParamCharset: 'utf8' });
  } catch (cause) {
    throw new AppError('request.unsupported_media_type', 'Send the body as multipart/form-data', { cause });
  }
}

/** Owned from the tick in which the parser makes the file: the client can be gone before anybody reads. */
function bytesOf(file: Readable, limitBytes: number, detachForm: () => void): ByteStream {
  let size = 0;
  return passThrough(ownedBytes(file), {
    chunk: (bytes) => {
      size += bytes.length;
      if (size <= limitBytes) return bytes;
      throw new AppError('request.too_large', `The file is larger than ${limitBytes} bytes`);
    },
    failure: (cause) =>
      cause instanceof AppError
        ? cause
        : new AppError('request.malformed_body', 'The file could not be read to its end', { cause }),
    // What follows a whole file is a few bytes, and the connection can serve again after them.
    ended: (how) => void (how !== 'complete' && detachForm()),
  });
}

/** Takes nothing more from the client; the rest of the body stays with the connection. */
function detach(request: Request, parser: busboy.Busboy): void {
  request.unpipe(parser);
  request.pause();
  parser.destroy();
}
