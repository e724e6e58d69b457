import { isMailAddress, mailAddress, maskedAddress, parseSender } from './addresses';

describe('an address for mail', () => {
  it.each([
    'a@x\r\nBcc: evil@x',
    'a@x\nBcc: evil@x',
    'a@x\r\n',
    'a@x, evil@x',
    'a@x;evil@x',
    'Ada <a@x>',
    '<a@x>',
    '"a b"@x',
    'a b@x',
    'a@x y',
    'a@@x',
    'a@x@y',
    '@x',
    'a@',
    'a',
    '',
    '.a@x',
    'a.@x',
    'a..b@x',
    'a@-x',
    'a@x..y',
    'a@[127.0.0.1]',
    'a(comment)@x',
    'a@x\u0000',
    'ä@x',
    `${'a'.repeat(65)}@x`,
    `a@${'x.'.repeat(130)}y`,
  ])('is not %j', (text) => {
    expect(isMailAddress(text)).toBe(false);
    expect(mailAddress(text)).toBeUndefined();
  });

  it.each(['ada@acme.test', 'a.b+c@x.y.z', "o'neil@acme.test", 'root@localhost', `${'a'.repeat(64)}@x`])(
    'is %s',
    (text) => {
      expect(isMailAddress(text)).toBe(true);
    },
  );

  it('loses blanks around it, and the case of its domain alone', () => {
    expect(mailAddress(' Ada@ACME.test ')).toBe('Ada@acme.test');
  });

  it('tells a log no more than its first letter and its domain', () => {
    expect(['ada@acme.test', 'none', '@x'].map(maskedAddress)).toEqual(['a***@acme.test', '***', '***']);
  });
});

describe(parseSender.name, () => {
  it.each(['Ada', 'Ada <ada>', 'Ada <a@x> <b@x>', 'Ada\r\nBcc: b@x <a@x>', ''])('refuses %j', (text) => {
    expect(parseSender(text)).toBeUndefined();
  });

  it('takes an address with and without a name', () => {
    expect(parseSender('plinth@acme.test')).toEqual({ name: '', address: 'plinth@acme.test' });
    const sender = { name: 'Plinth, at work', address: 'plinth@acme.test' };
    expect(parseSender('"Plinth, at work" <plinth@acme.test>')).toEqual(sender);
    expect(parseSender('Plinth, at work <plinth@acme.test>')).toEqual(sender);
  });
});
