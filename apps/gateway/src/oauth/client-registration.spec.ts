import { clientIdOf, clientOf } from './client-registration';

const said = { client_name: 'Assistant', redirect_uris: ['http://localhost/callback'] };

const idOf = (...all: string[]): string => `dyn.${Buffer.from(JSON.stringify(all)).toString('base64url')}`;

describe('a client that registers itself', () => {
  it.each([
    ['another prefix', 'cube-cli'],
    ['no list', `dyn.${Buffer.from('{"a":1}').toString('base64url')}`],
    ['no address', `dyn.${Buffer.from('["Assistant"]').toString('base64url')}`],
    ['what is no text', `dyn.${Buffer.from('["Assistant",7]').toString('base64url')}`],
    ['a long name', idOf('x'.repeat(101), 'https://app.example/')],
    ['many addresses', idOf('Assistant', ...Array.from({ length: 21 }, (_none, n) => `https://app.example/${n}`))],
    ['an address with a user name', idOf('Assistant', 'https://bank.example@evil.example/')],
    ['no JSON', 'dyn.AAAA'],
    ['more than fits', `dyn.${'A'.repeat(5_000)}`],
  ])('has no id with %s', (_what, id) => {
    expect(clientOf(id)).toBeUndefined();
  });

  it('is all in its id, with no scope of the API and without a secret', () => {
    const id = clientIdOf(said);
    expect(clientOf(id)).toMatchObject({ ...said, client_id: id, token_endpoint_auth_method: 'none' });
    expect(clientOf(id)?.scope).not.toContain('api');
    expect(clientIdOf(said)).toBe(id);
    expect(clientIdOf({ ...said, redirect_uris: ['https://evil.example/'] })).not.toBe(id);
  });
});
