import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dbtCommand, dbtProject, deadlineMs } from '@plinth/testing';
import { DbtSyncs, shopProject, type Place } from '../testing/dbt-syncs';
import { startFixture, type Fixture } from '../testing/fixture';
import { standInDbt } from '../testing/stand-in-dbt';

const command = dbtCommand();
let folder: string;
let platform: Fixture;
const syncs = new DbtSyncs(
  () => platform,
  () => folder,
);

const CATALOG = 'target/catalog.json';
const catalogOf = (model: string, types: Readonly<Record<string, string>>): string => {
  const columns = Object.fromEntries(Object.entries(types).map(([name, type]) => [name, { name, type }]));
  return JSON.stringify({ nodes: { [model]: { columns } } });
};

function bakery(): Record<string, string> {
  const root = dbtProject('bakery').folder;
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => statSync(join(root, name)).isFile());
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(root, name), 'utf8')]));
}

describe('without dbt', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'plinth-dbt-'));
    platform = await startFixture(['worker-1'], { PLINTH_DBT_COMMAND: '/nowhere/dbt' });
  });
  afterAll(async () => {
    await platform?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('a sync of a repository fails in its first phase, and says what to install', async () => {
    const place = await syncs.connected();
    const { status, error } = await syncs.sync(place);
    expect(status).toBe('FAILED');
    expect(error).toMatch(/no command \/nowhere\/dbt.*pip install dbt-core.*PLINTH_DBT_COMMAND/);
    const [run] = (await platform.call(place.admin, 'listDbtSyncs', { path: place.path })).items;
    expect(run).toMatchObject({ failedPhase: 'repo-clone', source: 'git' });
  });

  it('a connection can be tested, whether it works or not', async () => {
    const { admin, path, upstream } = await syncs.connected();
    expect(await platform.call(admin, 'testDbtSource', { path })).toMatchObject({
      success: true,
      projectName: 'shop',
      branch: 'main',
      commit: upstream.head('main'),
    });
    const put = (more: object) =>
      platform.call(admin, 'putDbtSource', { path, body: { url: `file://${upstream.directory}`, ...more } });
    const message = async () => (await platform.call(admin, 'testDbtSource', { path })).message;
    await put({ branch: 'other' });
    expect(await message()).toMatch(/no branch or tag other/);
    await put({ projectPath: 'elsewhere' });
    expect(await message()).toMatch(/no dbt_project.yml/);
    await put({ url: 'file:///nowhere/x.git' });
    expect(await message()).toMatch(/no such repository/);
  });

  it('a token is kept sealed, for its server alone, and shown to nobody', async () => {
    const { admin, path } = platform.newDeployment();
    const put = (body: object) => platform.call(admin, 'putDbtSource', { path, body });
    const shown = await put({ url: 'https://git.example.com/a.git', token: 'hush-hush' });
    expect(shown).toMatchObject({ connected: true, hasToken: true, username: 'git', projectPath: '.' });
    expect(JSON.stringify(shown) + platform.logged()).not.toContain('hush-hush');
    expect(await put({ url: 'https://git.example.com/b.git' })).toMatchObject({ hasToken: true });
    expect(await put({ url: 'https://other.example.com/b.git' })).toMatchObject({ hasToken: false });
    const refused = await platform.refusal(admin, 'putDbtSource', {
      path,
      body: { url: 'https://a:b@x.example/c.git' },
    });
    expect(refused).toMatchObject({ code: 'remote.invalid_url' });
    await platform.call(admin, 'deleteDbtSource', { path });
    expect(await platform.call(admin, 'getDbtSource', { path })).toMatchObject({ connected: false, url: null });
    expect(await platform.refusal(admin, 'startDbtSync', { path, upload: '{}' })).toMatchObject({
      code: 'dbt_source.not_connected',
    });
  });
});

describe('a catalog in the repository', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'plinth-dbt-'));
    platform = await startFixture(['worker-1'], { PLINTH_DBT_COMMAND: standInDbt(join(folder, 'dbt')) });
  });
  afterAll(async () => {
    await platform?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('that is none fails the run before dbt is asked, and is not looked at unless that is asked for', async () => {
    const place = await syncs.connected({ ...shopProject, [CATALOG]: '{' });
    expect(await syncs.sync(place, { output: 'files' })).toMatchObject({ status: 'COMPLETED', error: null });
    const body = { url: `file://${place.upstream.directory}`, options: { catalogTypes: true } };
    await platform.call(place.admin, 'putDbtSource', { path: place.path, body });
    const failed = await syncs.sync(place);
    expect(failed).toMatchObject({ status: 'FAILED', error: 'target/catalog.json is no JSON' });
    expect(await syncs.log(place, failed.syncJobId)).not.toContain('dbt-compile');
  });
});

