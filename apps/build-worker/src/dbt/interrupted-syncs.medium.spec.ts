import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, deadlineMs, runChild, UpstreamRepository, type ServiceDatabase } from '@plinth/testing';
import { buildWorkerSchema } from '../build-worker.schema';
import type { CrashOrder } from '../testing/crash-child';
import { manifestOf } from '../testing/dbt-manifest';
import { ofManifest, shopProject } from '../testing/dbt-syncs';
import { eventually } from '../testing/fixture';
import { standInDbt } from '../testing/stand-in-dbt';
import { deploymentOf, startHarness, userOf, type Harness, type Premises } from '../testing/worker-harness';

const childScript = join(__dirname, '../testing/crash-child.ts');
const body = JSON.stringify(ofManifest(manifestOf({ orders: ['id'] })));

const newPlace = (id: number) => ({
  deployment: deploymentOf(100 + id, id),
  admin: userOf(100 + id, id * 10),
  path: { deploymentId: id },
});
type Place = ReturnType<typeof newPlace>;

const OF_MANIFESTS = [
  ...['dbt-sync.after-claim', 'dbt-sync.manifest', 'dbt-sync.write', 'dbt-sync.finalise'],
  ...['dbt-sync.before-finish', 'dbt-sync.after-finish'],
] as const;
const OF_REPOSITORIES = ['repo-clone', 'dbt-deps', 'dbt-compile'] as const;
/** Runs that are over before anybody takes them up: what they were at when they were interrupted does not matter. */
const HOPELESS = {
  'three times': { attempts: 3, started: 'now()' },
  'for hours': { attempts: 1, started: `now() - interval '7 hours'` },
};
/** One deployment for each way in which a run is interrupted. */
const places = new Map<string, Place>(
  [...OF_MANIFESTS, ...OF_REPOSITORIES, ...Object.keys(HOPELESS)].map((name, index) => [name, newPlace(index + 1)]),
);
const placeOf = (name: string): Place => places.get(name) as Place;

let server: ServiceDatabase;
let folder: string;
let premises: Premises;
/** Takes up what all the others have left: it starts once they are dead. */
let survivor: Harness | undefined;

beforeAll(async () => {
  server = await createTestDatabase(buildWorkerSchema);
  folder = mkdtempSync(join(tmpdir(), 'plinth-dbt-'));
  premises = {
    databaseUrl: server.url,
    encryptionKey: randomBytes(32).toString('base64'),
    storageRoot: join(folder, 'storage'),
    environment: { PLINTH_DBT_COMMAND: standInDbt(join(folder, 'dbt')) },
  };
  await prepare();
  for (const name of OF_MANIFESTS) await crash(placeOf(name), name, body);
  for (const name of OF_REPOSITORIES) await crash(placeOf(name), `dbt-sync.${name}`, '{}');
  for (const [name, { attempts, started }] of Object.entries(HOPELESS))
    await interrupt(placeOf(name), attempts, started);
  for (const place of places.values()) await change(place, `lease_expires_at = now() - interval '1 second'`);
  survivor = await startWorker();
}, deadlineMs(120_000));
afterAll(async () => {
  await survivor?.stop();
  await server?.drop();
  rmSync(folder, { recursive: true, force: true });
});

const startWorker = (): Promise<Harness> =>
  startHarness(premises, new Map([...places.values()].map(({ deployment }) => [deployment.id, deployment])), [
    'worker',
  ]);

/** Connects the repositories, and makes the data models that no run will. */
async function prepare(): Promise<void> {
  const worker = await startWorker();
  try {
    for (const { admin, path } of OF_REPOSITORIES.map(placeOf)) {
      const upstream = new UpstreamRepository(folder, `dbt-${path.deploymentId}`);
      upstream.commit('main', shopProject);
      await worker.call(admin, 'putDbtSource', { path, body: { url: `file://${upstream.directory}` } });
    }
    for (const { admin, path } of Object.keys(HOPELESS).map(placeOf))
      await worker.call(admin, 'listBranches', { path });
  } finally {
    await worker.stop();
  }
}

/** Starts a run in a process of its own, which dies in that phase. */
async function crash(place: Place, phase: string, upload: string): Promise<void> {
  const { deployment, admin, path } = place;
  const order: CrashOrder = {
    ...{ premises, deployment, principal: admin, operationId: 'startDbtSync', request: { path, upload } },
    ...{ failpoint: phase, inBackground: true },
  };
  expect((await runChild(childScript, order)).killed).toBe(true);
  // Those that are to die after it leave it alone.
  await change(place, `lease_expires_at = now() + interval '1 day'`);
}

/** The row that a run leaves whose worker was killed. */
const interrupt = ({ deployment: { tenantId }, path }: Place, attempts: number, started: string) =>
  server.database.readAsSystem({
    name: '',
    text: `insert into dbt_sync (tenant_id, deployment_id, trigger, source, output, branch_name, author_name,
        author_email, stage, attempts, claim_id, started_at)
      values (${tenantId}, ${path.deploymentId}, 'api', 'manifest', 'branch', 'x', 'x', 'x', 'WRITING_CUBE_FILES',
        ${attempts}, gen_random_uuid(), ${started})`,
  });

const change = ({ path }: Place, what: string) =>
  server.database.readAsSystem({
    name: '',
    text: `update dbt_sync set ${what} where deployment_id = ${path.deploymentId}`,
  });

async function endOf({ admin, path }: Place) {
  const worker = survivor as Harness;
  const runs = () => worker.call(admin, 'listDbtSyncs', { path });
  const { items } = await eventually(runs, (page) => page.items[0]?.status !== 'RUNNING');
  const branches = await worker.call(admin, 'listBranches', { path });
  return { runs: items, branches: branches.items.map(({ name }) => name) };
}

describe('a run whose worker is killed', () => {
  it.each(OF_MANIFESTS)('at %s is taken to its end by another one, with one branch', async (failpoint) => {
    const { runs, branches } = await endOf(placeOf(failpoint));
    expect(runs).toMatchObject([{ status: 'COMPLETED', stats: { cubeCount: 1 }, errorMessage: null }]);
    expect(branches).toEqual(['main', runs[0]?.branchName]);
  });

  it.each(OF_REPOSITORIES)('in the phase %s is taken to its end by another one, too', async (phase) => {
    const { runs, branches } = await endOf(placeOf(phase));
    expect(runs).toMatchObject([{ status: 'COMPLETED', source: 'git', errorMessage: null }]);
    expect(branches).toHaveLength(2);
  });

  it('again and again fails in the end', async () => {
    const { runs, branches } = await endOf(placeOf('three times'));
    expect(runs).toMatchObject([{ status: 'FAILED', errorMessage: 'The dbt sync was interrupted 3 times' }]);
    expect(branches).toEqual(['main']);
  });

  it('and that nobody takes for hours is of unknown outcome, which ends the wait of clients', async () => {
    const { admin, path } = placeOf('for hours');
    const { runs } = await endOf(placeOf('for hours'));
    expect(runs).toMatchObject([{ status: 'UNKNOWN' }]);
    const wanted = { path: { ...path, syncJobId: runs[0]?.syncJobId } };
    const status = await (survivor as Harness).call(admin, 'getDbtSyncStatus', wanted);
    expect(status).toMatchObject({ status: 'FAILED', error: expect.stringMatching(/Nobody knows/) as string });
  });
});
