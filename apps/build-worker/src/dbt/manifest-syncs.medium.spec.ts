import type { Principal } from '@plinth/auth';
import type { ReplyOf } from '@plinth/contract';
import { manifestOf } from '../testing/dbt-manifest';
import { cube, eventually, put, startFixture, type Fixture } from '../testing/fixture';
import { grantsOf, userOf } from '../testing/worker-harness';

type Place = { admin: Principal; path: { deploymentId: number } };

const MAY_START = ['DeploymentRead', 'SchemaRead', 'SchemaUpdateDevBranches'];
const orders = { orders: ['id', { name: 'amount', dataType: 'numeric' }, 'customer_id'] } as const;

let platform: Fixture;
beforeAll(async () => {
  platform = await startFixture(['worker-1', 'worker-2']);
});
afterAll(() => platform?.stop());

const start = ({ admin, path }: Place, body: object) =>
  platform.call(admin, 'startDbtSync', { path, upload: JSON.stringify(body) });
const refused = ({ admin, path }: Place, body: object | string) =>
  platform.refusal(admin, 'startDbtSync', { path, upload: typeof body === 'string' ? body : JSON.stringify(body) });
const statusOf = ({ admin, path }: Place, syncJobId: string) =>
  platform.call(admin, 'getDbtSyncStatus', { path: { ...path, syncJobId } });
const ended = (place: Place, syncJobId: string): Promise<ReplyOf<'getDbtSyncStatus'>> =>
  eventually(
    () => statusOf(place, syncJobId),
    ({ status }) => ['COMPLETED', 'FAILED'].includes(status),
  );
const sync = async (place: Place, body: object) => {
  const started = await start(place, body);
  return { ...started, ...(await ended(place, started.syncJobId)) };
};
const ofManifest = (manifest: object, more: object = {}) => ({ source: 'manifest', manifest, ...more });

describe('the start of a dbt sync', () => {
  it.each([
    ['an empty ref', { ref: '' }, 'request.invalid'],
    ['the id of a commit', { ref: 'a'.repeat(39) + '1' }, 'request.invalid'],
    ['a short id of a commit', { ref: 'ab12cd34' }, 'request.invalid'],
    ['what git takes for no ref', { ref: 'a..b' }, 'request.invalid'],
    ['an unknown source', { source: 'zip' }, 'request.invalid'],
    ['an unknown output', { output: 'mail' }, 'request.invalid'],
    ['no manifest', { source: 'manifest' }, 'request.invalid'],
    ['a manifest that is null', { source: 'manifest', manifest: null }, 'request.invalid'],
    ['a manifest that is a text', { source: 'manifest', manifest: '{}' }, 'request.invalid'],
    ['an empty manifest', ofManifest({}), 'dbt_sync.manifest_invalid'],
    [
      'a branch name of a personal branch',
      ofManifest(manifestOf(orders), { branchName: 'dev-x' }),
      'branch.invalid_name',
    ],
    ['a branch name that git refuses', ofManifest(manifestOf(orders), { branchName: 'a b' }), 'branch.invalid_name'],
    ['no project', {}, 'dbt_source.not_connected'],
    ['a branch that exists', ofManifest(manifestOf(orders), { branchName: 'main' }), 'branch.exists'],
  ])('is refused with %s', async (_case, body, code) => {
    expect(await refused(platform.newDeployment(), body)).toMatchObject({ code });
  });

  it.each([
    ['no JSON', '{"source":"manifest",', 'request.malformed_body'],
    ['a broken manifest', '{"source":"manifest","manifest":{"nodes":x}}', 'dbt_sync.manifest_invalid'],
    ['a broken rest', '{"source":manifest}', 'request.malformed_body'],
  ])('is refused with %s', async (_case, body, code) => {
    expect(await refused(platform.newDeployment(), body)).toMatchObject({ code });
  });

  it('names what is supported when the manifest is of another version', async () => {
    const metadata = { dbt_schema_version: 'https://schemas.getdbt.com/dbt/manifest/v9.json' };
    const error = await refused(platform.newDeployment(), ofManifest({ ...manifestOf(orders), metadata }));
    expect(error.status).toBe(400);
    expect(error.message).toMatch(/version 9.*12/);
  });

  it('is refused while another runs, without a trace of it', async () => {
    const place = platform.newDeployment();
    const bodies = Array.from({ length: 4 }, () => start(place, ofManifest(manifestOf(orders))));
    const outcomes = await Promise.allSettled(bodies);
    const codes = outcomes.map((each) => (each.status === 'rejected' ? (each.reason as { code: string }).code : 'ok'));
    expect(codes.filter((code) => code === 'ok').length).toBeGreaterThan(0);
    expect(new Set(codes)).toEqual(new Set(['ok', 'dbt_sync.running']));
    const { items } = await platform.call(place.admin, 'listDbtSyncs', { path: place.path });
    expect(items).toHaveLength(codes.filter((code) => code === 'ok').length);
  });

  it('has one effect under one idempotency key, and refuses another manifest under it', async () => {
    const place = platform.newDeployment();
    const body = JSON.stringify(ofManifest(manifestOf({})));
    const request = { path: place.path, upload: body, idempotencyKey: 'once' };
    const first = await platform.call(place.admin, 'startDbtSync', request);
    expect(await platform.call(place.admin, 'startDbtSync', request)).toEqual(first);
    const other = { ...request, upload: JSON.stringify(ofManifest(manifestOf({ other: ['id'] }))) };
    expect(await platform.refusal(place.admin, 'startDbtSync', other)).toMatchObject({
      code: 'idempotency.key_reused',
    });
  });
});

