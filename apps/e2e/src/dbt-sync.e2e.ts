import { until } from '@plinth/testing';
import type { ApiClient } from './harness/api-client';
import { CubeClient } from './harness/cube-client';
import { createDeployment } from './harness/story';
import { onNats } from './harness/topologies';
import type { Topology } from './harness/topology';

type Json = Record<string, unknown>;

const MIB = 1024 * 1024;
const column = (name: string, dataType: string | null) => ({
  name,
  description: '',
  data_type: dataType,
  meta: {},
  constraints: [],
  tags: [],
});
/** Of one model; as large as is asked for, by a macro that nobody reads. */
const manifest = (bytes = 0): Json => ({
  metadata: {
    dbt_schema_version: 'https://schemas.getdbt.com/dbt/manifest/v12.json',
    dbt_version: '1.11.16',
    adapter_type: 'postgres',
    project_name: 'shop',
  },
  nodes: {
    'model.shop.orders': {
      ...{
        resource_type: 'model',
        unique_id: 'model.shop.orders',
        name: 'orders',
        alias: 'orders',
        package_name: 'shop',
      },
      ...{ path: 'orders.sql', original_file_path: 'models/orders.sql', fqn: ['shop', 'orders'], time_spine: null },
      ...{
        database: 'warehouse',
        schema: 'public',
        relation_name: '"warehouse"."public"."orders"',
        description: 'Orders',
      },
      ...{ config: { materialized: 'table', enabled: true, meta: {}, tags: [] }, tags: [], meta: {}, constraints: [] },
      ...{
        depends_on: { nodes: [], macros: [] },
        columns: { id: column('id', 'integer'), amount: column('amount', 'numeric') },
      },
    },
  },
  sources: {},
  macros: { 'macro.shop.large': { macro_sql: 'x'.repeat(bytes) } },
});

describe.each(onNats)('dbt syncs: %s', (_name, start) => {
  let topology: Topology;
  let api: ApiClient;
  let deploymentId: number;
  let client: CubeClient;

  beforeAll(async () => {
    topology = await start();
    api = topology.admin;
  });
  afterAll(() => topology?.stop());
  beforeEach(async () => {
    ({ id: deploymentId } = await createDeployment(api));
    client = new CubeClient(api.baseUrl, api.credential.replace('Bearer ', ''), deploymentId);
  });

  const base = () => `/api/v1/deployments/${deploymentId}/dbt-sync`;
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    fetch(new URL(base(), api.baseUrl), {
      method: 'POST',
      headers: { authorization: api.credential, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  const started = async (body: unknown): Promise<Json> => {
    const reply = await post(body);
    expect(reply.status).toBe(200);
    return (await reply.json()) as Json;
  };
  /** As `--wait` does: until one of two ends, then the result. */
  const waited = (id: unknown): Promise<Json> =>
    until(
      'the end of the dbt sync',
      async () => (await client.json('GET', `${base()}/${String(id)}`)) as Json,
      ({ status }) => ['COMPLETED', 'FAILED'].includes(String(status)),
    );

  it('refuse what is no JSON, another type, and more than 50 MB, without a trace', async () => {
    expect((await post('{"source":')).status).toBe(400);
    expect((await post('a=1', { 'content-type': 'application/x-www-form-urlencoded' })).status).toBe(415);
    expect((await post({ source: 'manifest', manifest: manifest(51 * MIB) })).status).toBe(413);
    expect((await post(undefined)).status).toBe(409);
    expect((await client.json('GET', base())) as Json).toMatchObject({ items: [] });
  });

  it('take a manifest of 20 MB, and answer a repeat with the same key alike', async () => {
    const body = JSON.stringify({ source: 'manifest', output: 'files', manifest: manifest(20 * MIB) });
    const first = await post(body, { 'idempotency-key': 'once' });
    const second = await post(body, { 'idempotency-key': 'once' });
    expect([first.status, second.status]).toEqual([200, 200]);
    const { syncJobId } = (await first.json()) as Json;
    expect(((await second.json()) as Json)['syncJobId']).toBe(syncJobId);
    expect(await waited(syncJobId)).toMatchObject({ status: 'COMPLETED' });
  });

  it('are followed by clients that know status and result alone', async () => {
    const { syncJobId, branchName, workflowId } = await started({ source: 'manifest', manifest: manifest() });
    expect([typeof syncJobId, typeof workflowId]).toEqual(['string', 'string']);
    expect(branchName).toMatch(/^dbt-sync\//);
    const { status, progress, error } = await waited(syncJobId);
    expect({ status, error }).toEqual({ status: 'COMPLETED', error: null });
    expect(progress).toMatchObject({ stage: 'COMPLETED', percentComplete: 100 });
    const result = (await client.json('GET', `${base()}/${String(syncJobId)}/result`)) as Json;
    expect(result).toMatchObject({ cubeCount: 1, generatedFiles: [{ path: expect.any(String) as string }] });
    // Only where the build worker may ask the workspace there is a number.
    expect(result['difference']).toMatchObject({ addedCubes: ['dbt_orders'], brokenContent: 0 });
    const query = { branchName: String(branchName) };
    const validation = await api.call('validateDataModel', { path: { deploymentId }, query });
    expect(validation).toMatchObject({ valid: true });
  });

  it('are followed by newer clients, which page through history and log, and cancel', async () => {
    const { syncJobId } = await started({ source: 'manifest', manifest: manifest() });
    await client.json('DELETE', `${base()}/${String(syncJobId)}`).catch(() => undefined);
    const { status } = await waited(syncJobId);
    const history = (await client.json('GET', `${base()}?first=1`)) as { items: Json[]; pageInfo: Json };
    expect(history.items[0]).toMatchObject({ syncJobId, trigger: 'api' });
    expect(['CANCELLED', 'COMPLETED']).toContain(history.items[0]?.['status']);
    expect(status).toBe(history.items[0]?.['status'] === 'CANCELLED' ? 'FAILED' : 'COMPLETED');
    const log = (await client.json('GET', `${base()}/${String(syncJobId)}/logs?first=100`)) as { items: Json[] };
    expect(log.items.length).toBeGreaterThan(0);
    expect(
      (await fetch(new URL(`${base()}/unknown`, api.baseUrl), { headers: { authorization: api.credential } })).status,
    ).toBe(404);
  });
});
