import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dbtCommand, boundMs, processesBelow } from '@plinth/testing';
import { Client } from 'pg';
import { manifestOf } from '../testing/dbt-manifest';
import { DbtSyncs, HeldCheck, ofManifest, shopProject, type Place } from '../testing/dbt-syncs';
import { eventually, startFixture, type Fixture } from '../testing/fixture';

const WITHIN_MS = 2_000;
const CANCELLED = 'The dbt sync was cancelled';
const command = dbtCommand();
let folder: string;
let platform: Fixture;
let silent: Server;
const sockets = new Set<Socket>();
const check = new HeldCheck();
const syncs = new DbtSyncs(
  () => platform,
  () => folder,
);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plinth-dbt-'));
  silent = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  platform = await startFixture(['worker-1'], { PLINTH_DBT_COMMAND: command ?? '/nowhere' }, check.answer);
  const database = await connection();
  await database.query(`
    create function wait_for_test() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock_shared(16); return new; end $$;
    create trigger wait_for_test before insert on dbt_sync_log
      for each row when (new.message like '% models made %') execute function wait_for_test()`);
  await database.end();
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  silent?.close();
  await platform?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** To what the workers keep, past them. */
async function connection(): Promise<Client> {
  const client = new Client({ connectionString: platform.premises.databaseUrl });
  await client.connect();
  await client.query('set search_path to build_worker');
  return client;
}

const silentUrl = (): string => `http://127.0.0.1:${(silent.address() as AddressInfo).port}/x.git`;
const programs = (word: string) =>
  processesBelow(process.pid).filter((each) => each.command.join(' ').includes(word)).length;
const reaches = (place: Place, syncJobId: string, stage: string) =>
  eventually(
    () => syncs.status(place, syncJobId),
    ({ status }) => status === stage,
  );

/** Cancels the run, and answers how long it took until nothing of it was left. */
async function cancel(place: Place, syncJobId: string, isOver: () => boolean): Promise<number> {
  const path = { ...place.path, syncJobId };
  const startedAt = performance.now();
  await platform.call(place.admin, 'cancelDbtSync', { path });
  await eventually(async () => isOver(), Boolean);
  return performance.now() - startedAt;
}

async function expectNothingLeft(place: Place, syncJobId: string): Promise<void> {
  const path = { ...place.path, syncJobId };
  expect(await platform.call(place.admin, 'getDbtSyncStatus', { path })).toMatchObject({
    status: 'FAILED',
    error: CANCELLED,
  });
  const { items } = await platform.call(place.admin, 'listDbtSyncs', { path: place.path });
  expect(items[0]).toMatchObject({ status: 'CANCELLED', errorMessage: null });
  expect(await syncs.branches(place)).toEqual(['main']);
  const { directory } = await platform.repositoryOf(place.admin, place.path.deploymentId);
  await eventually(
    async () => readdirSync(directory).filter((name) => name.startsWith('incoming-')).length,
    (count) => count === 0,
  );
  const again = await platform.refusal(place.admin, 'cancelDbtSync', { path });
  expect(again).toMatchObject({ code: 'dbt_sync.not_running', status: 409 });
}

