import { randomUUID } from 'node:crypto';
import { Housekeeping } from '@plinth/database';
import { createTestDatabase, type ServiceDatabase } from '@plinth/testing';
import { Client } from 'pg';
import { pino } from 'pino';
import { controlPlaneSchema } from '../../control-plane.schema';
import { deliver, eventsService, recordedEvent, verify as verifyIn } from '../../testing/audit-fixture';
import type { AuditVerdict } from './audit-verifier';

describe('the audit log', () => {
  let server: ServiceDatabase;
  let owner: Client;

  beforeEach(async () => {
    server = await createTestDatabase(controlPlaneSchema);
    owner = new Client({ connectionString: server.url, options: '-c search_path=control_plane' });
    await owner.connect();
  });

  afterEach(async () => {
    await owner.end();
    await server.drop();
  });

  const verify = (): Promise<AuditVerdict[]> => verifyIn(server.database);

  const months = async (): Promise<string[]> =>
    (await owner.query<{ name: string }>('select distinct tableoid::regclass::text as name from audit_event')).rows.map(
      ({ name }) => name,
    );

  const tableAhead = (monthsAhead: number): string => {
    const month = new Date();
    month.setUTCMonth(month.getUTCMonth() + monthsAhead, 15);
    return `audit_event_${month.toISOString().slice(0, 7).replace('-', '_')}`;
  };

  it.each([
    ["update audit_event set event = 'Nothing'"],
    ['delete from audit_event'],
    ['truncate audit_event'],
    ['insert into audit_event_default select * from audit_event'],
    ['delete from audit_event_default'],
    ['delete from audit_chain'],
  ])('refuses the roles of the service: %s', async (statement) => {
    await deliver(server.database, 1, { occurredAt: '2001-05-05T00:00:00.000Z' });
    for (const role of [server.database.names.role, server.database.names.systemRole]) {
      await owner.query('begin');
      await owner.query(`set local role ${role}`);
      await owner.query("set local plinth.tenant_id = '1'");
      await expect(owner.query(statement)).rejects.toMatchObject({ code: '42501' });
      await owner.query('rollback');
    }
  });

  it.each([
    ['a changed event', "update audit_event set actor_email = 'other@acme.test' where id = 3", 3, /as it was recorded/],
    ['a changed attribute', `update audit_event set attributes = '{"name": "Analyst"}' where id = 3`, 3, /as it was/],
    ['a changed moment', "update audit_event set occurred_at = occurred_at - interval '1 ms' where id = 3", 3, /as it/],
    ['a removed event', 'delete from audit_event where id = 2', 2, /missing/],
    ['a removed end', 'delete from audit_event where id = 5', 5, /1 events are missing/],
    [
      'two swapped events',
      'update audit_event set id = case id when 2 then 3 else 2 end where id in (2, 3)',
      2,
      /as it was recorded/,
    ],
    ['another end', 'update audit_chain set hash = sha256(hash)', 5, /does not end as it was recorded/],
  ])('shows %s', async (_what, tampering, id, reason) => {
    for (let count = 0; count < 5; count += 1) await deliver(server.database, 1);
    expect(await verify()).toMatchObject([{ tenantId: 1, intact: 5, broken: null }]);
    await owner.query('alter table audit_event drop constraint audit_event_tenant_id_id_occurred_at_pk');
    await owner.query(tampering);
    const [verdict] = await verify();
    expect(verdict).toMatchObject({ intact: id - 1, broken: { id, reason: expect.stringMatching(reason) } });
  });

  it('chains the events of concurrent deliveries without a gap, each tenant for itself', async () => {
    const deliveries = Array.from({ length: 30 }, (_value, index) => deliver(server.database, 1 + (index % 2)));
    await Promise.all(deliveries);
    expect(await verify()).toMatchObject([
      { tenantId: 1, intact: 15, broken: null },
      { tenantId: 2, intact: 15, broken: null },
    ]);
  });

  it('takes an event once, however often it is delivered', async () => {
    const eventId = await deliver(server.database, 1);
    await Promise.all([1, 2, 3].map(() => deliver(server.database, 1, {}, eventId)));
    expect(await verify()).toMatchObject([{ intact: 1, broken: null }]);
  });

  it('chains what is delivered together in its order, without what it has already', async () => {
    const [first, second, third] = ['Created role', 'Updated role', 'Deleted role'].map((event) => ({
      eventId: randomUUID(),
      type: 'audit.recorded',
      occurredAt: new Date().toISOString(),
      payload: recordedEvent({ event, attributes: { text: `"\\{}, '${event}'\n` } }),
    }));
    const events = eventsService(server.database);
    await events.deliver({ tenantId: 1, events: [second!] });
    await events.deliver({ tenantId: 1, events: [first!, second!, third!] });
    const { rows } = await owner.query('select event, attributes from audit_event order by id');
    expect(rows.map(({ event }) => event)).toEqual(['Updated role', 'Created role', 'Deleted role']);
    expect(rows[1]).toMatchObject({ attributes: first!.payload.attributes });
    expect(await verify()).toMatchObject([{ intact: 3, broken: null }]);
  });

  it('takes nothing of what it is sent with a kind that this build does not know', async () => {
    const event = { type: 'audit.recorded', occurredAt: new Date().toISOString(), payload: recordedEvent() };
    const unknown = { ...event, type: 'audit.redacted', eventId: randomUUID() };
    const delivery = { tenantId: 1, events: [{ ...event, eventId: randomUUID() }, unknown] };
    await expect(eventsService(server.database).deliver(delivery)).rejects.toMatchObject({
      code: 'service.unavailable',
    });
    expect(await verify()).toEqual([]);
  });

  it('keeps a month in a table of its own, and takes events of months that have none', async () => {
    await deliver(server.database, 1);
    await deliver(server.database, 1, { occurredAt: '2001-05-05T00:00:00.000Z' });
    expect((await months()).sort()).toEqual([tableAhead(0), 'audit_event_default']);
    expect(await verify()).toMatchObject([{ intact: 2, broken: null }]);
  });

  it('makes the tables of the months ahead, again and again, also when the default one has events of them', async () => {
    const ahead = new Date();
    ahead.setUTCMonth(ahead.getUTCMonth() + 5, 15);
    await deliver(server.database, 1, { occurredAt: ahead.toISOString() });
    const housekeeping = new Housekeeping(
      server.database,
      pino({ enabled: false }),
      [],
      ['select make_audit_partitions(6)'],
    );
    const make = (): Promise<void> => housekeeping.run();
    await Promise.all([make(), make()]);
    await make();
    const { rows } = await owner.query<{ name: string }>(
      "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'audit_event'::regclass",
    );
    const names = rows.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['audit_event_default', ...[0, 1, 2, 3, 4, 6].map(tableAhead)]));
    expect(names).not.toContain(tableAhead(5));
    expect(await months()).toEqual(['audit_event_default']);
  });

  it('tells the name of a deployment, also after its deletion', async () => {
    await owner.query(`
      insert into deployment (tenant_id, name, cloud_provider, region, target_platform, is_managed, creation_step,
        deploy_mode, deploy_branch_name, deploy_branch_read_only, deploy_branch_merge_allowed, deploy_project_root,
        template, template_variables, release_channel, version, is_version_held)
      values (1, 'Sales', '', '', '', true, '', '', '', false, true, '', '', '{}', '', '', false)`);
    const { rows } = await owner.query<{ id: string }>('select id from deployment');
    const deploymentId = Number(rows[0]?.id);
    await deliver(server.database, 1, { deploymentId });
    await owner.query('delete from deployment');
    await deliver(server.database, 1, { deploymentId, event: 'Deleted deployment' });
    await deliver(server.database, 2, { deploymentId });
    const names = await owner.query('select deployment_name as name from audit_event order by tenant_id, id');
    expect(names.rows).toEqual([{ name: 'Sales' }, { name: 'Sales' }, { name: null }]);
  });
});
