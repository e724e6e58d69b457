import { createHmac } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import {
  createEmptyDatabase,
  dbtCommand,
  dbtProject,
  deadlineMs,
  until,
  UpstreamRepository,
  type DbtProjectName,
  type TestDatabase,
} from '@plinth/testing';
import { Client } from 'pg';
import type { ApiClient, ApiReply } from './harness/api-client';
import { databaseVariables, isWaiting } from './harness/shop';
import { createDeployment, uniqueName } from './harness/story';
import { onNats } from './harness/topologies';
import type { Topology } from './harness/topology';

type Json = Record<string, unknown>;

const command = dbtCommand();
/** dbt takes seconds of a processor, of which others want their share. */
const SYNCED_WITHIN_MS = 90_000;

interface Project {
  name: DbtProjectName;
  options: Json;
  /** What becomes of it. */
  counts: Json;
  /** Three metrics of it: by the data API, and by hand over the tables of dbt. */
  query: Json;
  sql: string;
}

/** With semantic models of the older form. What the engine makes of each form is shown with the engine alone. */
const bakery: Project = {
  name: 'bakery',
  options: { semanticLayer: true },
  counts: { cubeCount: 6, joinCount: 2 },
  query: {
    measures: ['dbt_sales.revenue', 'dbt_sales.bread_revenue', 'dbt_sales.average_sale'],
    dimensions: ['dbt_shops.city'],
  },
  sql: `select s.city, sum(amount), sum(amount) filter (where family = 'bread'), sum(amount) / count(*)
        from bakery.sales join bakery.products using (product_id) join bakery.shops s using (shop_id)
        group by 1 order by 1`,
};
/** With those of the newer form, which dbt 1.11 does not read: there is a manifest alone. */
const cycles: Project = {
  name: 'cycles',
  options: { semanticLayer: true, meta: true },
  counts: { cubeCount: 2, joinCount: 1 },
  query: {
    measures: ['rides.fare', 'rides.long_hires', 'rides.fare_per_hire'],
    dimensions: ['dbt_bikes.make'],
  },
  sql: `select make, sum(fare), count(hire_id) filter (where minutes > 40), sum(fare) / count(hire_id)
        from cycles.hires join cycles.bikes using (bike_id) group by 1 order by 1`,
};

/** The files below a folder, by their paths in it. */
const filesOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((path) => [relative(folder, path), readFileSync(path, 'utf8')]),
  );

