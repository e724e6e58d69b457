import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Request } from 'express';
import { allowOrigins } from './cors';

const allowedFor = (origins: readonly string[], origin?: string): unknown => {
  const response = new ServerResponse({ method: 'POST' } as IncomingMessage);
  allowOrigins({ headers: { origin } } as Request, response, origins);
  return response.getHeader('access-control-allow-origin');
};

describe('the pages that may read a reply', () => {
  it('are those of all sites where none is named', () => {
    expect([allowedFor([], 'https://app.example'), allowedFor([])]).toEqual(['*', '*']);
  });

  const named = [
    'https://app.example',
    'https://*.example.org:8443',
    'http://localhost:443',
    'https://Shop.example:443',
  ];

  it.each([
    'https://app.example',
    'https://a.example.org:8443',
    'https://a.b.example.org:8443',
    'http://localhost:443',
    'https://shop.example',
  ])('are those of %s when it is named', (origin) => {
    expect(allowedFor(named, origin)).toBe(origin);
  });

  it.each([
    undefined,
    'null',
    'http://app.example',
    'https://app.example:8443',
    'https://app.example.evil.example',
    'https://evil-app.example',
    'https://example.org:8443',
    'https://evilexample.org:8443',
    'https://a.example.org',
    'http://a.example.org:8443',
    'https://a.example.org:8443.evil.example',
  ])('are not those of %s', (origin) => {
    expect(allowedFor(named, origin)).toBeUndefined();
  });
});
