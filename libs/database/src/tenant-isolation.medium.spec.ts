import { Client } from 'pg';
import { createTestDatabase, type ServiceDatabase } from '@plinth/testing';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import {
  findUnprotectedTables,
  enableTenantIsolation,
  declareGlobalTable,
  managerFor,
  provision,
  type ServiceSchema,
} from '.';

const EVERY_NOTE = { name: 'every-note', text: 'select tenant_id, text from note order by id' };

class Notes1700000000001 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'create table note (id bigint generated always as identity primary key, tenant_id bigint not null, text text)',
    );
    await enableTenantIsolation(queryRunner, 'note');
    await queryRunner.query('create table tenant (id bigint generated always as identity primary key)');
    await declareGlobalTable(queryRunner, 'tenant');
  }

  async down(): Promise<void> {}
}

const schema: ServiceSchema = {
  service: 'workspace',
  entities: [],
  migrations: { preDeploy: [Notes1700000000001], postDeploy: [] },
};

describe('tenant isolation', () => {
  let server: ServiceDatabase;

  const run = (tenantId: number, text: string, values: unknown[] = []): Promise<unknown> =>
    server.database.transaction(tenantId, (tx) => managerFor(tx).query(text, values));
  const notesOf = async (tenantId: number): Promise<unknown[]> =>
    (await server.database.read<{ text: string }>(tenantId, EVERY_NOTE)).map(({ text }) => text);
  const asOwner = async (text: string): Promise<void> => {
    const owner = new Client({ connectionString: server.url });
    await owner.connect();
    await owner.query(text).finally(() => owner.end());
  };

  beforeEach(async () => {
    // One connection, so that every statement meets what the one before left on it.
    server = await createTestDatabase(schema, { poolSize: 1 });
    await run(1, "insert into note (tenant_id, text) values (1, 'of one')");
    await run(2, "insert into note (tenant_id, text) values (2, 'of two')");
  });

  afterEach(() => server.drop());

  it('shows a tenant its own rows alone, also where the WHERE was forgotten', async () => {
    expect(await notesOf(1)).toEqual(['of one']);
    expect(await notesOf(2)).toEqual(['of two']);
    expect(await notesOf(1)).toEqual(['of one']);
    expect(await notesOf(3)).toEqual([]);
  });

  it('updates and deletes nothing of another tenant', async () => {
    expect(await run(1, "update note set text = 'stolen' where tenant_id = 2 returning id")).toEqual([[], 0]);
    expect(await run(1, 'delete from note where tenant_id = 2 returning id')).toEqual([[], 0]);
    expect(await notesOf(2)).toEqual(['of two']);
  });

  it('refuses to insert a row for another tenant, or to hand one over', async () => {
    const refusal = { code: '42501' };
    await expect(run(1, "insert into note (tenant_id, text) values (2, 'forged')")).rejects.toMatchObject(refusal);
    await expect(run(1, 'update note set tenant_id = 2')).rejects.toMatchObject(refusal);
    expect(await notesOf(2)).toEqual(['of two']);
  });

  it('sets the tenant anew after a transaction that set another one on the connection', async () => {
    await notesOf(1);
    await run(1, "select set_config('plinth.tenant_id', '2', false)");
    expect(await notesOf(1)).toEqual(['of one']);
    await run(1, "set plinth.tenant_id = '2'");
    expect(await run(1, 'select text from note')).toEqual([{ text: 'of one' }]);
  });

  it('keeps the tenants apart when many callers share few connections', async () => {
    const shared = await createTestDatabase(schema, { poolSize: 3 });
    const { database } = shared;
    const tenants = Array.from({ length: 60 }, (_, index) => 1 + (index % 7));
    await Promise.all(
      tenants.map((tenant) =>
        database.transaction(tenant, (tx) =>
          managerFor(tx).query('insert into note (tenant_id, text) values ($1, $2)', [tenant, `of ${tenant}`]),
        ),
      ),
    );
    const seen = await Promise.all(tenants.map((tenant) => database.read<{ tenant_id: number }>(tenant, EVERY_NOTE)));
    seen.forEach((rows, index) => {
      expect(rows.length).toBeGreaterThan(0);
      expect(new Set(rows.map((row) => row.tenant_id))).toEqual(new Set([tenants[index]]));
    });
    await shared.drop();
  });

  it('keeps a service out of the schema of another one', async () => {
    await provision(server.url, { service: 'embed', entities: [], migrations: { preDeploy: [], postDeploy: [] } });
    const denied = { code: '42501' };
    await expect(run(1, 'select * from embed.outbox')).rejects.toMatchObject(denied);
    await expect(
      server.database.readAsSystem({ name: 'foreign', text: 'select * from embed.outbox' }),
    ).rejects.toMatchObject(denied);
  });

  it.each([
    'alter table note disable row level security',
    'drop policy tenant_isolation on note',
    'truncate note',
    'create table other (id int)',
    'select * from tenant',
    'select * from migration',
    'delete from migration',
  ])('does not let a service role run: %s', async (statement) => {
    await expect(run(1, statement)).rejects.toMatchObject({ code: '42501' });
  });

  it('lets the system role see every tenant, and global tables', async () => {
    expect(await server.database.readAsSystem(EVERY_NOTE)).toHaveLength(2);
    expect(await server.database.readAsSystem({ name: 'tenants', text: 'select * from tenant' })).toEqual([]);
  });

  it('finds no unprotected table in the schema of a service', async () => {
    expect(await findUnprotectedTables(server.database)).toEqual([]);
  });

  it.each([
    ['create table workspace.loose (id int)', 'loose: has no tenant_id bigint not null'],
    ['create table workspace.loose (tenant_id bigint not null)', 'loose: row-level security is not enabled'],
    ['alter table workspace.note disable row level security', 'note: row-level security is not enabled'],
    ['alter table workspace.note no force row level security', 'note: row-level security is not forced'],
    ['create policy other on workspace.note using (true)', 'note: has a policy for another role'],
    [
      'create policy other on workspace.note to plinth_workspace using (true) with check (true)',
      'note: does not have exactly one policy for the ordinary role',
    ],
    [
      'create policy other on workspace.note for select to plinth_workspace using (true)',
      'note: does not have exactly one policy for the ordinary role',
    ],
    [
      'alter policy tenant_isolation on workspace.note using (true) with check (true)',
      'note: its policy does not compare the tenant',
    ],
    ['alter table workspace.note alter tenant_id drop not null', 'note: has no tenant_id bigint not null'],
    ['grant select on workspace.tenant to plinth_workspace', 'tenant: is global but the ordinary role may use it'],
  ])('finds what %s leaves open', async (statement, problem) => {
    await asOwner(statement);
    expect(await findUnprotectedTables(server.database)).toEqual([problem]);
  });
});