describe.each(onNats)('dbt projects and the data behind them: %s', (_name, start) => {
  let topology: Topology;
  let admin: ApiClient;
  let folder: string;
  let database: TestDatabase;
  let warehouse: Client;
  let deploymentId: number;
  let upstream: UpstreamRepository;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'plinth-dbt-'));
    topology = await start();
    ({ admin } = topology);
    database = await createEmptyDatabase();
    warehouse = new Client({ connectionString: database.url });
    await warehouse.connect();
    for (const { name } of [bakery, cycles]) await warehouse.query(dbtProject(name).warehouseSql);
  });
  afterAll(async () => {
    await topology?.stop();
    await warehouse?.end();
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  const path = () => ({ deploymentId });
  const base = () => `/api/v1/deployments/${deploymentId}/dbt-sync`;
  const ask = async (method: string, address: string, body?: unknown): Promise<Json> => {
    const reply = await admin.send(method, address, body === undefined ? {} : { body });
    expect(reply).toMatchObject({ status: 200 });
    return reply.body as Json;
  };

  async function connect({ name, options }: Project): Promise<void> {
    ({ id: deploymentId } = await createDeployment(admin, uniqueName(name)));
    await admin.call('setEnvVariables', { path: path(), body: { env_variables: databaseVariables(database.url) } });
    upstream = new UpstreamRepository(folder, `${name}-${deploymentId}`);
    upstream.commit('main', filesOf(dbtProject(name).folder));
    await ask('PUT', `${base()}/source`, { url: `file://${upstream.directory}`, targetSchema: name, options });
  }

  async function completed(syncJobId: unknown): Promise<Json> {
    // dbt needs all of a small machine: an answer may be late meanwhile.
    const status = () => admin.send('GET', `${base()}/${String(syncJobId)}`);
    const hasEnded = ({ body }: ApiReply) => ['COMPLETED', 'FAILED'].includes(String((body as Json)['status']));
    const { body: ended } = await until('the end of the sync', status, hasEnded, SYNCED_WITHIN_MS);
    expect(ended).toMatchObject({ status: 'COMPLETED', error: null });
    return ask('GET', `${base()}/${String(syncJobId)}/result`);
  }

  /** Merges the branch, and waits until production has been built. */
  async function publish(branchName: unknown): Promise<void> {
    await admin.call('mergeToDefaultBranch', { path: path(), body: { branchName: String(branchName) } });
    const status = () => admin.call('buildStatus', { path: path() });
    const built = await until(
      'the build of production',
      status,
      (now) => now.status === 'built' || now.status === 'failed',
    );
    expect(built.status).toBe('built');
  }

  /** Figures of one row each, in the order of the first column. */
  async function served({ measures, dimensions }: Json): Promise<unknown[][]> {
    const [dimension = ''] = dimensions as string[];
    const { cubeApiToken } = await admin.call('deploymentToken', { path: path() });
    const query = { measures, dimensions, order: { [dimension]: 'asc' } };
    const address = `/deployments/${deploymentId}/cubejs-api/v1/load`;
    const load = () => admin.as(cubeApiToken).send('POST', address, { body: { query } });
    const { status, body } = await until('an answer', load, (reply) => !isWaiting(reply), 90_000);
    expect({ status, body }).toMatchObject({ status: 200 });
    const rows = (body as { data: Json[] }).data;
    return rows.map((row) => [row[dimension], ...(measures as string[]).map((name) => Number(row[name]))]);
  }

  async function byHand(sql: string): Promise<unknown[][]> {
    const { rows } = await warehouse.query<unknown[]>({ text: sql, rowMode: 'array' });
    return rows.map(([first, ...figures]) => [first, ...figures.map(Number)]);
  }

  async function expectSameFigures({ query, sql }: Project): Promise<void> {
    const [asked, expected] = [await served(query), await byHand(sql)];
    expect(expected.length).toBeGreaterThan(1);
    expect(asked.map(([first]) => first)).toEqual(expected.map(([first]) => first));
    const figures = (rows: unknown[][]) => rows.flatMap((row) => row.slice(1)) as number[];
    figures(expected).forEach((figure, index) => expect(figures(asked)[index]).toBeCloseTo(figure, 6));
  }

  it(
    'a manifest becomes a data model whose metrics are those of SQL over the tables of dbt',
    async () => {
      await connect(cycles);
      const manifest = JSON.parse(dbtProject(cycles.name).manifest) as Json;
      const { syncJobId, branchName } = await ask('POST', base(), { source: 'manifest', manifest });
      expect(await completed(syncJobId)).toMatchObject(cycles.counts);
      await publish(branchName);
      await expectSameFigures(cycles);
    },
    deadlineMs(240_000),
  );

  (command === undefined ? it.skip : it)(
    'a push to the repository does the same, as soon as somebody merges what came of it',
    async () => {
      await connect(bakery);
      const { secret, webhookUrl } = await ask('POST', `${base()}/source/webhook-secret`);
      const body = JSON.stringify({
        ref: 'refs/heads/main',
        after: upstream.head('main'),
        repository: { default_branch: 'main' },
      });
      const deliver = (key: unknown) =>
        fetch(new URL(String(webhookUrl), admin.baseUrl), {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'x-github-event': 'push',
            'x-hub-signature-256': `sha256=${createHmac('sha256', String(key)).update(body).digest('hex')}`,
          },
          body,
        });
      expect((await deliver('another')).status).toBe(401);
      expect(await (await deliver(secret)).json()).toEqual({ effect: 'accepted' });
      expect(await (await deliver(secret)).json()).toEqual({ effect: 'repeated' });
      const history = async () => (await ask('GET', `${base()}?trigger=webhook`))['items'] as Json[];
      const [run] = await until('the run', history, (items) => items.length > 0);
      expect(await completed(run?.['syncJobId'])).toMatchObject(bakery.counts);
      await publish(run?.['branchName']);
      await expectSameFigures(bakery);
    },
    deadlineMs(240_000),
  );
});
