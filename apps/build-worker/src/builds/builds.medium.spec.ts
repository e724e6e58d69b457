import 'reflect-metadata';
import type { Principal } from '@plinth/auth';
import type { Bus } from '@plinth/messaging';
import { BranchNotices, type BuildRequest } from '../data-models';
import { eventually, put, startFixture, type Fixture } from '../testing/fixture';
import { BuildQueue } from './build-queue';
import { BuildsRepository, MAX_ATTEMPTS } from './builds.repository';

let platform: Fixture;
let admin: Principal;
let path: { deploymentId: number };

const status = (branchName?: string) =>
  platform.call(admin, 'buildStatus', { path, query: branchName === undefined ? {} : { branchName } });
const ended = (branchName?: string) =>
  eventually(
    () => status(branchName),
    (build) => ['built', 'failed', 'cancelled'].includes(build.status),
  );

describe('builds on running workers', () => {
  beforeAll(async () => {
    platform = await startFixture(['worker-1', 'worker-2']);
  });
  afterAll(() => platform?.stop());
  beforeEach(() => {
    ({ admin, path } = platform.newDeployment());
  });

  it('answer with the words that clients wait for when a branch is unknown or not served', async () => {
    await platform.call(admin, 'createBranch', { path, body: { name: 'feature' } });
    const { branchName: dev } = await platform.call(admin, 'startDevMode', { path });
    const waiting = { status: 'building', mode: 'dev_mode' };
    expect(await status('nothing')).toMatchObject({ ...waiting, errorText: 'Bad branch: nothing' });
    expect(await status('feature')).toMatchObject({ ...waiting, errorText: 'Branch is not active' });
    expect(await status(dev ?? '')).toMatchObject({ branchName: dev, status: 'dev_mode', mode: 'dev_mode' });
    await platform.call(admin, 'stopDevMode', { path });
    expect(await status(dev ?? '')).toMatchObject({ ...waiting, errorText: 'Branch is not active' });
  });

  it('end as built, with what was built', async () => {
    const { items } = await platform.call(admin, 'listBranches', { path });
    expect(await ended()).toEqual({
      deploymentId: path.deploymentId,
      branchName: 'main',
      mode: 'production',
      status: 'built',
      errorText: null,
      buildJobId: expect.any(Number),
      lastHash: items[0]?.lastHash,
      filesHash: expect.stringMatching(/^[0-9a-f]{40}$/),
      updatedAt: expect.any(String),
    });
  });

  it('end as failed with the file and the line of each error, and production keeps its files', async () => {
    await ended();
    await platform.call(admin, 'startDevMode', { path });
    const files = [
      { path: 'model/a.yml', content: 'cubes:\n  - name: a\n   sql_table: b\n' },
      { path: 'model/b.js', content: '// first\n\nmissing();\n' },
    ];
    await platform.call(admin, 'updateFiles', { path, body: { files } });
    await platform.call(admin, 'mergeToDefaultBranch', { path });
    const { errorText } = await eventually(status, (build) => build.status === 'failed');
    expect(errorText).toMatch(/^model\/a\.yml:3: .*Syntax error/m);
    expect(await platform.call(admin, 'fileHashes', { path, query: { live: true } })).not.toHaveProperty([
      'model/a.yml',
    ]);
  });

  it('of an earlier branch with the same name do not speak for the new one', async () => {
    const staging = (enabled: boolean) =>
      platform.call(admin, 'setBranchStagingEnvironment', { path, body: { branchName: 'feature', enabled } });
    await platform.call(admin, 'createBranch', { path, body: { name: 'feature' } });
    await staging(true);
    const first = await ended('feature');
    await platform.call(admin, 'removeBranch', { path, query: { branchName: 'feature' } });
    await platform.call(admin, 'createBranch', { path, body: { name: 'feature' } });
    expect(await status('feature')).toMatchObject({ errorText: 'Branch is not active' });
    await staging(true);
    expect((await ended('feature')).buildJobId).not.toBe(first.buildJobId);
  });

  it('are one at a time for a deployment, and the last of many commits is what is built in the end', async () => {
    await ended();
    await platform.call(admin, 'startDevMode', { path });
    for (let count = 0; count < 5; count += 1) {
      await platform.call(admin, 'updateFiles', { path, body: put('a', `${count}`) });
      await platform.call(admin, 'commitChanges', { path });
    }
    const { items } = await platform.call(admin, 'listBranches', { path });
    await eventually(status, (build) => build.status === 'built' && build.lastHash === items[0]?.lastHash);
    const text = `select count(*) as overlapping from build a join build b on a.id < b.id
      and a.deployment_id = b.deployment_id and b.started_at < a.finished_at and a.started_at is not null
      where a.deployment_id = $1`;
    const [row] = await platform.database.readAsSystem({ name: 'overlaps', text }, [path.deploymentId]);
    expect(row).toEqual({ overlapping: 0 });
  });
});