describe('who may', () => {
  it.each([
    ['start', 'startDbtSync', ['DeploymentRead', 'SchemaRead']],
    ['start without reading the deployment', 'startDbtSync', ['SchemaUpdate']],
    ['cancel', 'cancelDbtSync', ['DeploymentRead', 'SchemaRead']],
    ['see the history', 'listDbtSyncs', ['DeploymentRead']],
    ['see the log', 'getDbtSyncLogs', ['DeploymentRead']],
    ['connect a project', 'putDbtSource', ['DeploymentRead', 'SchemaRead', 'SchemaUpdate']],
  ] as const)('not %s: others', async (_case, operationId, actions) => {
    const { admin, path } = platform.newDeployment();
    const user = userOf(admin.tenantId, 5, grantsOf(...actions));
    const request = { path: { ...path, syncJobId: 'x' }, body: { url: 'https://git.example.com/x.git' } };
    expect(await platform.refusal(user, operationId, request)).toMatchObject({ code: 'access.denied' });
  });

  it('start and cancel: who may change any branch', async () => {
    const { admin, path } = platform.newDeployment();
    const user = userOf(admin.tenantId, 5, grantsOf(...MAY_START));
    const { syncJobId } = await start({ admin: user, path }, ofManifest(manifestOf({})));
    const gone = await platform.refusal(user, 'cancelDbtSync', {
      path: { ...path, syncJobId: syncJobId.replace(/^./, 'z') },
    });
    expect(gone).toMatchObject({ code: 'dbt_sync.not_found' });
  });

  it('see nothing of another tenant, nor of another deployment', async () => {
    const place = platform.newDeployment();
    const { syncJobId } = await sync(place, ofManifest(manifestOf(orders)));
    const stranger = platform.newDeployment();
    const beside = platform.anotherDeployment(place.admin);
    for (const operationId of [
      'getDbtSyncStatus',
      'getDbtSyncResult',
      'getDbtSyncLogs',
      'getDbtSyncGeneratedFiles',
      'cancelDbtSync',
    ] as const) {
      const other = await platform.refusal(stranger.admin, operationId, { path: { ...place.path, syncJobId } });
      expect(other).toMatchObject({ code: 'deployment.not_found' });
      const own = await platform.refusal(stranger.admin, operationId, { path: { ...stranger.path, syncJobId } });
      expect(own).toMatchObject({ code: 'dbt_sync.not_found' });
      const near = await platform.refusal(place.admin, operationId, { path: { ...beside.path, syncJobId } });
      expect(near).toMatchObject({ code: 'dbt_sync.not_found' });
    }
  });
});

