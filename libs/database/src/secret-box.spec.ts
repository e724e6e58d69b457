import { randomBytes } from 'node:crypto';
import { SecretBox } from './secret-box';

const newKey = (): string => randomBytes(32).toString('base64');

describe(SecretBox.name, () => {
  const [current, previous] = [newKey(), newKey()];
  const box = new SecretBox([current, previous]);

  it('does not open what was moved to another place', () => {
    expect(() => box.open(box.seal('s', 'deployment:1'), 'deployment:2')).toThrow();
  });

  it.each([0, 12, -1])('does not open what was changed at byte %i', (index) => {
    const [keyId, body] = box.seal('secret', 'c').split('.');
    const bytes = Buffer.from(body!, 'base64url');
    const at = index < 0 ? bytes.length + index : index;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    expect(() => box.open(`${keyId}.${bytes.toString('base64url')}`, 'c')).toThrow();
  });

  it.each(['', 'plain', 'abcdef01.', 'abcdef01.AAAA'])('does not open %j', (text) => {
    expect(() => box.open(text, 'c')).toThrow();
  });

  it('does not open what was sealed under a key that was taken away', () => {
    const sealed = new SecretBox([newKey()]).seal('s', 'c');
    expect(() => box.open(sealed, 'c')).toThrow('is not configured');
  });

  it.each([[[]], [['c2hvcnQ=']]])('refuses keys %j', (keys) => {
    expect(() => new SecretBox(keys)).toThrow();
  });

  it('opens what an earlier key sealed, and says that it should be sealed anew', () => {
    const old = new SecretBox([previous]).seal('grüße', 'c');
    expect(box.open(old, 'c')).toBe('grüße');
    expect(box.isCurrent(old)).toBe(false);
    expect(box.isCurrent(box.seal('s', 'c'))).toBe(true);
  });

  it('never seals the same secret to the same text', () => {
    expect(box.seal('s', 'c')).not.toBe(box.seal('s', 'c'));
  });
});
