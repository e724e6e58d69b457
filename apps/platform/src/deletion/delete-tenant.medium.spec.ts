import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isOfTenants, tablesOf } from '@plinth/database';
import { repositoryPath } from '@plinth/git';
import { until } from '@plinth/testing';
import type { Client } from 'pg';
import { repositoryId } from '../../../build-worker/src';
import { withOwner } from '../backup/owner-connection';
import { serviceSchemas } from '../backup/service-schemas';
import { newBelongings } from '../gates/belongings-fixture';
import { startServices, type Services } from '../gates/services-fixture';
import { deleteTenant } from './delete-tenant';

describe(deleteTenant.name, () => {
  let services: Services;
  let kept: Awaited<ReturnType<typeof newTenant>>;
  let deployments = 0;

  beforeAll(async () => {
    services = await startServices();
    kept = await newTenant('kept');
  });
  afterAll(() => services?.stop());

  /** A tenant with something in each service. */
  async function newTenant(name: string) {
    const admin = await services.newTenant(name);
    const { deploymentId } = await newBelongings(services, admin, `Of ${name} ${(deployments += 1)}`);
    const path = repositoryPath(services.stored.storageRoot, repositoryId(admin.tenantId, deploymentId));
    await until(
      'the repository',
      () => existsSync(path),
      (isThere) => isThere,
    );
    return { repository: path, tenantId: admin.tenantId };
  }

  /** Rows by table. */
  const rowsOf = (tenantId: number): Promise<Record<string, number>> =>
    withOwner(services.stored.url, async (client) => {
      await client.query('begin');
      const counts: Record<string, number> = {};
      for (const { service } of serviceSchemas) {
        for (const table of (await tablesOf(client, service)).filter(isOfTenants)) {
          const count = await countOf(client, table, tenantId);
          if (count > 0) counts[`${table.schema}.${table.name}`] = count;
        }
      }
      await client.query('rollback');
      return counts;
    });

  it('refuses a name that no tenant has or had', async () => {
    await expect(deleteTenant(services.stored, 'nobody')).rejects.toThrow('no tenant named nobody');
  });

  it('leaves no row and no repository of the tenant, and all of another', async () => {
    const { tenantId, repository } = await newTenant('acme');
    const before = await rowsOf(tenantId);
    expect(Object.keys(before).length).toBeGreaterThan(30);
    const rowsBefore = await rowsOf(kept.tenantId);

    const deleted = await deleteTenant(services.stored, 'acme');
    expect(deleted).toMatchObject({ name: 'acme', tenantId, hosts: ['acme.localhost'], told: true, repositories: 1 });
    expect(deleted.finishedAt).not.toBeNull();
    expect(deleted.rows).toBeGreaterThanOrEqual(Object.keys(before).length);
    expect(await rowsOf(tenantId)).toEqual({});
    expect(existsSync(repository)).toBe(false);
    const after = await rowsOf(kept.tenantId);
    expect(
      Object.keys(rowsBefore).filter((table) => !PASSING.test(table) && after[table] !== rowsBefore[table]),
    ).toEqual([]);
    expect(existsSync(kept.repository)).toBe(true);
  });

  it('wakes those who tell the services', async () => {
    await services.newTenant('umbrella');
    await withOwner(services.stored.url, async (client) => {
      const woken = once(client, 'notification') as Promise<[{ channel: string }]>;
      await client.query('listen control_plane_outbox');
      await deleteTenant(services.stored, 'umbrella');
      const [{ channel }] = await woken;
      expect(channel).toBe('control_plane_outbox');
    });
  });

  it('keeps where the audit log of the tenant ended, and takes its keys and hosts in the same moment as its rows', async () => {
    const admin = await services.newTenant('globex');
    await services.call(admin, 'createApiKey', { body: { name: 'Audited' } });
    const { tenantId } = admin;
    const end = await until(
      'an audit log',
      () => chainOf(tenantId),
      (chain) => (chain?.events ?? 0) > 0,
    );
    const deleted = await deleteTenant(services.stored, 'globex');
    expect(deleted.audit.events).toBeGreaterThanOrEqual(end?.events ?? 1);
    expect(deleted.audit.hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it('goes on where it was interrupted, and changes nothing more when it is repeated', async () => {
    const { tenantId, repository } = await newTenant('initech');
    const noFolder = join(services.stored.storageRoot, 'a-file');
    writeFileSync(noFolder, '');
    await expect(deleteTenant({ ...services.stored, storageRoot: noFolder }, 'initech')).rejects.toThrow('ENOTDIR');
    expect(existsSync(repository)).toBe(true);
    // Meanwhile the name is free: what goes on is the deletion, and not that of the new tenant.
    const { tenantId: newer } = await services.newTenant('initech');

    expect(await deleteTenant(services.stored, 'initech')).toMatchObject({ tenantId, repositories: 1 });
    expect(existsSync(repository)).toBe(false);
    expect(await rowsOf(tenantId)).toEqual({});
    expect(await rowsOf(newer)).toMatchObject({ 'control_plane.tenant': 1 });

    const second = await deleteTenant(services.stored, 'initech');
    expect(second).toMatchObject({ tenantId: newer });
    expect(await deleteTenant(services.stored, 'initech')).toMatchObject(second);
  });

  it('lends the role of a service the right to delete for its own transaction alone', async () => {
    const mayDelete = await withOwner(services.stored.url, async (client) => {
      const { rows } = await client.query<{ may: boolean }>(
        "select has_table_privilege('plinth_control_plane_system', 'control_plane.audit_event', 'delete') as may",
      );
      return rows[0]?.may;
    });
    expect(mayDelete).toBe(false);
  });

  const chainOf = (tenantId: number): Promise<{ events: number } | undefined> =>
    withOwner(services.stored.url, async (client) => {
      await client.query('begin; set local role plinth_control_plane_system');
      const { rows } = await client.query<{ events: number }>(
        'select length as events from control_plane.audit_chain where tenant_id = $1',
        [tenantId],
      );
      return rows[0];
    });
});

/** What comes and goes by itself. */
const PASSING = /outbox|inbox|idempotency|audit_|build|compile|dbt_|export|task|usage/;

async function countOf(
  client: Client,
  { schema, name, systemRole, hasTenant }: { schema: string; name: string; systemRole: string; hasTenant: boolean },
  tenantId: number,
): Promise<number> {
  await client.query(`set local role ${systemRole}`);
  const column = hasTenant ? 'tenant_id' : 'id';
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::integer as count from ${schema}."${name}" where ${column} = $1`,
    [tenantId],
  );
  await client.query('reset role');
  return rows[0]?.count ?? 0;
}
