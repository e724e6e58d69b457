import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { AppError } from '@plinth/errors';
import express, { type Request, type Response } from 'express';
import { collectBody, streamBody } from './collect-body';
import { parseJson } from './request-body';

const codeOf = (work: () => unknown): string | undefined => {
  try {
    work();
  } catch (error) {
    return (error as AppError).code;
  }
  return undefined;
};

describe(parseJson.name, () => {
  it.each(['{', 'nonsense', '{"a":1}}'])('refuses %j as malformed', (text) => {
    expect(codeOf(() => parseJson(Buffer.from(text), 'application/json'))).toBe('request.malformed_body');
  });

  it('refuses bytes that are no UTF-8, and a declaration of another charset', () => {
    for (const bytes of [
      [0x22, 0xff, 0x22],
      [0x22, 0xe9, 0x22],
      [0x22, 0xed, 0xa0, 0x80, 0x22],
      [0xff, 0xfe, 0x22],
    ]) {
      expect(codeOf(() => parseJson(Buffer.from(bytes), 'application/json'))).toBe('request.malformed_body');
    }
    for (const charset of ['iso-8859-1', '"utf-16"', 'windows-1252', '']) {
      const type = `application/scim+json; odata=x; Charset=${charset}`;
      expect(codeOf(() => parseJson(Buffer.from('{}'), type))).toBe('request.malformed_body');
    }
  });

  it.each([
    ['in a value', '{"content":"a\\ud800b"}'],
    ['in a name', '{"a":{"\\udc00":1}}'],
    ['in an array, in the wrong order', '[["\\udc00\\ud800"]]'],
    ['behind an escaped backslash', '["\\\\\\ud800"]'],
  ])('refuses half a surrogate pair %s', (_where, text) => {
    expect(codeOf(() => parseJson(Buffer.from(text), 'application/json'))).toBe('request.invalid');
  });

  it('keeps whole pairs, and backslashes that only look like an escape', () => {
    const values = ['😀', '\\ud800', '"', 'a\u0000b', '\ufffd', 'x'.repeat(10)];
    expect(parseJson(Buffer.from('["\\ud83d\\ude00"]'), undefined)).toEqual(['😀']);
    expect(parseJson(Buffer.from(JSON.stringify(values)), 'application/json; charset="UTF-8"')).toEqual(values);
  });

  it('refuses more than 256 levels, whatever they are made of, and counts none in a text', () => {
    const nested = (levels: number) => '[{"a":'.repeat(levels / 2) + '"x"' + '}]'.repeat(levels / 2);
    expect(codeOf(() => parseJson(Buffer.from(nested(258)), 'application/json'))).toBe('request.malformed_body');
    expect(codeOf(() => parseJson(Buffer.from('['.repeat(1_000_000)), undefined))).toBe('request.malformed_body');
    const text = JSON.stringify({ a: '[{"\\'.repeat(1_000), b: '\\' });
    expect(parseJson(Buffer.from(nested(256)), undefined)).toBeDefined();
    expect(parseJson(Buffer.from(text), undefined)).toEqual(JSON.parse(text));
    expect(parseJson(Buffer.from('{"a":[]}' + ' '.repeat(9)), undefined)).toEqual({ a: [] });
    const wide = `[${'[{}],'.repeat(1_000)}0]`;
    expect(parseJson(Buffer.from(wide), undefined)).toHaveLength(1_001);
  });

  it('refuses another content type', () => {
    expect(codeOf(() => parseJson(Buffer.from('a=1'), 'application/x-www-form-urlencoded'))).toBe(
      'request.unsupported_media_type',
    );
  });

  it.each(['application/json', 'application/json; charset=utf-8', 'application/scim+json', undefined])(
    'reads JSON sent as %s',
    (type) => {
      expect(parseJson(Buffer.from('{"a":null}'), type)).toEqual({ a: null });
    },
  );

  it('takes an empty body without a content type as absent', () => {
    expect(parseJson(Buffer.alloc(0), undefined)).toBeUndefined();
    expect(parseJson(Buffer.from(' \n'), undefined)).toBeUndefined();
  });
});

describe(collectBody.name, () => {
  let server: Server;
  let url: string;

  beforeAll(async () => {
    const application = express();
    application.use((request: Request, response: Response) => {
      collectBody(request, 1_000).then(
        (body) => response.json({ bytes: body.length }),
        (error: AppError) => response.status(error.status).json({ code: error.code }),
      );
    });
    server = createServer(application);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const post = async (body: string | Buffer, headers: Record<string, string> = {}) =>
    (await fetch(url, { method: 'POST', body, headers })).json() as Promise<Record<string, unknown>>;

  it('refuses a body over the limit, also when it only grows past it after decompression', async () => {
    expect(await post('x'.repeat(1_001))).toEqual({ code: 'request.too_large' });
    expect(await post(gzipSync('x'.repeat(100_000)), { 'content-encoding': 'gzip' })).toEqual({
      code: 'request.too_large',
    });
  });

  it('refuses a content encoding that it does not know', async () => {
    expect(await post('abc', { 'content-encoding': 'compress' })).toEqual({ code: 'request.unsupported_media_type' });
  });

  it('reads a body of exactly the limit and an absent one', async () => {
    expect(await post('x'.repeat(1_000))).toEqual({ bytes: 1_000 });
    expect(await post('')).toEqual({ bytes: 0 });
  });
});

describe(streamBody.name, () => {
  let server: Server;
  let url: string;
  let leaves: boolean;

  const read = async (request: Request): Promise<number> => {
    let bytes = 0;
    for await (const chunk of streamBody(request, 100_000)) {
      bytes += chunk.length;
      if (leaves) break;
    }
    return bytes;
  };

  beforeAll(async () => {
    const application = express();
    application.use((request: Request, response: Response) => {
      read(request).then(
        (bytes) => response.json({ bytes }),
        (error: AppError) => response.status(error.status).json({ code: error.code }),
      );
    });
    server = createServer(application);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));
  beforeEach(() => {
    leaves = false;
  });

  const post = async (body: string | Buffer, headers: Record<string, string> = {}) =>
    (await fetch(url, { method: 'POST', body, headers })).json() as Promise<Record<string, unknown>>;

  it('refuses a body over the limit, by its length or when it only grows past it after decompression', async () => {
    expect(await post('x'.repeat(100_001))).toEqual({ code: 'request.too_large' });
    const encoded = { 'content-encoding': 'gzip' };
    expect(await post(gzipSync('x'.repeat(10_000_000)), encoded)).toEqual({ code: 'request.too_large' });
  });

  it('refuses a broken encoding', async () => {
    expect(await post('no gzip', { 'content-encoding': 'gzip' })).toEqual({ code: 'request.malformed_body' });
    expect(await post('abc', { 'content-encoding': 'compress' })).toEqual({ code: 'request.unsupported_media_type' });
  });

  it('hands on a body of exactly the limit, and an encoded one', async () => {
    expect(await post('x'.repeat(100_000))).toEqual({ bytes: 100_000 });
    expect(await post(gzipSync('x'.repeat(90_000)), { 'content-encoding': 'gzip' })).toEqual({ bytes: 90_000 });
  });

  it('lets its reader leave early', async () => {
    leaves = true;
    const { bytes } = await post('x'.repeat(100_000));
    expect(bytes).toBeLessThanOrEqual(100_000);
  });
});