describe('a manifest', () => {
  it('of which no model is left ends in a failure that says so, without a branch', async () => {
    const place = platform.newDeployment();
    const { status, error, syncJobId, branchName } = await sync(place, ofManifest(manifestOf({})));
    expect({ status, error }).toEqual({ status: 'FAILED', error: expect.stringMatching(/model/) as string });
    const path = { ...place.path, syncJobId };
    expect(await platform.refusal(place.admin, 'getDbtSyncResult', { path })).toMatchObject({ status: 404 });
    const [run] = (await platform.call(place.admin, 'listDbtSyncs', { path: place.path })).items;
    expect(run).toMatchObject({ status: 'FAILED', failedPhase: 'manifest', errorMessage: error, source: 'manifest' });
    const { items } = await platform.call(place.admin, 'listBranches', { path: place.path });
    expect(items.map(({ name }) => name)).not.toContain(branchName);
  });

  it('becomes cubes on a branch of its own, which the compiler takes', async () => {
    const place = platform.newDeployment();
    const { status, syncJobId, branchName } = await sync(place, ofManifest(manifestOf(orders)));
    expect(status).toBe('COMPLETED');
    expect(branchName).toMatch(/^dbt-sync\/manifest-\d{14}-[0-9a-f]{8}$/);
    const files = await platform.filesOf(place.admin, place.path.deploymentId, branchName);
    expect(files['/model/cubes/dbt/orders.yml']).toMatch(/sql_table/);
    const query = { branchName };
    const verdict = await platform.call(place.admin, 'validateDataModel', { path: place.path, query });
    expect(verdict.valid).toBe(true);
    const result = await platform.call(place.admin, 'getDbtSyncResult', { path: { ...place.path, syncJobId } });
    expect(result).toMatchObject({
      generatedFiles: [{ path: 'model/cubes/dbt/orders.yml' }],
      cubeCount: 1,
      manifestStats: { models: 1, sources: 0, macros: 1 },
      difference: { addedCubes: ['dbt_orders'], removedCubes: [], removedMembers: [], brokenContent: 0 },
    });
  });

  it('becomes files alone when that is asked for, page by page', async () => {
    const place = platform.newDeployment();
    const manifest = manifestOf({ a: ['id'], b: ['id'], c: ['id'] });
    const { syncJobId, branchName } = await sync(place, ofManifest(manifest, { output: 'files' }));
    const path = { ...place.path, syncJobId };
    const first = await platform.call(place.admin, 'getDbtSyncGeneratedFiles', { path, query: { first: 2 } });
    const after = first.pageInfo.endCursor ?? '';
    const second = await platform.call(place.admin, 'getDbtSyncGeneratedFiles', { path, query: { first: 2, after } });
    const names = [...first.items, ...second.items].map((file) => file.path.replace(/.*\//, ''));
    expect(names).toEqual(['a.yml', 'b.yml', 'c.yml']);
    expect(first.items[0]?.content).toMatch(/dbt_a/);
    const { items } = await platform.call(place.admin, 'listBranches', { path: place.path });
    expect(items.map(({ name }) => name)).not.toContain(branchName);
  });

  it('replaces what an earlier one has made, and nothing else', async () => {
    const place = platform.newDeployment();
    const { admin, path } = place;
    const first = await sync(place, ofManifest(manifestOf({ a: ['id'], gone: ['id'] }), { branchName: 'first' }));
    expect(first.status).toBe('COMPLETED');
    await platform.call(admin, 'startDevMode', { path, body: { branchName: 'first' } });
    await platform.call(admin, 'updateFiles', { path, body: put('model/cubes/own.yml', cube('own')) });
    await platform.call(admin, 'commitChanges', { path, body: { message: 'own' } });
    await platform.call(admin, 'mergeToDefaultBranch', { path, body: { branchName: 'first' } });
    const { branchName, syncJobId } = await sync(place, ofManifest(manifestOf({ a: ['id', 'more'], b: ['id'] })));
    const files = Object.keys(await platform.filesOf(admin, path.deploymentId, branchName));
    expect(files).toEqual(expect.arrayContaining(['/model/cubes/own.yml', '/model/cubes/dbt/b.yml']));
    expect(files).not.toContain('/model/cubes/dbt/gone.yml');
    const { difference } = await platform.call(admin, 'getDbtSyncResult', { path: { ...path, syncJobId } });
    expect(difference).toMatchObject({
      addedCubes: ['dbt_b'],
      removedCubes: ['dbt_gone'],
      addedMembers: ['dbt_a.more'],
    });
  });

  it('leaves a history of its phases, newest first, by state and trigger', async () => {
    const place = platform.newDeployment();
    const { admin, path } = place;
    const good = await sync(place, ofManifest(manifestOf(orders)));
    const bad = await sync(place, ofManifest(manifestOf({})));
    const { items } = await platform.call(admin, 'listDbtSyncs', { path });
    expect(items.map(({ syncJobId }) => syncJobId)).toEqual([bad.syncJobId, good.syncJobId]);
    expect(items[1]).toMatchObject({
      status: 'COMPLETED',
      trigger: 'api',
      userId: admin.userId,
      lastStage: 'COMPLETED',
      phases: ['manifest', 'write', 'finalise'].map(
        (phase) => expect.objectContaining({ phase, outcome: 'ok' }) as object,
      ),
      stats: { cubeCount: 1, models: 1, dbtVersion: '1.11.16', generatedFileCount: 1 },
    });
    const failed = await platform.call(admin, 'listDbtSyncs', { path, query: { status: 'FAILED', trigger: 'api' } });
    expect(failed.items.map(({ syncJobId }) => syncJobId)).toEqual([bad.syncJobId]);
    const one = await platform.call(admin, 'listDbtSyncs', { path, query: { first: 1 } });
    const query = { first: 1, after: one.pageInfo.endCursor };
    const two = await platform.call(admin, 'listDbtSyncs', { path, query });
    expect(two.items.map(({ syncJobId }) => syncJobId)).toEqual([good.syncJobId]);
    const log = await platform.call(admin, 'getDbtSyncLogs', { path: { ...path, syncJobId: good.syncJobId } });
    expect(log.items.map(({ phase }) => phase)).toEqual(expect.arrayContaining(['manifest', 'write', 'finalise']));
    expect(log.items.find(({ durationMs }) => durationMs !== null)).toBeDefined();
  });
});