describe('the queue', () => {
  let first: BuildQueue;
  let second: BuildQueue;

  beforeAll(async () => {
    platform = await startFixture([]);
    const bus = { publish: () => undefined, subscribe: () => () => undefined } as unknown as Bus;
    const queueOf = (workerId: string) =>
      new BuildQueue(platform.database, new BuildsRepository(), bus, { workerId }, new BranchNotices(bus));
    [first, second] = [queueOf('first'), queueOf('second')];
  });
  afterAll(() => platform?.stop());

  const sql = <Row>(name: string, text: string, values: unknown[] = []): Promise<Row[]> =>
    platform.database.readAsSystem<Row>({ name, text }, values);
  beforeEach(async () => {
    await sql('clear', 'delete from repository');
    const text = `insert into repository (deployment_id, tenant_id, deploy_mode, deploy_branch_name,
        deploy_branch_read_only, deploy_branch_merge_allowed, deploy_project_root)
      select id, case when id < 4 then 1 else 2 end, 'git', 'main', false, true, '' from generate_series(1, 4) as id`;
    await sql('deployments', text);
  });

  const add = (deploymentId: number, branchName = 'main') => {
    const hashes = { commitHash: 'a'.repeat(40), treeHash: 'b'.repeat(40) };
    const tenantId = deploymentId < 4 ? 1 : 2;
    const build: BuildRequest = { tenantId, deploymentId, branchName, ...hashes };
    return platform.database.transaction(tenantId, (tx) => first.add(tx, build));
  };
  const expireLeases = () => sql('expire', `update build set lease_expires_at = now() - interval '1 second'`);
  const states = async (): Promise<string[]> =>
    (await sql<{ status: string }>('states', 'select status from build order by id')).map((row) => row.status);
  const built = { status: 'built', errorText: null } as const;

  it('replaces what waits for the same branch, and leaves other branches alone', async () => {
    await add(1);
    await add(1, 'feature');
    await add(1);
    expect(await states()).toEqual(['cancelled', 'queued', 'queued']);
  });

  it('gives every build to one worker, and one build of a deployment at a time', async () => {
    for (const id of [1, 2, 3]) await add(id);
    await add(1, 'feature');
    const claims = await Promise.all(Array.from({ length: 8 }, (_, index) => (index % 2 ? first : second).claim()));
    let more = await first.claim();
    const claimed = claims.filter((claim) => claim !== undefined);
    for (; more; more = await first.claim()) claimed.push(more);
    expect(claimed.map(({ deploymentId }) => deploymentId).sort()).toEqual([1, 2, 3]);
    const ofFirst = claimed.find(({ deploymentId }) => deploymentId === 1)!;
    await first.finish(ofFirst, built);
    expect(await second.claim()).toMatchObject({ deploymentId: 1, branchName: 'feature' });
  });

  it('gives next what belongs to the tenant for which the fewest are being built, and nothing of a tenant left out', async () => {
    for (const id of [1, 2, 3, 4]) await add(id);
    expect(await first.claim()).toMatchObject({ tenantId: 1, deploymentId: 1 });
    expect(await second.claim()).toMatchObject({ tenantId: 2, deploymentId: 4 });
    expect(await first.claim([1])).toBeUndefined();
    expect(await first.claim([2])).toMatchObject({ tenantId: 1, deploymentId: 2 });
  });

  it('hands a build on when its lease has ended, and refuses the result of the worker that lost it', async () => {
    await add(1);
    const lost = (await first.claim())!;
    expect(await second.claim()).toBeUndefined();
    expect(await first.renew(lost)).toBe(true);
    await expireLeases();
    const taken = (await second.claim())!;
    expect(taken).toMatchObject({ id: lost.id, attempts: 2 });
    expect(await first.renew(lost)).toBe(false);
    expect(await first.finish(lost, { status: 'failed', errorText: 'late' })).toBe(false);
    expect(await second.finish(taken, built)).toBe(true);
    expect(await states()).toEqual(['built']);
  });

  it('fails a build whose workers keep dying', async () => {
    await add(1);
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      expect(await first.claim()).toMatchObject({ attempts: attempt });
      await expireLeases();
    }
    expect(await second.claim()).toBeUndefined();
    expect(await sql('failed', 'select status, error_text as text from build')).toEqual([
      { status: 'failed', text: 'The build was interrupted 3 times' },
    ]);
  });

  it('takes a build back untried, unless a newer one of its branch waits', async () => {
    await add(1);
    await first.release((await first.claim())!);
    const again = (await first.claim())!;
    expect(again.attempts).toBe(1);
    await add(1);
    await first.release(again);
    expect(await states()).toEqual(['cancelled', 'queued']);
  });

  it('tells how much waits', async () => {
    await add(1);
    await add(2);
    expect(await first.waiting()).toEqual({ queued: 2, oldestSeconds: expect.any(Number) });
  });
});
