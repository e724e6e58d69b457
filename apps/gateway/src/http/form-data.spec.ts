import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OperationDescription } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import { cancelStream } from '@plinth/messaging';
import express, { type Request, type Response } from 'express';
import { readForm, type FormData } from './form-data';
import { closeUnread } from './unread-body';

const LIMIT = 1_000;
const operation = { bodyLimitBytes: LIMIT } as OperationDescription;
const boundary = 'limit';
const type = `multipart/form-data; boundary=${boundary}`;

let server: Server;
let answer: (request: Request) => Promise<unknown>;

beforeAll(async () => {
  const application = express();
  application.use(closeUnread, (request: Request, response: Response) => {
    answer(request).then(
      (value) => response.end(JSON.stringify(value)),
      (error: unknown) =>
        response.end(JSON.stringify({ code: error instanceof AppError ? error.code : String(error) })),
    );
  });
  server = createServer(application);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => {
  answer = async (request) => contentOf(await readForm(request, operation));
});

async function contentOf({ fields, file }: FormData) {
  const chunks: Uint8Array[] = [];
  for await (const chunk of file) chunks.push(chunk);
  return { fields, content: Buffer.concat(chunks).toString() };
}

const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
const post = async (body: string | Buffer, contentType: string | undefined = type): Promise<unknown> => {
  const headers = contentType === undefined ? {} : { 'content-type': contentType };
  return (
    await fetch(url(), { method: 'POST', body: typeof body === 'string' ? Buffer.from(body) : body, headers })
  ).json();
};
const field = (name: string, value: string) =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const file = (content: string) =>
  `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="x"\r\nContent-Type: application/octet-stream\r\n\r\n${content}\r\n`;
const end = `--${boundary}--\r\n`;

describe('a form', () => {
  it('is refused in another media type, without a boundary, without a file and when it breaks off', async () => {
    expect(await post('{}', 'application/json')).toEqual({ code: 'request.unsupported_media_type' });
    expect(await post('x', 'multipart/form-data')).toEqual({ code: 'request.unsupported_media_type' });
    expect(await post(field('a', '1') + end)).toEqual({ code: 'request.malformed_body' });
    expect(await post(field('a', '1') + file('x').slice(0, -2))).toEqual({ code: 'request.malformed_body' });
    expect(await post('no form at all')).toEqual({ code: 'request.malformed_body' });
  });

  it('is refused with a text part or a file over its limit', async () => {
    expect(await post(field('a', 'x'.repeat(70_000)) + file('x') + end)).toEqual({ code: 'request.malformed_body' });
    expect(await post(file('x'.repeat(LIMIT + 1)) + end)).toEqual({ code: 'request.too_large' });
    expect(
      await post(Array.from({ length: 33 }, (_, index) => field(`f${index}`, '')).join('') + file('x') + end),
    ).toEqual({
      code: 'request.malformed_body',
    });
  });

  it('is refused with a text part that is no UTF-8', async () => {
    for (const part of [field('a', '\u00ff'), field('\u00ff', 'a')]) {
      expect(await post(Buffer.from(part + file('x') + end, 'latin1'))).toEqual({ code: 'request.malformed_body' });
    }
    const declared = field('a', 'caf\u00e9').replace(
      '\r\n\r\n',
      '\r\nContent-Type: text/plain; charset=latin1\r\n\r\n',
    );
    const body = Buffer.from(declared + file('\u00ff') + end, 'latin1');
    expect(await post(body)).toMatchObject({ fields: { a: 'café' } });
  });

  it('leaves out what follows its file, however short that is', async () => {
    expect(await post(field('a', '1') + file('x') + field('b', '2') + end)).toEqual({
      fields: { a: '1' },
      content: 'x',
    });
    expect(await post(file('') + field('a', '1') + end)).toEqual({ fields: {}, content: '' });
  });

  it('hands on its text parts and its file', async () => {
    const full = 'x'.repeat(LIMIT);
    expect(await post(field('näme', 'wért') + field('b', '') + file(full) + end)).toEqual({
      fields: { näme: 'wért', b: '' },
      content: full,
    });
    expect(await post(field('a', '1') + file('') + end)).toEqual({ fields: { a: '1' }, content: '' });
  });

  it('gets its answer when nobody reads its file', async () => {
    answer = async (request) => {
      const { file: unread } = await readForm(request, { bodyLimitBytes: 100_000_000 } as OperationDescription);
      await cancelStream(unread);
      return 'cancelled';
    };
    expect(await post(file('x'.repeat(5_000_000)) + end)).toBe('cancelled');
    expect(await post(file('x') + end)).toBe('cancelled');
  });

  it.each([
    ['while its file is read', async (form: FormData) => contentOf(form)],
    [
      'before anybody reads its file',
      async (form: FormData, request: Request) => {
        await new Promise((resolve) => request.once('close', resolve));
        await new Promise((resolve) => setImmediate(resolve));
        return contentOf(form);
      },
    ],
  ])('ends with an error when its client goes away %s', async (_title, use) => {
    const read = new Promise<unknown>((resolve) => {
      answer = (request) => {
        const outcome = readForm(request, operation)
          .then((form) => use(form, request))
          .catch((error: unknown) => error);
        return outcome.then((value) => void resolve(value));
      };
    });
    const call = httpRequest(url(), {
      method: 'POST',
      headers: { 'content-type': type, 'transfer-encoding': 'chunked' },
    });
    call.on('error', () => undefined);
    call.write(file('half').slice(0, -4), () => call.destroy());
    expect(await read).toMatchObject({ code: 'request.malformed_body' });
  });

  it('lets go of its file and of the rest of its body when nobody wants them', async () => {
    let request: Request | undefined;
    answer = async (arrived) => {
      request = arrived;
      const { file: unread } = await readForm(arrived, { bodyLimitBytes: 100_000_000 } as OperationDescription);
      await cancelStream(unread);
      return { piped: arrived.listenerCount('data'), paused: arrived.isPaused() };
    };
    expect(await post(file('x'.repeat(5_000_000)) + end)).toEqual({ piped: 0, paused: true });
    expect(request?.complete).toBe(false);
  });
});