(command === undefined ? describe.skip : describe)('a run of a repository that is cancelled', () => {
  it('while the git server says nothing ends at once, with its git', async () => {
    const place = platform.newDeployment();
    await platform.call(place.admin, 'putDbtSource', { path: place.path, body: { url: silentUrl() } });
    const { syncJobId } = await syncs.start(place);
    await eventually(
      async () => programs(silentUrl()),
      (count) => count > 0,
    );
    expect(await cancel(place, syncJobId, () => programs(silentUrl()) === 0)).toBeLessThan(boundMs(WITHIN_MS));
    await expectNothingLeft(place, syncJobId);
  });

  it('while a package does not come ends at once', async () => {
    const place = await syncs.connected({ ...shopProject, 'packages.yml': `packages: [{ git: "${silentUrl()}" }]` });
    const { syncJobId } = await syncs.start(place);
    await reaches(place, syncJobId, 'RUNNING_DBT_DEPS');
    await eventually(
      async () => programs(silentUrl()),
      (count) => count > 0,
    );
    expect(await cancel(place, syncJobId, () => programs(silentUrl()) === 0)).toBeLessThan(boundMs(WITHIN_MS));
    await expectNothingLeft(place, syncJobId);
  });

  it('while dbt reads the project ends at once, with all its processes', async () => {
    const loops = `${'{% for a in range(9999) %}'.repeat(5)}${'{% endfor %}'.repeat(5)}`;
    const place = await syncs.connected({ ...shopProject, 'models/orders.sql': `${loops} {{ ref('customers') }}` });
    const { syncJobId } = await syncs.start(place);
    await reaches(place, syncJobId, 'COMPILING_DBT');
    await eventually(
      async () => programs('dbtRunner'),
      (count) => count > 0,
    );
    expect(await cancel(place, syncJobId, () => programs('dbtRunner') === 0)).toBeLessThan(boundMs(WITHIN_MS));
    await expectNothingLeft(place, syncJobId);
  });
});

describe('a run of a manifest that is cancelled', () => {
  const manifest = () => ofManifest(manifestOf({ orders: ['id'] }));
  /** Keeps what the statement locks until the work is done. */
  async function whileHeld(statement: string, work: (client: Client) => Promise<void>): Promise<void> {
    const client = await connection();
    try {
      await client.query(`begin; ${statement}`);
      await work(client);
    } finally {
      await client.end();
    }
  }
  const waiting = async (client: Client): Promise<number> => {
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::int as count from pg_locks where not granted and database =
         (select oid from pg_database where datname = current_database())`,
    );
    return rows[0]?.count ?? 0;
  };

  it.each([
    // The line that ends the reading of a manifest waits.
    ['PROCESSING_MANIFEST', 'select pg_advisory_xact_lock(16)'],
    // The branch to begin at cannot be looked up.
    ['WRITING_CUBE_FILES', 'lock table branch'],
  ])('while its stage is %s leaves nothing', async (stage, lock) => {
    const place = platform.newDeployment();
    expect(await syncs.branches(place)).toEqual(['main']);
    await whileHeld(lock, async (client) => {
      const { syncJobId } = await syncs.start(place, manifest());
      await reaches(place, syncJobId, stage);
      await eventually(() => waiting(client), Boolean);
      const startedAt = performance.now();
      await platform.call(place.admin, 'cancelDbtSync', { path: { ...place.path, syncJobId } });
      expect(await syncs.status(place, syncJobId)).toMatchObject({ status: 'FAILED', error: CANCELLED });
      expect(performance.now() - startedAt).toBeLessThan(boundMs(WITHIN_MS));
    });
    // What comes after it begins once the worker has let go.
    expect(await syncs.sync(place, manifest())).toMatchObject({ status: 'COMPLETED' });
    const { items } = await platform.call(place.admin, 'listDbtSyncs', { path: place.path });
    expect(items.map(({ status }) => status)).toEqual(['COMPLETED', 'CANCELLED']);
    expect(items[1]?.lastStage).toBe(stage);
    expect(await syncs.branches(place)).toEqual(['main', items[0]?.branchName]);
  });

  it('while its data model is checked leaves no branch', async () => {
    const place = platform.newDeployment();
    const { reached, release } = check.hold();
    const { syncJobId } = await syncs.start(place, ofManifest(manifestOf({ orders: ['id'] })));
    await reached;
    await platform.call(place.admin, 'cancelDbtSync', { path: { ...place.path, syncJobId } });
    release();
    // What comes after it begins once the worker has let go.
    expect(await syncs.sync(place, ofManifest(manifestOf({ other: ['id'] }), { output: 'files' }))).toMatchObject({
      status: 'COMPLETED',
    });
    expect(await syncs.branches(place)).toEqual(['main']);
  });
});
