import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, dbtCommand, runChild, UpstreamRepository, type ServiceDatabase } from '@plinth/testing';
import { buildWorkerSchema } from '../build-worker.schema';
import type { CrashOrder } from '../testing/crash-child';
import { manifestOf } from '../testing/dbt-manifest';
import { ofManifest, shopProject } from '../testing/dbt-syncs';
import { eventually } from '../testing/fixture';
import { deploymentOf, startHarness, userOf, type Harness, type Premises } from '../testing/worker-harness';

const command = dbtCommand();
const childScript = join(__dirname, '../testing/crash-child.ts');
const body = JSON.stringify(ofManifest(manifestOf({ orders: ['id'] })));

let server: ServiceDatabase;
let folder: string;
let premises: Premises;
let serial = 0;

beforeAll(async () => {
  server = await createTestDatabase(buildWorkerSchema);
  folder = mkdtempSync(join(tmpdir(), 'plinth-dbt-'));
  premises = {
    databaseUrl: server.url,
    encryptionKey: randomBytes(32).toString('base64'),
    storageRoot: join(folder, 'storage'),
    environment: { PLINTH_DBT_COMMAND: command ?? '/nowhere' },
  };
});
afterAll(async () => {
  await server?.drop();
  rmSync(folder, { recursive: true, force: true });
});

const newPlace = () => {
  const id = ++serial;
  return { deployment: deploymentOf(100 + id, id), admin: userOf(100 + id, id * 10), path: { deploymentId: id } };
};
type Place = ReturnType<typeof newPlace>;

/** A worker that lives for as long as the work takes. */
async function withWorker<T>({ deployment }: Place, work: (worker: Harness) => Promise<T>): Promise<T> {
  const worker = await startHarness(premises, new Map([[deployment.id, deployment]]), ['survivor']);
  try {
    return await work(worker);
  } finally {
    await worker.stop();
  }
}

/** Starts a run in a process of its own, which dies in that phase. */
async function crash({ deployment, admin, path }: Place, phase: string, upload: string): Promise<void> {
  const order: CrashOrder = {
    ...{ premises, deployment, principal: admin, operationId: 'startDbtSync', request: { path, upload } },
    ...{ failpoint: phase, inBackground: true },
  };
  expect((await runChild(childScript, order)).killed).toBe(true);
}

const sql = (text: string) => server.database.readAsSystem({ name: '', text });
const claimRunsOut = ({ path }: Place) =>
  sql(`update dbt_sync set lease_expires_at = now() - interval '1 second' where deployment_id = ${path.deploymentId}`);

const endOf = (place: Place) =>
  withWorker(place, async (worker) => {
    const { admin, path } = place;
    const runs = () => worker.call(admin, 'listDbtSyncs', { path });
    const { items } = await eventually(runs, (page) => page.items[0]?.status !== 'RUNNING');
    const branches = await worker.call(admin, 'listBranches', { path });
    return { runs: items, branches: branches.items.map(({ name }) => name) };
  });

describe('a run whose worker is killed', () => {
  it.each([
    'dbt-sync.after-claim',
    'dbt-sync.manifest',
    'dbt-sync.write',
    'dbt-sync.finalise',
    'dbt-sync.before-finish',
    'dbt-sync.after-finish',
  ])('at %s is taken to its end by another one, with one branch', async (failpoint) => {
    const place = newPlace();
    await crash(place, failpoint, body);
    await claimRunsOut(place);
    const { runs, branches } = await endOf(place);
    expect(runs).toMatchObject([{ status: 'COMPLETED', stats: { cubeCount: 1 } }]);
    expect(branches).toEqual(['main', runs[0]?.branchName]);
  });

  (command === undefined ? it.skip.each : it.each)(['repo-clone', 'dbt-deps', 'dbt-compile'])(
    'in the phase %s is taken to its end by another one, too',
    async (phase) => {
      const place = newPlace();
      const upstream = new UpstreamRepository(folder, `dbt-${place.path.deploymentId}`);
      upstream.commit('main', shopProject);
      const connect = { path: place.path, body: { url: `file://${upstream.directory}` } };
      await withWorker(place, (worker) => worker.call(place.admin, 'putDbtSource', connect));
      await crash(place, `dbt-sync.${phase}`, '{}');
      await claimRunsOut(place);
      const { runs, branches } = await endOf(place);
      expect(runs).toMatchObject([{ status: 'COMPLETED', source: 'git' }]);
      expect(branches).toHaveLength(2);
    },
  );

  it('again and again fails in the end', async () => {
    const place = newPlace();
    await crash(place, 'dbt-sync.write', body);
    await sql(`update dbt_sync set attempts = 3 where deployment_id = ${place.path.deploymentId}`);
    await claimRunsOut(place);
    const { runs, branches } = await endOf(place);
    expect(runs).toMatchObject([{ status: 'FAILED', errorMessage: 'The dbt sync was interrupted 3 times' }]);
    expect(branches).toEqual(['main']);
  });

  it('and that nobody takes for hours is of unknown outcome, which ends the wait of clients', async () => {
    const place = newPlace();
    await crash(place, 'dbt-sync.write', body);
    await sql(
      `update dbt_sync set started_at = now() - interval '7 hours' where deployment_id = ${place.path.deploymentId}`,
    );
    await claimRunsOut(place);
    const { runs } = await endOf(place);
    expect(runs).toMatchObject([{ status: 'UNKNOWN' }]);
    const path = { ...place.path, syncJobId: runs[0]?.syncJobId };
    const status = await withWorker(place, (worker) => worker.call(place.admin, 'getDbtSyncStatus', { path }));
    expect(status).toMatchObject({ status: 'FAILED', error: expect.stringMatching(/Nobody knows/) as string });
  });
});
