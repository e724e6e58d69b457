import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { Database, enableTenantIsolation, provision, SecretBox, type ServiceSchema } from '@plinth/database';
import { createDatabaseFrom, runChild, type TestDatabase } from '@plinth/testing';
import { refFileHandlers, type JournalOrder } from '../../testing/journal-child';
import { GitJournal } from './git-journal';

class Notes1700000000001 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('create table note (tenant_id bigint not null, text text not null)');
    await enableTenantIsolation(queryRunner, 'note');
  }

  async down(): Promise<void> {}
}

const schema: ServiceSchema = {
  service: 'build-worker',
  entities: [],
  migrations: { preDeploy: [Notes1700000000001], postDeploy: [] },
};

describe('a git write after kill -9', () => {
  const encryptionKey = randomBytes(32).toString('base64');
  let server: TestDatabase;
  let folder: string;
  let owner: Client;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'plinth-crash-'));
    server = await createDatabaseFrom('journal_crash', (url) => provision(url, schema));
    owner = new Client({ connectionString: server.url });
    await owner.connect();
  });

  afterEach(async () => {
    await owner.end();
    await server.drop();
    rmSync(folder, { recursive: true });
  });

  const refFile = (): string => join(folder, 'ref');
  const linesOfRef = (): string[] =>
    existsSync(refFile()) ? readFileSync(refFile(), 'utf8').split('\n').filter(Boolean) : [];
  const countOf = async (table: string): Promise<number> =>
    Number((await owner.query(`select count(*) from build_worker.${table}`)).rows[0].count);

  /** Runs the child; undefined when it died at its failpoint. */
  async function child(failpoint: string | null) {
    const order: JournalOrder = { failpoint, url: server.url, encryptionKey, refFile: refFile() };
    const { killed, output } = await runChild(join(__dirname, '../../testing/journal-child.ts'), order);
    if (killed) return undefined;
    return JSON.parse(output) as { reply: unknown; replayed: boolean };
  }

  it.each(['journal.after-intent', 'journal.after-refs', 'journal.before-commit', 'journal.after-commit'])(
    'a retried git write moves the reference once, settles once and gives equal replies: %s',
    async (failpoint) => {
      expect(await child(failpoint)).toBeUndefined();
      const retried = await child(null);
      const repeated = await child(null);
      expect(retried?.replayed).toBe(failpoint !== 'journal.after-intent');
      expect(repeated).toEqual({ reply: retried?.reply, replayed: true });
      expect(linesOfRef()).toEqual([(retried?.reply as { commit: string }).commit]);
      expect([await countOf('note'), await countOf('outbox'), await countOf('intent')]).toEqual([1, 1, 0]);
    },
  );

  it.each([
    ['journal.after-intent', 0],
    ['journal.after-refs', 1],
  ])('the recovery settles what nobody retries: %s', async (failpoint, effects) => {
    await child(failpoint);
    const database = await Database.open({
      ...schema,
      url: server.url,
      secrets: new SecretBox([encryptionKey]),
      migrate: 'none',
    });
    const journal = new GitJournal(database, refFileHandlers(refFile()));
    expect(await journal.recover()).toBe(0);
    expect(await countOf('intent')).toBe(1);

    await owner.query("update build_worker.intent set created_at = now() - interval '2 minutes'");
    expect(await journal.recover()).toBe(1);
    await database.close();
    expect(await countOf('intent')).toBe(0);
    expect([await countOf('note'), await countOf('outbox'), linesOfRef().length]).toEqual([effects, effects, effects]);
    expect((await child(null))?.replayed).toBe(effects === 1);
    expect(linesOfRef()).toHaveLength(1);
  });
});
