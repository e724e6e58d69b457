import { requireOwnForm } from './own-form';

const host = 'acme.example:4000';

describe('a form', () => {
  it.each([
    ['another origin', { host, origin: 'https://evil.example' }],
    ['another port', { host, origin: 'https://acme.example:5000' }],
    ['an origin that the browser hides', { host, origin: 'null' }],
    ['another site, by what the browser says', { host, 'sec-fetch-site': 'cross-site' }],
    ['a sibling host', { host, origin: `https://${host}`, 'sec-fetch-site': 'same-site' }],
  ])('of %s is refused', (_, headers) => {
    expect(() => requireOwnForm({ headers })).toThrow('another site');
  });

  it.each([
    ['the same origin', { host, origin: `https://${host}`, 'sec-fetch-site': 'same-origin' }],
    ['the same origin, in an old browser', { host, origin: `https://${host}` }],
    ['a program', { host }],
  ])('of %s is accepted', (_, headers) => {
    expect(() => requireOwnForm({ headers })).not.toThrow();
  });
});
