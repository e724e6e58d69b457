import { createHash } from 'node:crypto';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { pack, type Headers } from 'tar-stream';
import { serviceSchemas } from './service-schemas';
import { BackupReader } from './backup-reader';
import { checkBackup } from './restore-backup';

interface Entry extends Headers {
  text?: string;
}

const tables = {};
const header = (more: object = {}) => ({
  format: 1,
  release: '9.9.9',
  createdAt: '2026-11-23T00:00:00.000Z',
  tenant: null,
  tenants: [],
  keyIds: [],
  services: Object.fromEntries(serviceSchemas.map(({ service }) => [service, { migrations: [], tables }])),
  ...more,
});
const outcome = { rows: 0, repositories: 0, removedMeanwhile: [] };

describe(BackupReader.name, () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'plinth-backup-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** A file with sound checksums, whoever made it. */
  async function made(entries: readonly Entry[], head: object = header()): Promise<string> {
    const file = join(folder, 'backup.tar');
    const tar = pack();
    const written = pipeline(tar, createWriteStream(file));
    const all = [
      { name: 'backup.json', text: JSON.stringify(head) },
      ...entries,
      { name: 'outcome.json', text: JSON.stringify(outcome) },
    ];
    const sums = all.map(({ name, text = '' }) => `${createHash('sha256').update(text).digest('hex')}  ${name}\n`);
    for (const { text = '', ...headers } of all) tar.entry(headers, text);
    tar.entry({ name: 'checksums' }, sums.join(''));
    tar.finalize();
    await written;
    return file;
  }
  const checked = async (entries: readonly Entry[], head?: object) =>
    checkBackup(new BackupReader(await made(entries, head)), []);

  it.each<[string, object]>([
    ['a format', { format: 2 }],
    ['a migration', { services: { 'control-plane': { migrations: ['FromTheFuture1999999999999'], tables } } }],
    ['a service', { services: { billing: { migrations: [], tables } } }],
  ])('refuses the backup of a newer release by %s', async (_what, more) => {
    await expect(checked([], header(more))).rejects.toThrow('made by the newer release 9.9.9');
  });

  it.each<[string, Entry]>([
    ['a path out of it', { name: 'repositories/../../etc/t1-d1.pack', text: 'x' }],
    ['an absolute path', { name: '/etc/cron.d/plinth', text: 'x' }],
    ['a table in another place', { name: 'database/../control_plane/tenant.copy.gz', text: 'x' }],
    ['a symbolic link', { name: 'repositories/t1-d1.pack', type: 'symlink', linkname: '/etc/shadow' }],
    ['a hard link', { name: 'repositories/t1-d1.refs', type: 'link', linkname: '/etc/shadow' }],
    ['a device', { name: 'repositories/t1-d1.refs', type: 'character-device' }],
    ['something of another kind', { name: 'notes.txt', text: 'x' }],
  ])('refuses a file with %s, sound as its checksums may be', async (_what, entry) => {
    await expect(checked([entry])).rejects.toThrow('is damaged: it has what no backup has');
  });

  it('holds no header in memory that is longer than any of ours', async () => {
    const entry = { name: 'repositories/t1-d1.pack', text: 'x', pax: { comment: 'x'.repeat(8 * 1024 * 1024) } };
    await expect(checked([entry])).rejects.toThrow('is damaged: a header is too long');
  });

  it('takes a file with what backups have', async () => {
    const text = 'x'.repeat(3 * 1024 * 1024);
    const entries = [
      { name: 'repositories/t1-d1.pack', text },
      { name: 'database/runtime/inbox.copy.gz', text },
    ];
    expect(await checked(entries)).toEqual(outcome);
  });
});
