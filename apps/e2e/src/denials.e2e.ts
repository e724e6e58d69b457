import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@plinth/testing';
import { createDeployment } from './harness/story';
import { onNats } from './harness/topologies';
import type { Topology } from './harness/topology';

describe.each(onNats)('refused requests: %s', (_name, start) => {
  let topology: Topology;

  beforeAll(async () => {
    topology = await start();
    await topology.admin.call('updateTenantSettings', { body: { auditLogEnabled: true } });
  });
  afterAll(() => topology?.stop());

  const log = async (): Promise<string[]> => {
    const { admin } = topology;
    const response = await fetch(`${admin.baseUrl}/api/v1/audit-logs/export?eventName=Denied%20access`, {
      headers: { authorization: admin.credential },
    });
    return (await response.text()).trim().split('\r\n').slice(1);
  };

  it('are in the audit log with who was refused, what and why, a few for each source', async () => {
    const { admin } = topology;
    const { id } = await createDeployment(admin);
    const elsewhere = await createDeployment(admin);
    const key = await admin.call('createApiKey', { body: { name: 'elsewhere', deploymentIds: [elsewhere.id] } });
    const limited = admin.as(`Bearer ${key.token}`);
    for (let attempt = 0; attempt < 10; attempt += 1) {
      expect((await limited.refusal('getDeployment', { path: { deploymentId: id } })).status).toBe(403);
    }
    expect((await admin.as('Bearer sk-unknown').refusal('getUsers')).status).toBe(401);
    expect((await admin.as(undefined).refusal('getUsers')).status).toBe(401);
    const codes = ['auth.credential_invalid', 'access.deployment_out_of_scope'];
    const lines = await until('the events', log, (rows) => codes.every((code) => rows.join().includes(code)));
    const denied = lines.filter((row) => row.includes('access.deployment_out_of_scope'));
    expect(denied.length).toBeGreaterThan(0);
    expect(denied.length).toBeLessThanOrEqual(5);
    expect(denied[0]).toContain(`api-key:${key.id}`);
    expect(denied[0]).toContain('getDeployment');
    expect(lines.filter((row) => row.includes('anonymous'))).toHaveLength(1);
    expect(lines.join()).not.toContain('sk-unknown');
  });

  it('are vouched for by signed checkpoints, with which the operator verifies the log', async () => {
    const { admin, plinth, processes, tenant } = topology;
    const list = async () => (await admin.call('listAuditCheckpoints')).items;
    const [checkpoint] = await until('a checkpoint', list, (items) => items.length > 0);
    expect((await plinth('audit', 'public-key'))['keyId']).toBe(checkpoint?.keyId);
    const logged = () => Promise.resolve([...processes.values()].flatMap(({ lines }) => lines));
    const isIt = (line: string) => line.includes('"auditCheckpoint"') && line.includes(String(checkpoint?.signature));
    const lines = await until('the published checkpoint', logged, (all) => all.some(isIt));
    const folder = await mkdtemp(join(tmpdir(), 'plinth-log-'));
    const file = join(folder, 'platform.log');
    await writeFile(file, lines.join('\n'));
    const verdict = await plinth('audit', 'verify', '--tenant', tenant, '--checkpoints', file);
    await rm(folder, { recursive: true });
    expect(verdict).toMatchObject({ tenant, from: 1, checkpoints: expect.any(Number), broken: null });
    expect(verdict['checkpoints']).toBeGreaterThan(0);
  });
});
