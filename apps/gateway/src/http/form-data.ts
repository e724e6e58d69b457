import type { OperationDescription } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import { passThrough, type ByteStream } from '@plinth/messaging';
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
      const bytes = bytesOf(file, bodyLimitBytes);
      // A part that comes later is left out, however short the file before it is.
      resolve({ fields: { ...fields }, file: passThrough(bytes, { ended: () => detach(request, parser) }) });
    });
    parser.on('close', () => refuse('The form has no file'));
    parser.on('error', (error) => refuse('The form could not be read', error));
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

async function* bytesOf(file: Readable & { truncated?: boolean }, limitBytes: number): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of file) yield chunk as Buffer;
  } catch (cause) {
    throw new AppError('request.malformed_body', 'The file could not be read to its end', { cause });
  }
  if (file.truncated) throw new AppError('request.too_large', `The file is larger than ${limitBytes} bytes`);
}

/** Lets the rest of the body run out, so that the client can read the answer. */
function detach(request: Request, parser: busboy.Busboy): void {
  request.unpipe(parser);
  request.resume();
}