(command === undefined ? describe.skip : describe)('with dbt', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'plinth-dbt-'));
    platform = await startFixture(['worker-1'], { PLINTH_DBT_COMMAND: command ?? '' }, undefined, {
      CUBEJS_DB_TYPE: 'postgres',
      CUBEJS_DB_NAME: 'warehouse',
      CUBEJS_DB_PASS: 'the-password',
      REGION: 'north',
    });
  });
  afterAll(async () => {
    await platform?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('a project that does not parse fails with the message of dbt, its file and line', async () => {
    const place = await syncs.connected({ ...shopProject, 'models/orders.sql': "select {{ ref('nobody') }}" });
    const { status, error, syncJobId } = await syncs.sync(place);
    expect(status).toBe('FAILED');
    expect(error).toMatch(/orders.*depends on a node named 'nobody'/s);
    expect(error).not.toMatch(/\/scratch|\/tmp/);
    expect(await syncs.log(place, syncJobId)).toMatch(/dbt-compile error/);
    expect(await syncs.branches(place)).toEqual(['main']);
  });

  describe('a project', () => {
    let place: Place;
    let ended: Awaited<ReturnType<typeof syncs.sync>>;
    let made: Record<string, string>;

    beforeAll(async () => {
      place = await syncs.connected(
        { ...bakery(), [CATALOG]: catalogOf('model.bakery.shops', { extra: 'numeric(9,2)' }) },
        { targetSchema: 'analytics', options: { semanticLayer: true, catalogTypes: true } },
      );
      ended = await syncs.sync(place, { ref: 'main' });
      expect(ended).toMatchObject({ status: 'COMPLETED', error: null });
      made = await platform.filesOf(place.admin, place.path.deploymentId, ended.branchName);
    }, deadlineMs(120_000));

    it('becomes cubes with keys and joins, in phases', async () => {
      expect(ended.branchName).toMatch(/^dbt-sync\/main-/);
      expect(made['/model/cubes/dbt/sales.yml']).toMatch(/analytics.sales/);
      expect(made['/model/cubes/dbt/sales.yml']).toMatch(/many_to_one/);
      expect(made['/model/cubes/dbt/shops.yml']).toMatch(/primary_key: true/);
      const [run] = (await platform.call(place.admin, 'listDbtSyncs', { path: place.path })).items;
      const phases = ['repo-clone', 'dbt-deps', 'dbt-compile', 'manifest', 'write', 'finalise'];
      expect(run?.phases?.map(({ phase }) => phase)).toEqual(phases);
      expect(run).toMatchObject({ gitRef: 'main', stats: { models: 7, dbtVersion: '1.11.16' } });
      expect(await syncs.log(place, ended.syncJobId)).toMatch(/Running with dbt=1.11.16/);
    });

    it('with semantic models has their metrics, which dbt checks behind the wall', () => {
      expect(made['/model/cubes/dbt/sales.yml']).toMatch(/name: bread_revenue/);
    });

    it('has columns and types of a catalog in the repository where that is asked for', () => {
      expect(made['/model/cubes/dbt/shops.yml']).toMatch(/name: extra\n(.*\n)? +type: number/);
    });
  });

  it('a selector chooses models, and keeps the files of the others; a catalog that is missed is told', async () => {
    const place = await syncs.connected(shopProject, { options: { selector: 'orders', catalogTypes: true } });
    const { status, error, syncJobId } = await syncs.sync(place, { output: 'files' });
    expect({ status, error }).toEqual({ status: 'COMPLETED', error: null });
    const path = { ...place.path, syncJobId };
    const { items } = await platform.call(place.admin, 'getDbtSyncGeneratedFiles', { path });
    expect(items.map((file) => file.path)).toEqual(['model/cubes/dbt/orders.yml']);
    expect(await syncs.log(place, syncJobId)).toMatch(/There is no target\/catalog.json/);
  });
});
