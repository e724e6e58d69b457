import type { Request } from 'express';
import { requireSecureTransport } from './transport-security';

const request = (secure: boolean, localAddress: string, headers: Record<string, string> = {}): Request =>
  ({ secure, headers, socket: { localAddress } }) as unknown as Request;

describe(requireSecureTransport.name, () => {
  it.each([
    ['plain HTTP on an address that others reach', request(false, '192.0.2.1')],
    ['plain HTTP that a proxy on this machine passed on', request(false, '127.0.0.1', { 'x-forwarded-proto': 'http' })],
    ['a claim of HTTPS by a proxy that is not trusted', request(false, '127.0.0.1', { 'x-forwarded-proto': 'https' })],
    ['the standard forwarding header on plain HTTP', request(false, '127.0.0.1', { forwarded: 'proto=http' })],
  ])('refuses %s', (_title, refused) => {
    expect(() => requireSecureTransport(refused)).toThrow('Only HTTPS is served here');
  });

  it.each([
    ['TLS, or a trusted proxy that speaks it', request(true, '192.0.2.1')],
    ['plain HTTP on a loopback address', request(false, '127.0.0.1')],
    ['plain HTTP on the IPv6 loopback address', request(false, '::1')],
    ['plain HTTP on a mapped loopback address', request(false, '::ffff:127.0.0.1')],
  ])('accepts %s', (_title, accepted) => {
    expect(() => requireSecureTransport(accepted)).not.toThrow();
  });
});
