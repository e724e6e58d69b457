import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VersionCatalogue } from './version-catalogue';

const folders: string[] = [];
const write = (content: unknown): string => {
  const folder = mkdtempSync(join(tmpdir(), 'catalogue-'));
  folders.push(folder);
  const file = join(folder, 'versions.json');
  writeFileSync(file, JSON.stringify(content));
  return file;
};

describe(VersionCatalogue.name, () => {
  afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));
  const own = { image: 'registry.example/cube', channels: { latest: ['1.9.2', '1.10.0'], release: ['1.8.4'] } };

  it.each([
    [{ image: 'cubejs/cube', channels: { latest: [], release: ['1.0.0'] } }],
    [{ image: 'cubejs/cube', channels: { latest: ['newest'], release: ['1.0.0'] } }],
    [{ channels: { latest: ['1.0.0'], release: ['1.0.0'] } }],
  ])('refuses an unusable file: %j', (content) => {
    expect(() => VersionCatalogue.load(write(content))).toThrow('The version catalogue is not usable');
  });

  it('takes the highest version of a channel as its head, whatever the order of the file', () => {
    expect(VersionCatalogue.load(write(own)).head('latest').version).toBe('1.10.0');
  });

  it.each(['1.7.20', 'v1.7.20', 'cubejs/cube:v1.7.20', 'cubejs/cube:1.7.20'])('reads the notation %s', (notation) => {
    expect(VersionCatalogue.load().parse(notation)).toBe('1.7.20');
  });

  it.each(['latest', '1.7', 'other/cube:v1.7.20', '1.7.20-beta', '', 'v', ':v1.7.20'])(
    'does not take %j for a version',
    (notation) => {
      expect(VersionCatalogue.load().parse(notation)).toBeUndefined();
    },
  );

  it.each([
    ['1.10.0', '1.10.3'],
    ['1.10.3', '1.10.3'],
    ['1.10.4', '1.10.4'],
    ['1.9.1', '1.9.2'],
    ['1.1.0', '1.1.0'],
  ])('takes %s to the patch %s, never to another minor version and never back', (version, newest) => {
    const patched = { ...own, channels: { ...own.channels, latest: ['1.9.2', '1.10.3', '1.11.0'] } };
    const catalogue = VersionCatalogue.load(write(patched));
    expect(catalogue.newestPatch({ releaseChannel: 'latest', version }).version).toBe(newest);
  });

  it('offers the heads and what ran before, each once, newest first', () => {
    const before = [
      { releaseChannel: 'latest', version: '1.9.2' },
      { releaseChannel: 'latest', version: '1.10.0' },
    ] as const;
    expect(VersionCatalogue.load(write(own)).choices(before)).toEqual([
      { releaseChannel: 'latest', version: '1.10.0' },
      { releaseChannel: 'latest', version: '1.9.2' },
      { releaseChannel: 'release', version: '1.8.4' },
    ]);
  });
});
