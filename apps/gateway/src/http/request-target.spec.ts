import { requireSoundTarget } from './request-target';

describe(requireSoundTarget.name, () => {
  const codeOf = (url: string, ...hosts: string[]): string | undefined => {
    const [host = 'acme.example'] = hosts;
    const rawHeaders = (hosts.length > 0 ? hosts : [host]).flatMap((each) => ['hOST', each]);
    try {
      requireSoundTarget({ url, headers: { host }, rawHeaders: ['Accept', 'host', ...rawHeaders] });
    } catch (error) {
      return (error as { code: string }).code;
    }
    return undefined;
  };

  it.each([
    ['a path that is no UTF-8', '/api/v1/roles/%ff'],
    ['a path with half a character', '/api/v1/roles/%c3/x'],
    ['a path with an encoded surrogate', '/api/v1/roles/%ED%A0%80'],
    ['a path with an escape that is none', '/api/v1/roles/%zz'],
    ['a query that is no UTF-8', '/api/v1/users?search=caf%e9'],
    ['a name in a query that is no UTF-8', '/api/v1/users?%80=1'],
    ['bytes that are not encoded', '/api/v1/users?search=caf\u00c3\u00a9'],
    ['an address of another host', 'http://evil.example/api/v1/users'],
    ['an address of another port', 'http://acme.example:81/api/v1/users'],
    ['an address with a password', 'http://a:b@acme.example/api/v1/users'],
    ['an address that is none', 'http://[/api'],
  ])('refuses %s', (_title, url) => {
    expect(codeOf(url)).toBe('request.malformed_target');
  });

  it('refuses two hosts, though they are the same', () => {
    expect(codeOf('/api/v1/users', 'acme.example', 'evil.example')).toBe('request.malformed_target');
    expect(codeOf('/api/v1/users', 'acme.example', 'acme.example')).toBe('request.malformed_target');
  });

  it('lets text in any script pass, signs that encode nothing in a query, and its own address in full', () => {
    for (const url of ['/a/%C3%A9?q=%F0%9F%98%80+%EF%BF%BD', '/a?q=100%&r=%zz', '*', '/']) {
      expect(codeOf(url)).toBeUndefined();
    }
    for (const url of ['http://acme.example/a', 'HTTP://ACME.example:80/a?q=1']) expect(codeOf(url)).toBeUndefined();
    expect(codeOf('http://acme.example/a', 'Acme.Example:80')).toBeUndefined();
    expect(codeOf('https://acme.example:4000/a', 'acme.example:4000')).toBeUndefined();
  });
});
