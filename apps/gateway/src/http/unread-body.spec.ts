import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { AppError } from '@plinth/errors';
import express, { type Request, type Response } from 'express';
import { collectBody } from './collect-body';
import { sendJson } from './reply';
import { closeUnread } from './unread-body';

const LIMIT = 1_000;
let server: Server;
let sockets: Socket[];
let answer: (request: Request, response: Response) => void | Promise<void>;

beforeAll(async () => {
  const application = express();
  application.use(closeUnread, (request: Request, response: Response) => void answer(request, response));
  server = createServer(application);
  server.on('connection', (socket) => sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => {
  sockets = [];
});

const refuse = (_request: Request, response: Response) => sendJson(response, 401, { code: 'refused' });
const readWithin = async (request: Request, response: Response) => {
  const body = await collectBody(request, LIMIT).catch((error: AppError) => error);
  if (body instanceof AppError) sendJson(response, body.status, { code: body.code });
  else sendJson(response, 200, { bytes: body.length });
};

/** Sends the head of a request and then a body for as long as the connection takes it; answers what came back. */
function sendEndlessly(head: string): Promise<string> {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(port, '127.0.0.1');
    const chunk = Buffer.alloc(65_536, 'x');
    const send = (): void => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.setEncoding('latin1').on('data', (text: string) => (received += text));
    socket.on('drain', send).on('error', () => undefined);
    socket.on('close', () => resolve(received));
    socket.write(`${head}\r\nhost: x\r\ncontent-length: 100000000000\r\n\r\n`);
    send();
  });
}

describe('a request that is answered before its body was read', () => {
  it.each([
    ['refused unread', refuse, '401'],
    ['found too large by its length', readWithin, '413'],
  ])(
    'gets its answer and its connection closed when it is %s, and little more is taken',
    async (_title, how, status) => {
      answer = how;
      const reply = await sendEndlessly('POST / HTTP/1.1');
      expect(reply).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(reply).toMatch(/connection: close/i);
      expect(reply).toContain('"code":');
      expect(sockets[0]?.bytesRead).toBeLessThan(4 * 1024 * 1024);
    },
  );

  it('gets its answer at once, and not when its slow client is through', async () => {
    answer = refuse;
    const { port } = server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nx');
    const first = await new Promise<string>((resolve) => socket.once('data', (text) => resolve(text.toString())));
    expect(first).toContain('{"code":"refused"}');
    await new Promise((resolve) => socket.once('close', resolve).resume());
  });

  it('gets its answer although it sends much before it reads', async () => {
    answer = refuse;
    const { port } = server.address() as AddressInfo;
    const socket = connect({ port, host: '127.0.0.1' }).pause();
    socket.on('error', () => undefined);
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100000000\r\n\r\n');
    socket.write(Buffer.alloc(50_000_000, 'x'));
    while ((sockets[0]?.bytesRead ?? 0) <= 1024 * 1024) await new Promise(setImmediate);
    for (let turns = 0; turns < 100; turns++) await new Promise(setImmediate);
    let received = '';
    socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1'))).resume();
    await new Promise((resolve) => socket.once('close', resolve));
    expect(received).toMatch(/^HTTP\/1\.1 401 /);
  });

  it('keeps its connection when its body was read to the end', async () => {
    answer = readWithin;
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const response = await fetch(url, { method: 'POST', body: 'x' });
    expect(await response.json()).toEqual({ bytes: 1 });
    expect(response.headers.get('connection')).toBe('keep-alive');
  });
});
