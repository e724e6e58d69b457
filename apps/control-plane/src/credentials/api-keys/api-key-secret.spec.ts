import { hashOf, isSecret, newSecret, prefixOf } from './api-key-secret';

describe('the secret of an API key', () => {
  it('is sk- and 40 letters or digits, never the same twice', () => {
    const secrets = Array.from({ length: 100 }, newSecret);
    expect(secrets.every((secret) => /^sk-[0-9A-Za-z]{40}$/.test(secret) && isSecret(secret))).toBe(true);
    expect(new Set(secrets).size).toBe(secrets.length);
  });

  it('cannot be read back from what is stored of it', () => {
    const secret = newSecret();
    expect(hashOf(secret)).toMatch(/^[0-9a-f]{64}$/);
    expect(hashOf(secret)).not.toContain(secret.slice(3));
    expect(prefixOf(secret)).toHaveLength(7);
  });

  it.each(['', 'sk-', 'sk-short', 'pk-0123456789012345678901234567890123456789', 'sk-with spaces in the middle of it'])(
    'does not take %j for a secret',
    (text) => {
      expect(isSecret(text)).toBe(false);
    },
  );
});
