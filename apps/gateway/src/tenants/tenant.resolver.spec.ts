import { hostName } from './tenant.resolver';

describe(hostName.name, () => {
  it.each([
    ['acme.example.com', 'acme.example.com'],
    ['ACME.Example.com:4000', 'acme.example.com'],
    ['acme.example.com.', 'acme.example.com'],
    ['127.0.0.1:4000', '127.0.0.1'],
    ['[::1]:4000', '::1'],
    ['[::1]', '::1'],
    ['', ''],
  ])('reads %j as %j', (header, expected) => {
    expect(hostName(header)).toBe(expected);
  });
});
