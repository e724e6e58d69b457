import { apiKey, host, hosts, id, ids, onOrOff, shortName, time, url } from './arguments';

describe('arguments of commands', () => {
  it.each<[string, (text: string) => unknown, string[]]>([
    ['hosts', host, ['', 'http://x', 'x:80', 'x/y', 'x_y', '-x', 'x..y', '1.2.3', '999.1.1.1', 'a b', 'x'.repeat(64)]],
    ['ids', id, ['', '0', '-1', '1.5', '1e3', 'x', '99999999999999999999']],
    ['lists of ids', ids, ['', '1,', '1,x']],
    ['names', shortName, ['', ' ', 'a\nb', 'x'.repeat(201)]],
    ['times', time, ['', 'tomorrow', '2027-01-31', '2027-01-31T00:00:00', '2027-13-31T00:00:00Z']],
    ['keys', apiKey, ['', 'sk-short', `sk-${'x'.repeat(20)}!`]],
    ['switches', onOrOff, ['', 'yes', 'ON']],
    ['addresses', url, ['', 'localhost', 'ftp://x', '/x']],
  ])('refuses what are no %s', (_what, parse, texts) => {
    const taken = texts.filter((text) => {
      try {
        parse(text);
        return true;
      } catch {
        return false;
      }
    });
    expect(taken).toEqual([]);
  });

  it('takes a host as requests name it, and each once', () => {
    expect(['Acme.Example.COM', '127.0.0.1', '[::1]', '::1', 'localhost'].map(host)).toEqual([
      'acme.example.com',
      '127.0.0.1',
      '::1',
      '::1',
      'localhost',
    ]);
    expect(hosts('A.test', hosts('a.test', hosts('b.test')))).toEqual(['b.test', 'a.test']);
  });
});
