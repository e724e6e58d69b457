import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createTestDatabase,
  dbtCommand,
  deadlineMs,
  runChild,
  UpstreamRepository,
  type ServiceDatabase,
} from '@plinth/testing';
import { buildWorkerSchema } from '../build-worker.schema';
import type { CrashOrder } from '../testing/crash-child';
import { manifestOf } from '../testing/dbt-manifest';
import { ofManifest, shopProject } from '../testing/dbt-syncs';
import { eventually } from '../testing/fixture';
import { deploymentOf, startHarness, userOf, type Harness, type Premises } from '../testing/worker-harness';

const command = dbtCommand();
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
const OF_REPOSITORIES = command === undefined ? [] : (['repo-clone', 'dbt-deps', 'dbt-compile'] as const);
/** One deployment for each way in which a run is interrupted. */
const places = new Map<string, Place>(
  [...OF_MANIFESTS, ...OF_REPOSITORIES, 'three times', 'for hours'].map((name, index) => [name, newPlace(index + 1)]),
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
    environment: { PLINTH_DBT_COMMAND: command ?? '/nowhere' },
  };
  await connectRepositories();
  for (const name of OF_MANIFESTS) await crash(placeOf(name), name, body);
  for (const name of OF_REPOSITORIES) await crash(placeOf(name), `dbt-sync.${name}`, '{}');
  for (const name of ['three times', 'for hours']) await crash(placeOf(name), 'dbt-sync.write', body);
  await change(placeOf('three times'), 'attempts = 3');
  await change(placeOf('for hours'), `started_at = now() - interval '7 hours'`);
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

async function connectRepositories(): Promise<void> {
  if (OF_REPOSITORIES.length === 0) return;
  const worker = await startWorker();
  try {
    for (const { admin, path } of OF_REPOSITORIES.map(placeOf)) {
      const upstream = new UpstreamRepository(folder, `dbt-${path.deploymentId}`);
      upstream.commit('main', shopProject);
      await worker.call(admin, 'putDbtSource', { path, body: { url: `file://${upstream.directory}` } });
    }
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

  (command === undefined ? it.skip.each : it.each)(['repo-clone', 'dbt-deps', 'dbt-compile'])(
    'in the phase %s is taken to its end by another one, too',
    async (phase) => {
      const { runs, branches } = await endOf(placeOf(phase));
      expect(runs).toMatchObject([{ status: 'COMPLETED', source: 'git', errorMessage: null }]);
      expect(branches).toHaveLength(2);
    },
  );

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
