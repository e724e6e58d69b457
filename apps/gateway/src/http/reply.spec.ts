import { createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AppError } from '@plinth/errors';
import type { ByteStream } from '@plinth/messaging';
import type { Response } from 'express';
import { sendStream } from './reply';

let server: Server;
let stream: ByteStream;
let sent: Promise<unknown>;

beforeAll(async () => {
  server = createServer((_request, response) => {
    sent = sendStream(response as Response, 200, { headers: { 'content-type': 'text/csv' }, stream });
    sent.catch(() => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

describe(sendStream.name, () => {
  it('fails, and breaks the reply off, when its producer fails', async () => {
    stream = (async function* () {
      yield Buffer.from('half');
      throw new AppError('service.unavailable', 'gone');
    })();
    await expect(fetch(url()).then((reply) => reply.text())).rejects.toThrow();
    await expect(sent).rejects.toMatchObject({ code: 'service.unavailable' });
  });

  it('takes a client that leaves for no error, and stops its producer', async () => {
    let stop: () => void = () => undefined;
    const stopped = new Promise<void>((resolve) => (stop = resolve));
    stream = (async function* () {
      try {
        for (;;) {
          yield Buffer.alloc(65_536);
          await new Promise((resolve) => setImmediate(resolve));
        }
      } finally {
        stop();
      }
    })();
    await new Promise<void>((resolve) => {
      get(url(), (response) => response.once('data', () => resolve(void response.destroy())));
    });
    await expect(sent).resolves.toBeUndefined();
    await stopped;
  });
});
