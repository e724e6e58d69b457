import express from 'express';
import request from 'supertest';
import { dataDialect } from '../dialects/data.dialect';
import { beginExchange } from './exchange';

/** The address that services are told, behind proxies that are believed or not. */
async function originOf(headers: Record<string, string>, trustedProxies: readonly string[] = []): Promise<string> {
  const application = express().set('trust proxy', [...trustedProxies]);
  application.use((incoming, response) => {
    response.end(beginExchange(incoming, response, dataDialect).context.origin);
  });
  return (await request(application).get('/').set(headers)).text;
}

describe('the address that services are told a client has used', () => {
  it('is not what somebody says who is not a trusted proxy', async () => {
    const headers = { host: 'acme.example', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.example' };
    expect(await originOf(headers)).toBe('http://acme.example');
  });

  it.each(['127.0.0.1:4000', 'localhost:8080', 'acme.example', '[::1]:4000'])(
    'has the host %s as it came',
    async (host) => {
      expect(await originOf({ host })).toBe(`http://${host}`);
    },
  );

  it('has the scheme that a trusted proxy tells', async () => {
    const headers = { host: 'acme.example', 'x-forwarded-proto': 'https' };
    expect(await originOf(headers, ['127.0.0.1', '::1'])).toBe('https://acme.example');
  });
});
