import type { Request } from 'express';
import { PublicOrigins } from './public-origins';

interface Arrival {
  host?: string;
  protocol?: string;
  localPort?: number;
  encrypted?: boolean;
  template?: string;
}

const originOf = ({ host, protocol = 'https', localPort = 4000, encrypted = false, template }: Arrival) => {
  const request = { protocol, headers: { host }, socket: { localPort, encrypted } } as unknown as Request;
  return new PublicOrigins(template ?? 'https://{host}').of(request).origin;
};

describe(PublicOrigins.name, () => {
  it.each<Arrival>([
    { host: 'acme.example:1' },
    { host: 'acme.example:8443' },
    { host: 'acme.example:4000' },
    { host: 'acme.example', protocol: 'http' },
    { host: 'acme.example:4001', encrypted: true },
    { host: 'acme.example:4000', encrypted: true, protocol: 'http' },
    { host: 'acme.example.' },
    { host: 'acme.example:1/' },
    { host: '' },
    {},
  ])('refuses %j', (arrival) => {
    expect(() => originOf(arrival)).toThrow('No account signs people in at this address');
  });

  it.each<[string, Arrival]>([
    ['https://acme.example', { host: 'acme.example' }],
    ['https://acme.example', { host: 'ACME.example:443' }],
    ['https://[2600::1]', { host: '[2600::1]' }],
    ['https://acme.example:8443', { host: 'acme.example:8443', template: 'https://{host}:8443/' }],
    ['http://acme.example:4000', { host: 'acme.example:4000', protocol: 'http' }],
    ['https://acme.example:4000', { host: 'acme.example:4000', encrypted: true }],
    ['http://127.0.0.1:51234', { host: '127.0.0.1:51234', protocol: 'http', localPort: 51234 }],
    ['http://[::1]:4000', { host: '[::1]:4000', protocol: 'http' }],
  ])('takes %s', (expected, arrival) => {
    expect(originOf(arrival)).toBe(expected);
  });
});
