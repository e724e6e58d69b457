import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { deadlineMs, isRunning, programsBelow, until, type TestDatabase } from '@plinth/testing';
import { runFolder } from './harness/child-service';
import { operatorCommand } from './harness/operator-command';
import { otherTenant, type OtherTenant } from './harness/other-tenant';
import { keptAnswers } from './harness/released-platform';
import { createShopDatabase, Shop } from './harness/shop';
import { createDeployment } from './harness/story';
import { onNats } from './harness/topologies';
import type { Topology } from './harness/topology';
import { readWholeApi } from './harness/whole-api';

describe.each(onNats)('a deleted tenant, %s', (_name, start) => {
  let platform: Topology;
  let database: TestDatabase;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(runFolder(), 'deletion-'));
    [platform, database] = await Promise.all([start(), createShopDatabase()]);
    const { id } = await createDeployment(platform.admin);
    await platform.admin.call('createFolder', { path: { deploymentId: id }, body: { name: 'Kept' } });
    await platform.admin.call('listAgents', { path: { deploymentId: id } });
  }, deadlineMs(240_000));
  afterAll(async () => {
    await platform?.stop();
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  const words = (name: string, confirm: string) => ['tenants', 'delete', '--tenant', name, '--confirm', confirm];
  const deletion = ({ name }: OtherTenant, confirm = name) => platform.plinth(...words(name, confirm));
  const killedDeletion = ({ name }: OtherTenant, failpoint: string) =>
    operatorCommand({ ...platform.environment, PLINTH_FAILPOINT: failpoint }, words(name, name));
  /** Without logs, in which reading leaves lines. */
  const answers = async () => keptAnswers(await readWholeApi(platform.admin));

  it('is still there when its name is not confirmed', async () => {
    const tenant = await otherTenant(platform);
    await expect(deletion(tenant, 'another')).rejects.toThrow(`add --confirm ${tenant.name}`);
    await expect(platform.plinth('tenants', 'delete', '--tenant', tenant.name)).rejects.toThrow('Nothing was deleted');
    expect((await tenant.admin.attempt('getDeployments')).status).toBe(200);
  });

  it(
    'answers nobody any more, its engines end, and others have what they had',
    async () => {
      const tenant = await otherTenant(platform);
      const shop = await Shop.open(tenant.admin, database);
      const runtime = platform.processes.get('runtime-1') ?? platform.processes.get('platform');
      const running = new Set(enginesOf(runtime?.pid ?? 0));
      expect(await shop.value(await shop.token(), 'orders.count')).toMatch(/^\d+$/);
      const engines = enginesOf(runtime?.pid ?? 0).filter((pid) => !running.has(pid));
      expect(engines).not.toEqual([]);
      const before = await answers();

      const { deleted } = await deletion(tenant);
      await isUnknown(tenant);
      expect(deleted).toMatchObject({ name: tenant.name, hosts: [tenant.host], told: true, repositories: 1 });
      await until(
        'the end of its engines',
        () => engines.filter(isRunning),
        (left) => left.length === 0,
      );
      expect(await answers()).toEqual(before);
      const { deletions } = (await platform.plinth('tenants', 'list', '--deleted')) as {
        deletions: { name: string }[];
      };
      expect(deletions[0]).toMatchObject({ name: tenant.name, finishedAt: expect.any(String) as string });
    },
    deadlineMs(240_000),
  );

  it(
    'comes back from a backup of it alone, while others are served, and its key works again',
    async () => {
      const tenant = await otherTenant(platform);
      const { id: deploymentId } = await createDeployment(tenant.admin);
      await until(
        'its data model',
        () => tenant.admin.attempt('fileHashes', { path: { deploymentId } }),
        ({ status }) => status === 200,
      );
      const file = join(folder, `${tenant.name}.tar`);
      expect(await platform.plinth('backup', '--to', file, '--tenant', tenant.name)).toMatchObject({ repositories: 1 });
      const [users, files] = [
        await tenant.admin.call('getUsers'),
        await tenant.admin.call('fileHashes', { path: { deploymentId } }),
      ];
      await deletion(tenant);
      expect(await platform.plinth('restore', '--from', file)).toMatchObject({
        tenants: [tenant.name],
        repositories: 1,
      });
      await until(
        'its host',
        () => tenant.admin.attempt('getUsers'),
        ({ status }) => status === 200,
      );
      expect((await tenant.admin.call('getUsers')).items).toMatchObject(
        users.items.map(({ id, email }) => ({ id, email })),
      );
      expect(await tenant.admin.call('fileHashes', { path: { deploymentId } })).toEqual(files);
    },
    deadlineMs(120_000),
  );

  it.each(['tenant-deletion.after-rows', 'tenant-deletion.after-repositories'])(
    'stays deleted when the command is killed at %s, and the same command finishes it',
    async (failpoint) => {
      const tenant = await otherTenant(platform);
      await createDeployment(tenant.admin);
      await expect(killedDeletion(tenant, failpoint)).rejects.toThrow();
      await until(
        'the refusal of its key',
        () => refusalOf(tenant),
        (code) => code === 'auth.credential_invalid' || code === 'tenant.unknown_host',
      );
      await expect(platform.plinth('tenants', 'show', '--tenant', tenant.name)).rejects.toThrow('no tenant named');
      const { deleted } = await deletion(tenant);
      expect(deleted).toMatchObject({ name: tenant.name, finishedAt: expect.any(String) as string });
      await isUnknown(tenant);
    },
    deadlineMs(120_000),
  );
});

/** Of a deployment that nobody has: the contract of that operation tells of hosts that nobody has, too. */
async function refusalOf({ admin }: OtherTenant): Promise<string> {
  const { body } = await admin.attempt('getDeployment', { path: { deploymentId: 999_999 } });
  return (body as { code: string }).code;
}

/** The command has told the gateway, which may hear of it a moment later. */
const isUnknown = (tenant: OtherTenant): Promise<unknown> =>
  until(
    'the refusal of its host',
    () => refusalOf(tenant),
    (code) => code === 'tenant.unknown_host',
    1_000,
  );

const enginesOf = (pid: number): number[] => programsBelow(pid, 'libs/engine/src/');
