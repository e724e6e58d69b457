import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemPrincipal, type Principal } from '@plinth/auth';
import { validateReply } from '@plinth/contract';
import { createLogger } from '@plinth/observability';
import { createTestDatabase, type ServiceDatabase } from '@plinth/testing';
import { Client } from 'pg';
import { controlPlaneSchema } from '../../control-plane.schema';
import type { TenantSettingsService } from '../../tenancy/tenant-settings/tenant-settings.service';
import { AuditCheckpointer } from './audit-checkpointer';
import { AuditCheckpointsRepository } from './audit-checkpoints.repository';
import { AuditCheckpointsService } from './audit-checkpoints.service';
import type { AuditConfig } from './audit.config';
import { deliver, signer, verify } from '../../testing/audit-fixture';
import type { Checkpoint } from './checkpoint-signer';

describe('checkpoints of the audit log', () => {
  const repository = new AuditCheckpointsRepository();
  let server: ServiceDatabase;
  let owner: Client;
  let folder: string;
  let lines: string;

  beforeEach(async () => {
    server = await createTestDatabase(controlPlaneSchema);
    owner = new Client({ connectionString: server.url, options: '-c search_path=control_plane' });
    await owner.connect();
    folder = await mkdtemp(join(tmpdir(), 'checkpoints-'));
    lines = '';
  });

  afterEach(async () => {
    await owner.end();
    await server.drop();
    await rm(folder, { recursive: true });
  });

  const file = () => join(folder, 'checkpoints');
  const anchor = (config: Partial<AuditConfig> = {}) => {
    const all = { auditCheckpointEvents: 1, auditCheckpointSeconds: 300, auditCheckpointFile: file(), ...config };
    const logger = createLogger('test', 'info', { write: (line: string) => void (lines += line) });
    return new AuditCheckpointer(server.database, repository, signer, all, logger).run();
  };
  const kept = async (): Promise<Checkpoint[]> =>
    (await readFile(file(), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Checkpoint);
  const record = async (count: number, name = 'Analyst') => {
    for (let event = 0; event < count; event += 1) await deliver(server.database, 1, { attributes: { name } });
  };
  const numbers = async (): Promise<number[]> =>
    (await owner.query<{ number: string }>('select number from audit_checkpoint order by number')).rows.map((row) =>
      Number(row.number),
    );

  const rewind = `delete from audit_event where id > 4;
    update audit_chain set length = 4, hash = (select hash from audit_event where id = 4)`;
  const forget = 'delete from audit_event; delete from audit_chain; delete from inbox';

  it.each([
    ['a cut end whose chain was rewound', [rewind], 4, /^1 events are missing that checkpoint 2 of /],
    [
      'a checkpoint that was removed',
      ['delete from audit_checkpoint where number = 1'],
      0,
      /^checkpoint 1 was removed/,
    ],
    [
      'a checkpoint that was moved back',
      ['update audit_checkpoint set length = 4, hash = (select hash from audit_event where id = 4) where number = 2'],
      3,
      /^checkpoint 2 is not as it was signed/,
    ],
  ])('show %s', async (_what, tampering, intact, reason) => {
    await record(3);
    await anchor();
    await record(2);
    await anchor();
    expect(await verify(server.database)).toMatchObject([{ from: 1, intact: 5, checkpoints: 2, broken: null }]);
    for (const statement of tampering) await owner.query(statement);
    expect(await verify(server.database)).toMatchObject([
      { intact, broken: { id: intact + 1, reason: expect.stringMatching(reason) } },
    ]);
  });

  it('show that a whole log was written anew', async () => {
    await record(5);
    await anchor();
    await owner.query(forget);
    await record(6, 'Somebody else');
    expect(await verify(server.database)).toMatchObject([
      { intact: 0, broken: { id: 1, reason: expect.stringMatching(/written anew: checkpoint 1 of /) } },
    ]);
  });

  describe('that were kept outside the database', () => {
    beforeEach(async () => {
      await record(3);
      await anchor();
      await record(2);
      await anchor();
    });

    it.each([
      [
        'a cut end and its checkpoint',
        [rewind, 'delete from audit_checkpoint where number = 2'],
        /checkpoint 2 of .* counts/,
      ],
      [
        'a removed checkpoint of a whole log',
        ['delete from audit_checkpoint where number = 2'],
        /checkpoint 2 was removed/,
      ],
      [
        'a log that is gone with everything about it',
        [forget, 'delete from audit_checkpoint'],
        /^5 events are missing/,
      ],
    ])('show %s, which nothing in the database does', async (_what, tampering, reason) => {
      for (const statement of tampering) await owner.query(statement);
      expect((await verify(server.database)).filter(({ broken }) => broken)).toEqual([]);
      const [verdict] = await verify(server.database, { kept: await kept() });
      expect(verdict?.broken?.reason).toMatch(reason);
    });

    it('show a log that was cut, went on, and was signed again', async () => {
      await owner.query(`${rewind}; delete from audit_checkpoint where number = 2`);
      const before = await kept();
      await record(3, 'Somebody else');
      await anchor();
      expect(await verify(server.database)).toMatchObject([{ intact: 7, broken: null }]);
      const [verdict] = await verify(server.database, { kept: before });
      expect(verdict).toMatchObject({
        intact: 3,
        broken: { id: 4, reason: 'checkpoint 2 is not the one that was kept' },
      });
    });

    it('are the same in the file and in the log, and agree with a log that has gone on', async () => {
      await record(2);
      const logged = lines
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { auditCheckpoint: Checkpoint }).auditCheckpoint);
      expect(logged).toEqual(await kept());
      expect(await verify(server.database, { kept: logged })).toMatchObject([
        { intact: 7, checkpoints: 2, broken: null },
      ]);
    });

    it('are refused when they are of another installation', async () => {
      const [first] = await kept();
      const foreign = { ...(first as Checkpoint), length: 4 };
      await expect(verify(server.database, { kept: [foreign] })).rejects.toThrow('is not as it was signed');
    });
  });

  it('let months be taken away, and show events that were removed from one that is left', async () => {
    await owner.query(`create table audit_event_2001_05 partition of audit_event
      for values from ('2001-05-01T00:00:00Z') to ('2001-06-01T00:00:00Z')`);
    for (const day of ['05', '06', '07']) {
      await deliver(server.database, 1, { occurredAt: `2001-05-${day}T00:00:00.000Z` });
    }
    const sign = async (signedAt: string) =>
      server.database.asSystem(async (tx) => {
        const [due] = await repository.listDue(tx, { events: 1, seconds: 1 }, 0, 1);
        if (due) await repository.insert(tx, signer.sign({ ...due, signedAt }));
      });
    await sign('2001-05-08T00:00:00.000Z');
    await record(2);
    await anchor();
    await owner.query('begin; delete from audit_event_2001_05 where id < 3');
    await owner.query('commit');
    expect(await verify(server.database)).toMatchObject([{ intact: 0, broken: { id: 1 } }]);
    await owner.query('drop table audit_event_2001_05');
    expect(await verify(server.database)).toMatchObject([{ from: 6, intact: 5, broken: null }]);
    await record(2);
    expect(await verify(server.database)).toMatchObject([{ from: 6, intact: 7, broken: null }]);
  });

  it('are made after so many events, or so much time with any', async () => {
    const byNumber = { auditCheckpointEvents: 3, auditCheckpointSeconds: 300 };
    await record(1);
    for (const [more, expected] of [
      [0, 1],
      [2, 1],
      [1, 2],
      [0, 2],
    ] as const) {
      await record(more);
      await anchor(byNumber);
      expect(await numbers()).toHaveLength(expected);
    }
    await owner.query(`update audit_checkpoint set signed_at = signed_at - interval '301 seconds'`);
    await anchor(byNumber);
    expect(await numbers()).toHaveLength(2);
    await record(1);
    await anchor(byNumber);
    expect(await numbers()).toEqual([1, 2, 3]);
  });

  it('are made once by processes that take turns, and published once', async () => {
    for (let round = 0; round < 3; round += 1) {
      await record(1);
      await deliver(server.database, 2);
      await Promise.all([1, 2, 3, 4].map(() => anchor()));
      await anchor();
    }
    expect(await numbers()).toEqual([1, 1, 2, 2, 3, 3]);
    const published = (await kept()).map(({ tenantId, number }) => `${tenantId}:${number}`);
    expect(published.sort()).toEqual(['1:1', '1:2', '1:3', '2:1', '2:2', '2:3']);
    expect(await verify(server.database, { kept: await kept() })).toMatchObject([{ broken: null }, { broken: null }]);
  });

  it('are published later when that was not possible', async () => {
    await record(1);
    await expect(anchor({ auditCheckpointFile: join(folder, 'missing', 'file') })).rejects.toThrow('ENOENT');
    await anchor();
    expect(await kept()).toMatchObject([{ tenantId: 1, number: 1, length: 1 }]);
  });

  it.each([["update audit_checkpoint set hash = ''"], ['delete from audit_checkpoint'], ['truncate audit_checkpoint']])(
    'refuse the roles of the service: %s',
    async (statement) => {
      for (const role of [server.database.names.role, server.database.names.systemRole]) {
        await owner.query(`begin; set local role ${role}; set local plinth.tenant_id = '1'`);
        await expect(owner.query(statement)).rejects.toMatchObject({ code: '42501' });
        await owner.query('rollback');
      }
    },
  );

  it('are listed for their tenant alone, page by page, while its audit log is on', async () => {
    for (let round = 0; round < 3; round += 1) {
      await record(1);
      await deliver(server.database, 2);
      await anchor();
    }
    let auditLogEnabled = false;
    const settings = { of: async () => ({ auditLogEnabled }) } as unknown as TenantSettingsService;
    const service = new AuditCheckpointsService(server.database, settings, repository);
    const admin: Principal = { ...systemPrincipal(1), kind: 'api-key' };
    await expect(service.list(admin, {})).rejects.toMatchObject({ code: 'audit_log.off' });
    auditLogEnabled = true;
    const first = await service.list(admin, { first: 2 });
    const second = await service.list(admin, { first: 2, after: first.pageInfo.endCursor ?? '' });
    expect(validateReply('listAuditCheckpoints', 200, first)).toEqual([]);
    expect([...first.items, ...second.items]).toEqual((await kept()).filter(({ tenantId }) => tenantId === 1));
    expect([first.pageInfo.hasNextPage, second.pageInfo.hasNextPage]).toEqual([true, false]);
  });
});
