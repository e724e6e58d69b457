import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AdminKey } from './admin-key';

describe(AdminKey.name, () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'admin-key-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const file = () => join(folder, 'admin-api-key');
  const kept = () => readdirSync(folder);

  it('leaves no file with a key that was made in vain', () => {
    expect(new AdminKey(folder, false).settle(false)).toBeUndefined();
    expect(kept()).toEqual([]);
  });

  it('makes no key when the operator gives one', () => {
    const key = new AdminKey(folder, true);
    expect([key.value, key.settle(false), kept()]).toEqual([undefined, undefined, []]);
  });

  it('has a file of its name once the key is known to work, for its owner alone', () => {
    const key = new AdminKey(folder, false);
    expect(kept()).toEqual(['admin-api-key.unused']);
    expect(key.settle(true)).toBe(file());
    expect([kept(), readFileSync(file(), 'utf8').trim()]).toEqual([['admin-api-key'], key.value]);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(new AdminKey(folder, false).settle(true)).toBe(file());
    expect(kept()).toEqual(['admin-api-key']);
  });

  it('keeps the key of a start that did not get as far', () => {
    const { value } = new AdminKey(folder, false);
    expect(new AdminKey(folder, false).value).toBe(value);
  });

  it('puts a key aside that works no more, also beside one that is given, and back when it does again', () => {
    writeFileSync(file(), 'sk-old\n');
    for (const isGiven of [false, true]) {
      const key = new AdminKey(folder, isGiven);
      expect([key.value, key.settle(false), kept()]).toEqual(['sk-old', undefined, ['admin-api-key.unused']]);
      expect(new AdminKey(folder, isGiven).settle(true)).toBe(file());
      expect(kept()).toEqual(['admin-api-key']);
    }
  });
});
