import { InvalidRemoteUrlError, parseRemoteUrl } from './remote-url';

const strict = { allowInsecure: false };

describe('parseRemoteUrl', () => {
  it.each([
    ['http', 'http://git.example.com/a.git'],
    ['a file', 'file:///srv/a.git'],
    ['a path', '/srv/a.git'],
    ['the git protocol', 'git://git.example.com/a.git'],
    ['a remote helper', 'ext::sh -c id'],
    ['a remote helper without blanks', 'ext::id'],
    ['an option', '--upload-pack=id'],
    ['an option as host', 'ssh://-oProxyCommand=id/a.git'],
    ['an option as host in the short form', 'git@-oProxyCommand=id:a.git'],
    ['an option as user', 'ssh://-oProxyCommand@git.example.com/a.git'],
    ['an option as path', 'git@git.example.com:-x'],
    ['an option as user in the short form', '-oProxyCommand@git.example.com:a.git'],
    ['a command as user', 'ssh://a`id`@git.example.com/a.git'],
    ['a password', 'https://ada:secret@git.example.com/a.git'],
    ['a token as user name', 'https://token@git.example.com/a.git'],
    ['a query', 'https://git.example.com/a.git?x=1'],
    ['a blank', 'https://git.example.com/a b.git'],
    ['a new line', 'https://git.example.com/a\n.git'],
    ['no repository', 'https://git.example.com/'],
    ['no host', 'ssh:///a.git'],
    ['nothing', ''],
    ['an endless text', `https://git.example.com/${'a'.repeat(3_000)}`],
  ])('refuses %s', (_, url) => {
    expect(() => parseRemoteUrl(url, strict)).toThrow(InvalidRemoteUrlError);
  });

  it('never repeats the address, which may hold a password', () => {
    expect(() => parseRemoteUrl('https://ada:secret@git.example.com/a.git', strict)).toThrow(
      /^The repository's address is not valid: credentials do not belong into it\.$/,
    );
  });

  it.each([
    ['https://Git.Example.com/team/a.git', 'https', 'git.example.com', 443],
    ['https://git.example.com:8443/a', 'https', 'git.example.com', 8443],
    ['https://[2001:db8::1]/a.git', 'https', '2001:db8::1', 443],
    ['ssh://git@git.example.com:2222/a.git', 'ssh', 'git.example.com', 2222],
    ['git@git.example.com:team/a.git', 'ssh', 'git.example.com', 22],
  ])('takes %s', (text, protocol, host, port) => {
    expect(parseRemoteUrl(text, strict)).toEqual({ text, protocol, host, port });
  });

  it('takes http and file where that is allowed', () => {
    const open = { allowInsecure: true };
    expect(parseRemoteUrl('http://localhost:3000/a.git', open)).toMatchObject({ protocol: 'http', port: 3000 });
    expect(parseRemoteUrl('file:///srv/a.git', open)).toMatchObject({ protocol: 'file', host: '' });
  });
});
