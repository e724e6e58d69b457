import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { findRunningPostgres } from '@plinth/embedded-postgres';
import { deadlineMs, until } from '@plinth/testing';
import { Client } from 'pg';
import { AcknowledgedWrites } from './harness/acknowledged-writes';
import type { ApiClient } from './harness/api-client';
import { ChildService, runFolder } from './harness/child-service';
import { headsBelow } from './harness/git-heads';
import { startOneProcess, type OneProcess } from './harness/one-process';
import { operatorCommand, shellCommand, startOperatorShell } from './harness/operator-command';
import { createDeployment, openDevBranch, uniqueName } from './harness/story';
import { readWholeApi } from './harness/whole-api';

/** How rows begin. */
const GZIP = Buffer.from([0x1f, 0x8b, 8]);

describe('a backup', () => {
  const started: OneProcess[] = [];
  let folder: string;
  /** Runs the commands that nothing kills. */
  let shell: { path: string; pid: number };
  let source: OneProcess;
  let deploymentId: number;
  let quiet: number;

  beforeAll(async () => {
    folder = mkdtempSync(join(runFolder(), 'backup-'));
    const path = join(folder, 'operator.sock');
    shell = { path, pid: await startOperatorShell(path, {}) };
    source = await start(join(folder, 'source'));
    deploymentId = (await createDeployment(source.admin)).id;
    quiet = (await createDeployment(source.admin)).id;
    await fill(source.admin, quiet);
    await openDevBranch(source.admin, deploymentId, 'busy');
    // The automatic agent of a deployment is made when somebody looks first.
    for (const id of [deploymentId, quiet]) await source.admin.call('listAgents', { path: { deploymentId: id } });
  }, deadlineMs(240_000));
  afterAll(async () => {
    if (shell) process.kill(shell.pid);
    await Promise.all(started.map((platform) => platform.stop()));
    rmSync(folder, { recursive: true, force: true });
  });

  const start = async (dataFolder: string): Promise<OneProcess> => {
    const platform = await startOneProcess({ PLINTH_DATA_FOLDER: dataFolder });
    started.push(platform);
    return platform;
  };
  /** A data folder with the keys of the source and nothing else. */
  const newFolder = (name: string): string => {
    const target = join(folder, name);
    mkdirSync(target, { mode: 0o700 });
    writeFileSync(join(target, 'encryption-keys'), readFileSync(join(folder, 'source/encryption-keys')), {
      mode: 0o600,
    });
    return target;
  };
  const plinth = ({ environment }: Pick<OneProcess, 'environment'>, ...words: string[]) =>
    shellCommand(shell.path, words, environment);
  const restore = (dataFolder: string, file: string, settings: Record<string, string> = {}, words: string[] = []) =>
    plinth({ environment: { PLINTH_DATA_FOLDER: dataFolder, ...settings } }, 'restore', '--from', file, ...words);

  it('is refused by name for a tenant that is not there, and leaves no file', async () => {
    const file = join(folder, 'nobody.tar');
    await expect(plinth(source, 'backup', '--to', file, '--tenant', 'nobody')).rejects.toThrow(
      'no tenant named nobody',
    );
    expect(readdirSync(folder).filter((name) => name.startsWith('nobody'))).toEqual([]);
  });

  it('that is ended in its midst leaves no file', async () => {
    const file = join(folder, 'ended.tar');
    const files = () => readdirSync(folder).filter((name) => name.startsWith('ended.tar'));
    const holder = new Client({ connectionString: findRunningPostgres(join(folder, 'source'))?.url });
    await holder.connect();
    try {
      await holder.query('begin; lock table workspace.favorite in access exclusive mode');
      const command = ChildService.spawn('platform/src/operator/main.js', source.environment, ['backup', '--to', file]);
      await until('the beginning of the file', files, (names) => names.length > 0);
      command.kill('SIGTERM');
      expect(await command.ended()).toBe(1);
      expect(files()).toEqual([]);
    } finally {
      await holder.end();
    }
  });

  it(
    'has what was acknowledged before it began, whole, while others go on writing',
    async () => {
      const writes = new AcknowledgedWrites(source.admin, deploymentId);
      await until(
        'some writes',
        () => writes.count,
        (count) => count > 10,
      );
      const before = { keys: [...writes.keys], files: [...writes.files] };
      const file = join(folder, 'busy.tar');
      const made = await plinth(source, 'backup', '--to', file);
      const meanwhile = writes.count - before.keys.length - before.files.length;
      await writes.stop();
      expect(meanwhile).toBeGreaterThan(0);
      expect(made).toMatchObject({ repositories: 2, removedMeanwhile: [] });
      expect(statSync(file).mode & 0o777).toBe(0o600);
      const keys = readFileSync(join(folder, 'source/encryption-keys'), 'latin1').trim();
      expect(execFileSync('tar', ['xOf', file]).includes(keys)).toBe(false);

      const target = newFolder('busy');
      expect(await restore(target, file)).toMatchObject({ repositories: 2, tenants: ['local'] });
      const copy = await start(target);
      const { items } = await copy.admin.call('listApiKeys', { query: { first: 500 } });
      const hashes = await copy.admin.call('fileHashes', { path: { deploymentId } });
      const there = new Set([...items.map(({ name }) => name), ...Object.keys(hashes)]);
      expect([...before.keys, ...before.files].filter((name) => !there.has(name))).toEqual([]);
      expect(await plinth(copy, 'audit', 'verify')).toMatchObject({ broken: null });
      const later = new AcknowledgedWrites(copy.admin, deploymentId);
      await until(
        'writes to the restored platform',
        () => later.files.length,
        (count) => count > 2,
      );
      await later.stop();
      expect(await later.lost()).toEqual([]);
    },
    deadlineMs(240_000),
  );

  describe('of a platform that rests', () => {
    let file: string;
    beforeAll(async () => {
      file = join(folder, 'all.tar');
      await plinth(source, 'backup', '--to', file);
    }, deadlineMs(120_000));

    it('replaces no file', async () => {
      await expect(plinth(source, 'backup', '--to', file)).rejects.toThrow('is there already');
    });

    it('is refused for keys that are not configured, by their ids, before anything is made', async () => {
      const [id = ''] = (await restore(newFolder('check'), file, {}, ['--check']))['keyIds'] as string[];
      const target = join(folder, 'wrong-keys');
      const other = { PLINTH_ENCRYPTION_KEYS: Buffer.alloc(32, 9).toString('base64') };
      await expect(restore(target, file, other)).rejects.toThrow(`not configured: ${id}`);
      expect(existsSync(target)).toBe(false);
    });

    it.each<[string, (copy: string, bytes: Buffer) => void]>([
      ['a byte is another', (copy, bytes) => writeFileSync(copy, flip(bytes, bytes.indexOf(GZIP) + 15))],
      ['it is cut off', (copy, bytes) => truncateSync(copy, Math.floor(bytes.length / 2))],
      ['its end is missing', (copy, bytes) => truncateSync(copy, bytes.lastIndexOf('checksums'))],
    ])('is refused when %s, and nothing is made', async (_how, damage) => {
      const copy = join(folder, 'damaged.tar');
      const bytes = readFileSync(file);
      writeFileSync(copy, bytes);
      damage(copy, bytes);
      const target = newFolder(uniqueName('damaged').replace(' ', '-'));
      await expect(restore(target, copy)).rejects.toThrow('is damaged');
      expect(readdirSync(target)).toEqual(['encryption-keys']);
    });

    it('is refused for a platform that is not empty', async () => {
      const running = source.environment['PLINTH_DATA_FOLDER'] ?? '';
      await expect(restore(running, file)).rejects.toThrow('is not empty');
      expect((await source.admin.call('getDeployments')).items).toHaveLength(2);
    });

    describe('whose restore is killed', () => {
      let target: string;
      beforeAll(() => {
        target = newFolder('killed');
      });
      const killedAt = (failpoint: string) => {
        const environment = { PLINTH_DATA_FOLDER: target, PLINTH_FAILPOINT: failpoint };
        return operatorCommand(environment, ['restore', '--from', file]);
      };

      it(
        'at its end, after other kills, is finished by the same command; no platform starts before',
        async () => {
          for (const failpoint of ['after-repositories', 'before-commit', 'after-commit']) {
            await expect(killedAt(`restore.${failpoint}`)).rejects.toThrow();
          }
          await expect(start(target)).rejects.toThrow('was interrupted');
          const alone = {
            ...{
              PLINTH_STORAGE_ROOT: join(target, 'repositories'),
              PLINTH_DATABASE_URL: 'postgres://127.0.0.1:1/none',
            },
            ...{
              PLINTH_ENCRYPTION_KEYS: Buffer.alloc(32, 9).toString('base64'),
              PLINTH_NATS_URL: 'nats://127.0.0.1:1',
            },
          };
          const worker = ChildService.start({
            entry: 'build-worker/src/main.js',
            environment: alone,
            readyText: 'ready',
          });
          await expect(worker).rejects.toThrow('was interrupted');
          expect(await restore(target, file)).toMatchObject({ finished: true, repositories: 2 });
          expect(readdirSync(join(target, 'repositories'))).not.toContain('.restore');
        },
        deadlineMs(180_000),
      );

      it(
        'answers every question of the API like its source, with the same heads and sealed values',
        async () => {
          const copy = await start(target);
          const [theirs, ours] = [await readWholeApi(source.admin), await readWholeApi(copy.admin)];
          expect(theirs.size).toBeGreaterThan(60);
          expect(Object.fromEntries(ours)).toEqual(Object.fromEntries(theirs));
          expect(headsBelow(join(target, 'repositories'))).toEqual(headsBelow(join(folder, 'source/repositories')));
          expect(await plinth(copy, 'audit', 'verify')).toMatchObject({ broken: null });
          const tokens = await Promise.all(
            [source, copy].map(({ admin }) => admin.call('deploymentToken', { path: { deploymentId: quiet } })),
          );
          const meta = (api: ApiClient, token: string) =>
            api.as(token).send('GET', `/deployments/${quiet}/cubejs-api/v1/meta`);
          // The secret that signs them is sealed: a token of the source is good for the copy.
          expect((await meta(copy.admin, tokens[0]?.cubeApiToken ?? '')).status).not.toBe(403);
        },
        deadlineMs(240_000),
      );
    });
  });

  it(
    'of one tenant has nothing of others, comes to a platform with tenants of its own, and keeps its ids',
    async () => {
      const { tenant, apiKey } = (await plinth(
        source,
        ...['tenants', 'create', '--name', 'acme', '--host', 'acme.test', '--admin-email', 'a@acme.test'],
      )) as unknown as { tenant: { id: number }; apiKey: string };
      const acme = source.admin.at('acme.test', `Bearer ${apiKey}`);
      await createDeployment(acme, 'Of acme');
      const path = { deploymentId: (await acme.call('getDeployments')).items[0]?.id ?? 0 };
      await until(
        'its data model',
        () => acme.attempt('fileHashes', { path }),
        ({ status }) => status === 200,
      );
      const file = join(folder, 'acme.tar');
      expect(await plinth(source, 'backup', '--to', file, '--tenant', 'acme')).toMatchObject({
        tenants: [{ id: tenant.id, name: 'acme' }],
        repositories: 1,
      });
      const running = source.environment['PLINTH_DATA_FOLDER'] ?? '';
      await expect(restore(running, file)).rejects.toThrow(/has a (row|repository) .*already/);

      const other = await start(newFolder('other'));
      const otherFolder = other.environment['PLINTH_DATA_FOLDER'] ?? '';
      expect(await restore(otherFolder, file)).toMatchObject({ tenants: ['acme'], repositories: 1 });
      const moved = other.admin.at('acme.test', `Bearer ${apiKey}`);
      const list = async (api: ApiClient) =>
        (await api.call('getDeployments')).items.map(({ id, name }) => ({ id, name }));
      expect(await list(moved)).toEqual(await list(acme));
      expect(await moved.call('fileHashes', { path })).toEqual(await acme.call('fileHashes', { path }));
      expect(await list(other.admin)).toEqual([]);
      expect((await createDeployment(moved, 'Later')).id).toBeGreaterThan(path.deploymentId);
      expect(await plinth(other, 'audit', 'verify')).toMatchObject({ broken: null });
      expect(await plinth(other, 'tenants', 'list')).toMatchObject({ tenants: [{ name: 'local' }, { name: 'acme' }] });
    },
    deadlineMs(240_000),
  );
});

function flip(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at]! ^= 1;
  return copy;
}

async function fill(admin: ApiClient, deploymentId: number): Promise<void> {
  const path = { deploymentId };
  await openDevBranch(admin, deploymentId);
  const files = [{ path: 'model/orders.yml', content: 'cubes: []\n' }];
  await admin.call('updateFiles', { path, body: { files } });
  await admin.call('setEnvVariables', { path, body: { env_variables: [{ name: 'DB_PASS', value: 'secret' }] } });
  const { id: folderId } = await admin.call('createFolder', { path, body: { name: 'Sales' } });
  await admin.call('createWorkbook', { path, body: { name: 'Orders', folderId } });
  await admin.call('createUserGroup', { body: { name: 'Analysts' } });
  await admin.call('createUser', { body: { email: 'grace@acme.test', username: 'grace' } });
  await admin.call('createUserAttribute', { body: { name: 'region', type: 'string', displayName: 'Region' } });
}
