import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

const root = resolve(__dirname, '../../..');
const releases = join(root, 'apps/e2e/fixtures/releases');

/** A database that has run a migration does not run it again: an edit makes two kinds of databases of one release. */
describe.each(readdirSync(releases))('the migrations of release %s', (release) => {
  it('are as they were released', () => {
    const lines = readFileSync(join(releases, release, 'migrations.sha256'), 'utf8')
      .trim()
      .split('\n');
    const released = lines.map((line) => ({ hash: line.slice(0, 64), name: line.slice(66) }));
    expect(released.length).toBeGreaterThan(50);
    const changed = released.filter(({ name, hash }) => present.get(name) !== hash).map(({ name }) => name);
    expect(changed).toEqual([]);
  });
});

const present = new Map(
  ['apps', 'libs'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.migration.ts'))
      .map((file) => [basename(file), hashOf(join(root, folder, file))] as const),
  ),
);

function hashOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
