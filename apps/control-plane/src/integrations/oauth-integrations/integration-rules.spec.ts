import { checkEndpoints } from './integration-rules';

const good = {
  authUrl: 'https://id.acme.test/authorize?tenant=1',
  tokenUrl: 'https://id.acme.test/token',
  redirectUri: 'https://acme.example.com/auth/oauth-integrations/callback',
  config: { revocationUrl: 'https://id.acme.test/revoke', authorizationParameters: { prompt: 'consent' } },
};
const closed = { allowPrivate: false, allowInsecure: false };
const refusal = (more: object, policy = closed) => {
  try {
    checkEndpoints({ ...good, ...more }, policy);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};

describe('checkEndpoints', () => {
  it.each(['http://id.acme.test/a', 'ftp://id.acme.test/a', 'javascript:alert(1)', 'a'])('refuses %s', (url) => {
    for (const field of ['authUrl', 'tokenUrl', 'redirectUri']) expect(refusal({ [field]: url })).toContain(field);
    expect(refusal({ config: { revocationUrl: url } })).toContain('/body/config/revocationUrl');
  });

  it.each([
    'https://u:p@id.acme.test/',
    'https://u@id.acme.test/',
    'https://id.acme.test/#',
    'https://id.acme.test/#x',
  ])('refuses %s', (tokenUrl) => {
    expect(refusal({ tokenUrl, config: null })).toContain('/body/tokenUrl must not');
  });

  it.each(['https://10.0.0.1/', 'https://127.0.0.1/', 'https://[::1]/', 'https://0x7f.1/', 'https://169.254.169.254/'])(
    'refuses the token endpoint %s',
    (tokenUrl) => {
      expect(refusal({ tokenUrl, config: null })).toContain('is in a network that must not be used');
    },
  );

  it('keeps the client secret on one host', () => {
    expect(refusal({ config: { revocationUrl: 'https://other.test/revoke' } })).toContain('on the host of tokenUrl');
    expect(refusal({ config: { revocationUrl: 'https://id.acme.test:444/' } })).toContain('on the host of tokenUrl');
  });

  it.each(['state', 'redirect_uri', 'code_challenge', 'client_secret'])('refuses the parameter %s', (name) => {
    expect(refusal({ config: { authorizationParameters: { [name]: 'x' } } })).toContain('is set by the platform');
  });

  it('takes what is left, and more where it is allowed', () => {
    expect(refusal({})).toBeUndefined();
    const local = { tokenUrl: 'http://127.0.0.1:8080/token', config: null };
    expect(refusal(local, { allowPrivate: false, allowInsecure: true })).toBeUndefined();
    const company = { tokenUrl: 'https://10.0.0.1/token', config: null };
    expect(refusal(company, { allowPrivate: true, allowInsecure: false })).toBeUndefined();
  });
});
