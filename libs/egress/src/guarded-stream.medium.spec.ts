import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deadlineMs } from '@plinth/testing';
import type { EgressLimits } from './guarded-fetch';
import { guardedStream } from './guarded-stream';

const open: EgressLimits = { allowPrivate: true, allowInsecure: true, timeoutMs: 20_000, limitBytes: 1_000 };

describe('guardedStream', () => {
  let server: Server;
  let answer: RequestListener;

  beforeEach(async () => {
    server = createServer((request, response) => answer(request, response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const get = (limits: Partial<EgressLimits> = {}, signal?: AbortSignal) => {
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    return guardedStream(url, { method: 'GET', ...(signal && { signal }) }, { ...open, ...limits });
  };

  it('does not connect where the policy forbids it', async () => {
    await expect(get({ allowInsecure: false })).rejects.toMatchObject({ failure: 'address-refused' });
  });

  it('gives up on a server that is silent, before its answer and within it', async () => {
    answer = () => undefined;
    await expect(get({ timeoutMs: 100 })).rejects.toMatchObject({ failure: 'timed-out' });
    answer = (_request, response) => void response.writeHead(200).write('half');
    const reply = await get({ timeoutMs: deadlineMs(500) });
    await expect(reply.text()).rejects.toMatchObject({ failure: 'timed-out' });
  });

  it('gives up on an answer that is too large, or broken off', async () => {
    answer = (_request, response) => void response.end('x'.repeat(1_001));
    await expect((await get()).text()).rejects.toMatchObject({ failure: 'answer-too-large' });
    answer = (_request, response) => {
      response.writeHead(200, { 'content-length': '10' });
      response.write('half', () => response.destroy());
    };
    await expect((await get()).text()).rejects.toMatchObject({ failure: 'unreachable' });
  });

  it('hangs up when its caller does', async () => {
    const gone = new Promise<void>((resolve) => {
      answer = (_request, response) => {
        response.once('close', resolve);
        response.writeHead(200).write('half');
      };
    });
    const caller = new AbortController();
    const text = (await get({}, caller.signal)).text();
    caller.abort();
    await expect(text).rejects.toMatchObject({ failure: 'unreachable' });
    await gone;
  });

  it('hands on what comes before the rest is there', async () => {
    let finish = (): void => undefined;
    answer = (_request, response) => {
      response.writeHead(200).write('first');
      finish = () => void response.end('last');
    };
    const reader = (await get()).body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('first');
    finish();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('last');
  });
});
