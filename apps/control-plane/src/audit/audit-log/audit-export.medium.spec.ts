import { systemPrincipal, type Principal } from '@plinth/auth';
import type { QueryOf } from '@plinth/contract';
import { managerFor } from '@plinth/database';
import { createBus, InProcessHub, type Bus } from '@plinth/messaging';
import { createTestDatabase, type ServiceDatabase } from '@plinth/testing';
import { Client } from 'pg';
import { pino } from 'pino';
import { controlPlaneSchema } from '../../control-plane.schema';
import { TenantSettingsRepository } from '../../tenancy/tenant-settings/tenant-settings.repository';
import { AccessChanges } from '../../kernel/access-changes/access-changes.service';
import { TenantSettingsService } from '../../tenancy/tenant-settings/tenant-settings.service';
import { AuditExportRepository } from './audit-export.repository';
import { AuditExportService } from './audit-export.service';
import { deliver } from '../../testing/audit-fixture';

const header = 'id,timestamp,event,actorType,actorId,actorEmail,ip,deploymentId,deploymentName,requestId,attributes';
const admin = (tenantId: number): Principal => ({ ...systemPrincipal(tenantId), kind: 'api-key' });

describe(AuditExportService.name, () => {
  let server: ServiceDatabase;
  let settings: TenantSettingsService;
  let repository: AuditExportRepository;
  let service: AuditExportService;
  let bus: Bus;

  beforeEach(async () => {
    server = await createTestDatabase(controlPlaneSchema);
    bus = await createBus({ name: 'control-plane', hub: new InProcessHub(), logger: pino({ enabled: false }) });
    const changes = new AccessChanges(server.database, bus);
    settings = new TenantSettingsService(server.database, new TenantSettingsRepository(), changes);
    repository = new AuditExportRepository();
    service = new AuditExportService(server.database, settings, repository);
    for (const tenantId of [1, 2]) await settings.update(admin(tenantId), { auditLogEnabled: true });
  });

  afterEach(() => Promise.all([bus.close(), server.drop()]));

  async function linesOf(query: QueryOf<'exportAuditLogs'> = {}, tenantId = 1): Promise<string[]> {
    const { stream } = await service.export(admin(tenantId), query);
    const chunks: Uint8Array[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    const lines = Buffer.concat(chunks).toString('utf8').split('\r\n');
    expect(lines.shift()).toBe(header);
    expect(lines.pop()).toBe('');
    return lines;
  }
  const idsOf = async (query: QueryOf<'exportAuditLogs'>): Promise<number[]> =>
    (await linesOf(query)).map((line) => Number(line.split(',', 1)[0]));

  /** Puts rows straight into the table: the export does not look at hashes. */
  const insertMany = (count: number, nameLength = 0): Promise<void> =>
    server.database.asSystem(async (tx) => {
      await managerFor(tx).query(
        `insert into audit_event select 1, n, gen_random_uuid(), now() - make_interval(secs => $1 - n), 'Created user',
           'api-key', 'api-key:1', 'a@acme.test', '203.0.113.7', null, null, 'r',
           json_build_object('name', repeat('x', $2)), '' from generate_series(1, $1) n`,
        [count, nameLength],
      );
      await managerFor(tx).query(
        `insert into audit_chain values (1, $1, '') on conflict (tenant_id) do update set length = $1`,
        [count],
      );
    });

  it('is refused while the log is not enabled', async () => {
    await settings.update(admin(1), { auditLogEnabled: false });
    await expect(service.export(admin(1), {})).rejects.toMatchObject({ code: 'audit_log.off', status: 403 });
    await expect(service.export(admin(3), {})).rejects.toMatchObject({ code: 'audit_log.off' });
  });

  it('shows the events of its own tenant alone, also in a search', async () => {
    await deliver(server.database, 1, { attributes: { name: 'ours' } });
    await deliver(server.database, 2, { attributes: { name: 'theirs' } });
    expect(await linesOf()).toEqual([expect.stringContaining('ours')]);
    expect(await linesOf({ search: 'theirs' })).toEqual([]);
    expect(await linesOf({}, 2)).toEqual([expect.stringContaining('theirs')]);
  });

  it('is nothing but the header without events', async () => {
    expect(await linesOf()).toEqual([]);
  });

  it('quotes texts, keeps line breaks inside them, and makes formulas harmless', async () => {
    await deliver(server.database, 1, {
      occurredAt: '2026-03-02T09:30:00.120Z',
      event: 'Created "user", twice\nin two lines',
      actorEmail: '=HYPERLINK("http://x")',
      clientIp: null,
      requestId: '\t+1',
      actorId: '-1',
      actorType: '@x',
      attributes: { name: 'Zoë, "Z"' },
    });
    expect((await linesOf()).join('')).toBe(
      `1,2026-03-02T09:30:00.12Z,"Created ""user"", twice\nin two lines","'@x","'-1","'=HYPERLINK(""http://x"")",,,,"'\t+1","{""name"":""Zoë, \\""Z\\""""}"`,
    );
  });

  it('filters by period, name, e-mail address and words, alone and together', async () => {
    const events = [
      { event: 'Created user', occurredAt: '2026-03-01T00:00:00.000Z', attributes: { name: 'Finance team' } },
      { event: 'Created user', occurredAt: '2026-03-01T23:59:59.999Z', actorEmail: 'Other@Acme.test' },
      { event: 'Deleted user', occurredAt: '2026-03-02T00:00:00.000Z', attributes: { list: [{ deep: 'finance' }] } },
      { event: 'Deleted user', occurredAt: '2026-02-28T12:00:00.000Z', actorEmail: null },
    ];
    for (const event of events) await deliver(server.database, 1, event);
    expect(await idsOf({})).toEqual([4, 1, 2, 3]);
    expect(await idsOf({ start: '2026-03-01', end: '2026-03-01' })).toEqual([1, 2]);
    expect(await idsOf({ start: '2026-03-02T00:00:00Z' })).toEqual([3]);
    expect(await idsOf({ eventName: 'Deleted user' })).toEqual([4, 3]);
    expect(await idsOf({ userEmail: 'other@acme.TEST' })).toEqual([2]);
    expect(await idsOf({ search: 'FINANCE' })).toEqual([1, 3]);
    expect(await idsOf({ search: '"finance team"' })).toEqual([1]);
    expect(await idsOf({ search: 'finance -deleted' })).toEqual([1]);
    expect(await idsOf({ search: 'finance', eventName: 'Deleted user', start: '2026-03-01' })).toEqual([3]);
    expect(await idsOf({ search: "'); drop table audit_event; --" })).toEqual([]);
  });

  it('walks a long log in order, every event once, without those that come meanwhile', async () => {
    await insertMany(12_001);
    const { stream } = await service.export(admin(1), {});
    let text = '';
    for await (const chunk of stream) {
      text += Buffer.from(chunk).toString();
      await deliver(server.database, 1);
    }
    const ids = text
      .trimEnd()
      .split('\r\n')
      .slice(1)
      .map((line) => Number(line.split(',', 1)[0]));
    expect(ids).toEqual(Array.from({ length: 12_001 }, (_value, index) => index + 1));
  });

  it.each([99, 100, 101, 5_100, 5_101])('ends after the last of %s events', async (count) => {
    await insertMany(count);
    const ids = await idsOf({});
    expect(ids).toHaveLength(count);
    expect(new Set(ids).size).toBe(count);
  });

  it('holds no more of long events than of short ones', async () => {
    const long = 64 * 1024;
    await insertMany(600, long);
    const findBatch = jest.spyOn(repository, 'findBatch');
    expect(await idsOf({})).toHaveLength(600);
    const limits = findBatch.mock.calls.map(([, , , { limit }]) => limit);
    expect(limits.length).toBeGreaterThan(10);
    for (const limit of limits.slice(1)) expect(limit * long).toBeLessThanOrEqual(2 * 1024 * 1024);
  });

  it('reads one batch ahead of its reader and none after the reader has gone', async () => {
    await insertMany(20_000);
    const { stream } = await service.export(admin(1), {});
    const statements = jest.spyOn(server.database, 'asSystem');
    const reader = stream[Symbol.asyncIterator]();
    await reader.next();
    expect(statements).toHaveBeenCalledTimes(0);
    await reader.next();
    expect(statements).toHaveBeenCalledTimes(1);
    await reader.return?.();
    await reader.next();
    expect(statements).toHaveBeenCalledTimes(1);
  });

  it('finds words by the index, not by reading the log', async () => {
    await insertMany(20_000);
    await deliver(server.database, 1, { attributes: { name: 'needle' } });
    const owner = new Client({ connectionString: server.url });
    await owner.connect();
    await owner.query('analyze control_plane.audit_event');
    await owner.end();
    const plans: string[] = [];
    await server.database.asSystem(async (tx) => {
      const manager = managerFor(tx);
      const client = (await manager.queryRunner?.connect()) as Client;
      const query = jest.spyOn(client, 'query');
      const filter = { search: 'needle', start: undefined, end: undefined, eventName: undefined, userEmail: undefined };
      await new AuditExportRepository().findBatch(tx, 1, filter, { lastId: 30_000, after: undefined, limit: 100 });
      const { text } = query.mock.calls[0]?.[0] as unknown as { text: string };
      const statement = text.replace(/^copy \(([\s\S]*)\) to stdout.*$/, '$1');
      const rows = await manager.query<{ 'QUERY PLAN': string }[]>(`explain ${statement}`);
      plans.push(...rows.map((row) => row['QUERY PLAN']));
    });
    expect(plans.join('\n')).toMatch(/Bitmap Index Scan on audit_event_\d{4}_\d\d_audit_document/);
  });
});
