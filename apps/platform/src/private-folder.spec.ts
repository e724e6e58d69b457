import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { privateFolder } from './private-folder';

const root = mkdtempSync(join(tmpdir(), 'plinth-private-'));
afterAll(() => rmSync(root, { recursive: true }));
const modeOf = (...path: string[]) => (statSync(join(root, ...path)).mode & 0o777).toString(8);

describe('privateFolder', () => {
  it('makes a folder that nobody else can enter, whatever the umask', () => {
    const before = process.umask(0);
    privateFolder(join(root, 'a', 'new'));
    process.umask(before);
    expect([modeOf('a', 'new'), modeOf('a')]).toEqual(['700', '700']);
  });

  it('takes back what others could read or enter, and leaves what a link leads to', () => {
    const outside = join(root, 'outside');
    mkdirSync(join(root, 'old', 'repositories'), { recursive: true });
    for (const path of [outside, join(root, 'old', 'key')]) writeFileSync(path, '');
    symlinkSync(outside, join(root, 'old', 'link'));
    for (const path of ['old', 'old/repositories', 'old/key', 'outside']) chmodSync(join(root, path), 0o755);
    privateFolder(join(root, 'old'));
    expect([modeOf('old'), modeOf('old', 'repositories'), modeOf('old', 'key')]).toEqual(['700', '700', '700']);
    expect(modeOf('outside')).toBe('755');
  });

  const asRoot = process.getuid?.() === 0 ? it : it.skip;
  asRoot('lets an account pass through to what it owns in the folder, and list nothing', () => {
    mkdirSync(join(root, 'lent', 'postgres'), { recursive: true });
    chownSync(join(root, 'lent', 'postgres'), 65_534, 65_534);
    chmodSync(join(root, 'lent', 'postgres'), 0o750);
    privateFolder(join(root, 'lent'));
    expect([modeOf('lent'), modeOf('lent', 'postgres')]).toEqual(['711', '750']);
  });
});
