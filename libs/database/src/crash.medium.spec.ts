import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createDatabaseFrom, runChild, type TestDatabase } from '@plinth/testing';
import { enableTenantIsolation, provision, type ServiceSchema } from '.';
import type { CrashOrder } from './testing/crash-child';

class Notes1700000000001 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('create table note (tenant_id bigint not null, text text not null)');
    await enableTenantIsolation(queryRunner, 'note');
  }

  async down(): Promise<void> {}
}

const schema: ServiceSchema = {
  service: 'workspace',
  entities: [],
  migrations: { preDeploy: [Notes1700000000001], postDeploy: [] },
};

describe('after kill -9', () => {
  const encryptionKey = randomBytes(32).toString('base64');
  let server: TestDatabase;
  let folder: string;
  let owner: Client;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'plinth-crash-'));
    server = await createDatabaseFrom('crash', (url) => provision(url, schema));
    owner = new Client({ connectionString: server.url });
    await owner.connect();
  });

  afterEach(async () => {
    await owner.end();
    await server.drop();
    rmSync(folder, { recursive: true });
  });

  const deliveries = (): string => join(folder, 'deliveries');
  const delivered = (): string[] =>
    existsSync(deliveries()) ? readFileSync(deliveries(), 'utf8').split('\n').filter(Boolean) : [];
  const countOf = async (table: string): Promise<number> =>
    Number((await owner.query(`select count(*) from workspace.${table}`)).rows[0].count);

  /** Runs the child; undefined when it died at its failpoint. */
  async function child(action: CrashOrder['action'], failpoint: string | null, key = 'k-1') {
    const order: CrashOrder = { action, failpoint, url: server.url, encryptionKey, key, deliveries: deliveries() };
    const { killed, output } = await runChild(join(__dirname, 'testing/crash-child.ts'), order);
    if (killed) return undefined;
    return JSON.parse(output) as { reply: unknown; replayed: boolean };
  }

  it.each(['mutate.after-claim', 'mutate.after-work', 'mutate.before-commit', 'mutate.after-commit'])(
    'a retried mutation has one effect, one audit event and equal replies: %s',
    async (failpoint) => {
      expect(await child('mutate', failpoint)).toBeUndefined();
      const retried = await child('mutate', null);
      const repeated = await child('mutate', null);
      expect(retried?.replayed).toBe(failpoint === 'mutate.after-commit');
      expect(repeated).toEqual({ reply: retried?.reply, replayed: true });
      expect(await countOf('note')).toBe(1);
      expect(await countOf('outbox')).toBe(1);
      expect((await owner.query('select text from workspace.note')).rows[0]).toEqual(retried?.reply);
    },
  );

  it.each([
    ['outbox.after-claim', 1],
    ['outbox.after-deliver', 2],
    ['outbox.before-commit', 2],
    ['outbox.after-commit', 1],
  ])(
    'the events of a batch are delivered until they are acknowledged, each time under the same ids: %s',
    async (failpoint, deliveries) => {
      for (const key of ['k-1', 'k-2', 'k-3']) await child('mutate', null, key);
      expect(await child('relay', failpoint)).toBeUndefined();
      await child('relay', null);
      await child('relay', null);
      const batches = delivered().map((line) =>
        (JSON.parse(line) as { events: { eventId: string }[] }).events.map(({ eventId }) => eventId),
      );
      expect(batches).toHaveLength(deliveries);
      expect(new Set(batches[0]).size).toBe(3);
      for (const batch of batches) expect(batch).toEqual(batches[0]);
      expect(await countOf('outbox')).toBe(0);
    },
  );
});
