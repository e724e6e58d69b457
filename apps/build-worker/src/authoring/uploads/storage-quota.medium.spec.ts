import 'reflect-metadata';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Principal } from '@plinth/auth';
import { loadConfig } from '@plinth/config';
import { managerFor } from '@plinth/database';
import { RepositoryStore } from '@plinth/git';
import { buildWorkerSettings } from '../../build-worker.config';
import {
  RepositoriesRepository,
  RepositoriesService,
  StorageCollection,
  StorageQuota,
  StorageUsageRepository,
} from '../../data-models';
import { UpstreamRepository, startGitHttpServer, type GitHttpServer } from '@plinth/testing';
import { eventually, put, startFixture, type Fixture } from '../../testing/fixture';

const KIB = 1024;
const TENANT = 100 * KIB;
const DEPLOYMENT = 64 * KIB;

const environment = {
  PLINTH_TENANT_STORAGE_BYTES: String(TENANT),
  PLINTH_DEPLOYMENT_STORAGE_BYTES: String(DEPLOYMENT),
};

let platform: Fixture;
let store: RepositoryStore;
let server: GitHttpServer;
let folder: string;
let collection: StorageCollection;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plinth-upstream-'));
  server = await startGitHttpServer({ repositories: folder });
  platform = await startFixture(['worker-1', 'worker-2'], environment);
  store = new RepositoryStore({ root: platform.premises.storageRoot });
  collection = collectionOf(platform, store);
});
afterAll(async () => {
  await store?.close();
  await platform?.stop();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Place {
  admin: Principal;
  path: { deploymentId: number };
}

/** Bytes that compress to no fewer. */
const noise = (bytes: number) => randomBytes(bytes);
const start = async ({ admin, path }: Place) => (await platform.call(admin, 'startUpload', { path })).transaction;
type Transaction = Awaited<ReturnType<typeof start>>;
const fileRequest = ({ path }: Place, transaction: Transaction, fileName: string, content: AsyncIterable<Buffer>) => ({
  path,
  body: { transaction: JSON.stringify(transaction), fileName },
  upload: content,
});
async function* of(...chunks: Buffer[]) {
  yield* chunks;
}
const send = (place: Place, transaction: Transaction, fileName: string, content: Buffer) =>
  platform.call(place.admin, 'uploadFile', fileRequest(place, transaction, fileName, of(content)));
const refusal = (place: Place, transaction: Transaction, fileName: string, content: AsyncIterable<Buffer>) =>
  platform.refusal(place.admin, 'uploadFile', fileRequest(place, transaction, fileName, content));
const sha1 = (content: Buffer) => createHash('sha1').update(content).digest('hex');
const finish = ({ admin, path }: Place, transaction: Transaction, files: Record<string, Buffer>) => {
  const manifest = Object.fromEntries(Object.entries(files).map(([name, content]) => [name, { hash: sha1(content) }]));
  return platform.call(admin, 'finishUpload', { path, body: { transaction, files: manifest } });
};
const repositoryOf = ({ admin, path }: Place) => platform.repositoryOf(admin, path.deploymentId);
const stored = async (place: Place) => (await repositoryOf(place)).storedBytes();
const counted = async ({ path }: Place) => {
  const text = 'select stored_bytes::int as bytes from repository_storage where deployment_id = $1';
  const [row] = await platform.database.readAsSystem<{ bytes: number }>({ name: 'counted', text }, [path.deploymentId]);
  return row?.bytes;
};
const files = async (place: Place) =>
  readdirSync(join((await repositoryOf(place)).directory, 'objects'), { recursive: true }).sort();

describe('what does not fit is refused', () => {
  it('above the limit of the tenant, over all of its deployments; another tenant goes on', async () => {
    const first = platform.newDeployment();
    const second = platform.anotherDeployment(first.admin);
    await send(first, await start(first), 'a', noise(50 * KIB));
    const transaction = await start(second);
    await send(second, transaction, 'a', noise(40 * KIB));
    const refused = await refusal(second, transaction, 'b', of(noise(20 * KIB)));
    expect(refused).toMatchObject({ code: 'storage.quota_exceeded', status: 507 });
    expect(refused.message).toContain(`of the account may take ${TENANT} bytes`);
    const other = platform.newDeployment();
    await send(other, await start(other), 'b', noise(20 * KIB));
  });

  it('above the limit of the deployment while it arrives; nothing of it is kept or counted', async () => {
    const place = platform.newDeployment();
    const transaction = await start(place);
    const kept = noise(50 * KIB);
    await send(place, transaction, 'kept', kept);
    const before = [await files(place), await counted(place)];
    let sent = 0;
    const endless = async function* () {
      for (; sent < 10_000; sent++) yield noise(KIB);
    };
    const refused = await refusal(place, transaction, 'more', endless());
    expect(refused).toMatchObject({ code: 'storage.quota_exceeded', status: 507 });
    expect(refused.message).toContain(`of the deployment may take ${DEPLOYMENT} bytes`);
    expect(sent).toBeLessThan(5_000);
    expect([await files(place), await counted(place)]).toEqual(before);
    await finish(place, transaction, { kept });
    expect(Object.keys(await platform.filesOf(place.admin, place.path.deploymentId, 'main'))).toEqual(['/kept']);
  });

  it('when it comes as a file of a branch, which stays as it was', async () => {
    const place = platform.newDeployment();
    const { admin, path } = place;
    const branchName = (await platform.call(admin, 'startDevMode', { path })).branchName ?? '';
    const before = await platform.filesOf(admin, path.deploymentId, branchName);
    const files = put('a', noise(50 * KIB).toString('hex'));
    await platform.call(admin, 'updateFiles', { path, body: files });
    const more = put('b', noise(20 * KIB).toString('hex'));
    expect(await platform.refusal(admin, 'updateFiles', { path, body: more })).toMatchObject({ status: 507 });
    const after = await platform.filesOf(admin, path.deploymentId, branchName);
    expect(Object.keys(after).sort()).toEqual([...Object.keys(before), '/a'].sort());
  });

  it('also when files come at the same time at several workers', async () => {
    const place = platform.newDeployment();
    const transaction = await start(place);
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const sending = names.map((name) => send(place, transaction, name, noise(20 * KIB)));
    const results = await Promise.allSettled(sending);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(await stored(place)).toBeLessThan(DEPLOYMENT);
    expect(await counted(place)).toBe(await stored(place));
  });
});

it('what a repository takes is measured at the next write when that was never done, or an hour ago', async () => {
  const place = platform.newDeployment();
  const transaction = await start(place);
  await send(place, transaction, 'a', noise(10 * KIB));
  for (const measuredAt of ['null', "now() - interval '61 minutes'"]) {
    const forget = `update repository_storage set stored_bytes = 0, measured_at = ${measuredAt}`;
    await platform.database.asSystem((tx) => managerFor(tx).query(forget));
    await send(place, transaction, measuredAt, noise(5 * KIB));
    expect(await counted(place)).toBe(await stored(place));
  }
});

it('room that another writer is about to take is not given away', async () => {
  const { admin, path } = platform.newDeployment();
  await platform.call(admin, 'listBranches', { path });
  const key = { tenantId: admin.tenantId, deploymentId: path.deploymentId };
  const limits = { tenantBytes: TENANT, deploymentBytes: DEPLOYMENT };
  const charge = () => new StorageUsageRepository().charge(platform.database, key, 50 * KIB, limits);
  const second = await platform.database.transaction(admin.tenantId, async (tx) => {
    await managerFor(tx).query('update repository_storage set stored_bytes = $1', [50 * KIB]);
    const waiting = charge();
    await managerFor(tx).query('select pg_sleep(0.2)');
    return { waiting };
  });
  expect(await second.waiting).toMatchObject({ refused: true });
});

describe('a remote repository that does not fit', () => {
  const connect = ({ admin, path }: Place, name: string) => ({
    path,
    body: { url: `${server.url}/${name}.git` },
    principal: admin,
  });

  it.each([80, 2_000])('is not connected, with %i KiB, and leaves nothing', async (kib) => {
    const place = platform.newDeployment();
    const { principal, ...request } = connect(place, `u${kib}`);
    new UpstreamRepository(folder, `u${kib}`).commit('main', { 'model/a': noise(kib * KIB).toString('hex') });
    await platform.call(principal, 'generateGitRemoteKey', { path: place.path });
    const before = await files(place);
    const refused = await platform.refusal(principal, 'connectGitRemote', request);
    expect([refused.code, refused.status]).toEqual(['storage.quota_exceeded', 507]);
    expect(await files(place)).toEqual(before);
  });

  it('any more is not followed, and the connection tells why', async () => {
    const place = platform.newDeployment();
    const upstream = new UpstreamRepository(folder, 'grows');
    upstream.commit('main', { 'model/a': 'a' });
    const { principal, ...request } = connect(place, 'grows');
    await platform.call(principal, 'generateGitRemoteKey', { path: place.path });
    await platform.call(principal, 'connectGitRemote', request);
    upstream.commit('main', { 'model/b': noise(80 * KIB).toString('hex') });
    const { token } = await platform.call(principal, 'regenerateGitRemoteWebhookToken', { path: place.path });
    await platform.call(principal, 'receiveGitRemoteWebhook', { path: place.path, query: { token } });
    const remote = () => platform.call(principal, 'getGitRemote', { path: place.path });
    const { lastError } = await eventually(remote, (state) => state.lastError !== null);
    expect(lastError).toContain(`may take ${DEPLOYMENT} bytes`);
  });
});

describe('storage is free again', () => {
  it('when its deployment is deleted', async () => {
    const first = platform.newDeployment();
    const second = platform.anotherDeployment(first.admin);
    await send(first, await start(first), 'a', noise(50 * KIB));
    const transaction = await start(second);
    await send(second, transaction, 'a', noise(40 * KIB));
    await refusal(second, transaction, 'b', of(noise(20 * KIB)));
    await platform.database.transaction(first.admin.tenantId, (tx) =>
      new RepositoriesRepository().delete(tx, first.path.deploymentId),
    );
    await send(second, transaction, 'b', noise(20 * KIB));
  });

  it('after a collection when its upload was abandoned or its file replaced; an open upload goes on', async () => {
    const place = platform.newDeployment();
    const [abandoned, open] = [await start(place), await start(place)];
    await send(place, abandoned, 'a', noise(20 * KIB));
    await send(place, open, 'a', noise(20 * KIB));
    const [kept, also] = [noise(10 * KIB), noise(4 * KIB)];
    await send(place, open, 'a', kept);
    await send(place, open, 'b', also);
    expect(await refusal(place, open, 'c', of(noise(20 * KIB)))).toMatchObject({ status: 507 });

    expect(await dueNow()).not.toContain(place.path.deploymentId);
    await hoursLater(place, abandoned);
    expect(await dueNow()).toContain(place.path.deploymentId);
    expect(await dueNow()).not.toContain(place.path.deploymentId);
    const key = { tenantId: place.admin.tenantId, deploymentId: place.path.deploymentId };
    await collection.collect(key, new AbortController().signal);

    expect(await stored(place)).toBeLessThan(20 * KIB);
    expect(await counted(place)).toBe(await stored(place));
    const third = noise(20 * KIB);
    await send(place, open, 'c', third);
    await finish(place, open, { a: kept, b: also, c: third });
    await (await repositoryOf(place)).fsck();
  });
});

/** The upkeep's part, whose rounds are minutes apart in a worker. */
function collectionOf({ database, premises }: Fixture, store: RepositoryStore): StorageCollection {
  const { databaseUrl, encryptionKey, storageRoot } = premises;
  const config = loadConfig(buildWorkerSettings, {
    PLINTH_DATABASE_URL: databaseUrl,
    PLINTH_ENCRYPTION_KEYS: encryptionKey,
    PLINTH_STORAGE_ROOT: storageRoot,
    ...environment,
  });
  const usage = new StorageUsageRepository();
  const repositories = new RepositoriesService(database, new RepositoriesRepository(), store);
  return new StorageCollection(database, config, repositories, usage, new StorageQuota(database, config, usage));
}

async function dueNow(): Promise<number[]> {
  const due: number[] = [];
  for (let key = await collection.claim(); key; key = await collection.claim()) due.push(key.deploymentId);
  return due;
}

/** As if the last file had come three hours ago; `abandoned` has expired meanwhile. */
async function hoursLater(place: Place, abandoned: Transaction): Promise<void> {
  const { directory } = await repositoryOf(place);
  const then = new Date(Date.now() - 3 * 3_600_000);
  for (const name of await files(place)) {
    if (/^..[/]/.test(String(name))) utimesSync(join(directory, 'objects', String(name)), then, then);
  }
  await platform.database.asSystem(async (tx) => {
    await managerFor(tx).query('update upload set expires_at = now() where id = $1', [abandoned?.id]);
    await managerFor(tx).query("update repository_storage set collected_at = now() - interval '150 minutes'");
  });
}
