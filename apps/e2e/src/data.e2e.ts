import { describeDataQueries, until, type TestDatabase } from '@plinth/testing';
import { Client } from 'pg';
import type { ApiClient, ApiReply } from './harness/api-client';
import { otherTenant } from './harness/other-tenant';
import { createShopDatabase, neighbours, Shop } from './harness/shop';
import { createDeployment, uniqueName } from './harness/story';
import { onNats } from './harness/topologies';
import type { Topology } from './harness/topology';

const LIMIT_MS = 1_000;
const COUNT = { measures: ['orders.count'] };
const ORDERS = '30000';

const ordersOf = (status: string, name: string): { path: string; content: string } => ({
  path: 'model/cubes/some_orders.yml',
  content: `cubes:
  - name: some_orders
    sql: "select * from orders where status = '${status}'"
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
    measures:
      - { name: ${name}, type: count }
`,
});
const broken = { path: 'model/cubes/some_orders.yml', content: 'cubes:\n  - name: some_orders\n    sql_table: [\n' };

describe.each(onNats)('the data of a deployment: %s', (_name, start) => {
  let topology: Topology;
  let database: TestDatabase;
  let admin: ApiClient;

  beforeAll(async () => {
    topology = await start();
    ({ admin } = topology);
    database = await createShopDatabase();
  });
  afterAll(() => database?.drop());

  describe('a deployment on the sample shop', () => {
    let shop: Shop;

    beforeAll(async () => {
      shop = await Shop.open(admin, database, [neighbours]);
    });

    const refused = (status: number) => ({ status, body: { error: expect.any(String) } });
    const environmentId = async (wantedBranch?: string): Promise<string> => {
      const { items } = await admin.call('getDeploymentEnvironments', { path: shop.path });
      const found = items.find(({ type, branch }) =>
        wantedBranch === undefined ? type === 'production' : branch === wantedBranch,
      );
      return String(found?.id);
    };
    const environmentToken = async (environment: string, more: object = {}): Promise<string> => {
      const path = { ...shop.path, environmentId: environment };
      const body = { security_context: {}, ...more };
      return (await admin.call('createDeploymentEnvironmentToken', { path, body })).data.token;
    };
    const counted = async (where: string): Promise<string> => {
      const client = new Client({ connectionString: database.url });
      await client.connect();
      const { rows } = await client.query<{ count: string }>(`select count(*) from ${where}`);
      await client.end();
      return rows[0]?.count ?? '';
    };

    it('sleeps until it is asked, and then is shown by its pods and its logs', async () => {
      const isCold = async () => (await admin.call('getDeploymentSettings', { path: shop.path })).isCold;
      const pods = async () => (await admin.call('pods', { path: shop.path })).items;
      expect([await isCold(), await pods()]).toEqual([true, []]);
      expect(await shop.value(await shop.token(), 'orders.count')).toBe(ORDERS);
      expect(await isCold()).toBe(false);
      expect(await pods()).toEqual([expect.objectContaining({ status: 'Running', ready: true, type: 'production' })]);
      const logs = async () => (await admin.call('logs', { path: shop.path })).items;
      const lines = await until('the line of its start', logs, (rows) =>
        rows.some(({ message }) => message.startsWith('Ready')),
      );
      const [pod] = await pods();
      expect(new Set(lines.map((line) => line.pod))).toEqual(new Set([pod?.name]));
    });

    describeDataQueries(async () => {
      const token = await shop.token();
      return { apiUrl: `${shop.url}/cubejs-api/v1`, token, database: database.url, moreCubes: ['neighbours'] };
    }, false);

    it('is closed to a token that has expired, and to one that reads metadata alone', async () => {
      const production = await environmentId();
      const short = await environmentToken(production, { expires_in: 1 });
      const meta = await environmentToken(production, { scopes: ['meta'] });
      const ask = (token: string): Promise<ApiReply> => shop.load(token, COUNT);
      expect(await ask(meta)).toMatchObject(refused(403));
      const { status } = await admin.as(meta).send('GET', `/deployments/${shop.deploymentId}/cubejs-api/v1/meta`);
      expect(status).toBe(200);
      await until(
        'the token expires',
        () => ask(short),
        (reply) => reply.status === 403,
      );
    });

    it('is closed to other deployments, other tenants, and who has no token; an unknown one is not there', async () => {
      const { id } = await createDeployment(admin, uniqueName('other'));
      const other = (await admin.call('deploymentToken', { path: { deploymentId: id } })).cubeApiToken;
      const own = await shop.token();
      const stranger = await otherTenant(topology);
      expect(await shop.load(undefined, COUNT)).toMatchObject(refused(403));
      expect(await shop.load('nonsense', COUNT)).toMatchObject(refused(403));
      expect(await shop.load(other, COUNT)).toMatchObject(refused(403));
      expect((await shop.load(own, COUNT, { at: stranger.admin })).status).toBe(404);
      const unknown = await admin.as(own).send('GET', '/deployments/999999/cubejs-api/v1/meta');
      expect(unknown).toMatchObject(refused(404));
    });

    it('shows two users what the access policy lets each of them see', async () => {
      const attribute = await admin.call('createUserAttribute', { body: { name: 'city', type: 'string' } });
      const seen = async (city: string): Promise<unknown> => {
        const email = `${city.toLowerCase()}-${topology.tenant}@example.test`;
        const words = ['--tenant', topology.tenant, '--email', email, '--role', 'Admin'];
        const { apiKey } = await topology.plinth('api-keys', 'create', ...words);
        const user = admin.as(`Bearer ${String(apiKey)}`);
        const { id } = await user.call('getCurrentUser');
        await admin.call('upsertUserAttributeValue', {
          body: { userId: String(id), userAttributeId: String(attribute.id), value: city },
        });
        return shop.value(await shop.token(user), 'neighbours.count');
      };
      const [lyon, pune] = [await seen('Lyon'), await seen('Pune')];
      expect([lyon, pune]).toEqual([
        await counted(`customers where city = 'Lyon'`),
        await counted(`customers where city = 'Pune'`),
      ]);
      expect(lyon).not.toBe(pune);
    });

    it('answers with a change on its dev branch first, and after the merge in production', async () => {
      const branch = await shop.edit([ordersOf('shipped', 'shipped')]);
      const dev = await environmentToken(await environmentId(branch));
      const production = await shop.token();
      const shipped = await counted(`orders where status = 'shipped'`);
      expect(await shop.value(dev, 'some_orders.shipped', branch)).toBe(shipped);
      expect(await shop.value(production, 'some_orders.shipped')).toMatchObject({ status: 400 });
      expect(await shop.publish()).toBe('built');
      await until(
        'production has the change',
        () => shop.value(production, 'some_orders.shipped'),
        (value) => value === shipped,
      );
    });

    it('tells the file and the line of what is broken on a dev branch, and goes on with its last good build', async () => {
      const branch = await shop.edit([broken]);
      const dev = await environmentToken(await environmentId(branch));
      expect(await shop.value(dev, 'orders.count', branch)).toMatchObject({
        status: 400,
        body: { error: expect.stringMatching(/some_orders\.yml.*[34]/s) },
      });
      expect(await shop.publish()).toBe('failed');
      expect(await shop.value(await shop.token(), 'some_orders.shipped')).toBe(
        await counted(`orders where status = 'shipped'`),
      );
      await shop.edit([ordersOf('completed', 'completed')]);
      expect(await shop.publish()).toBe('built');
      const completed = await counted(`orders where status = 'completed'`);
      const token = await shop.token();
      await until(
        'production is mended',
        () => shop.value(token, 'some_orders.completed'),
        (value) => value === completed,
      );
    });

    it('is closed within a second to tokens of a secret that was replaced, and open to new ones', async () => {
      const old = await shop.token();
      expect(await shop.value(old, 'orders.count')).toBe(ORDERS);
      await admin.call('rotateDeploymentSecret', { path: shop.path });
      await until(
        'the old token is refused',
        () => shop.load(old, COUNT),
        ({ status }) => status === 403,
        LIMIT_MS,
      );
      expect(await shop.value(await shop.token(), 'orders.count')).toBe(ORDERS);
    });

    it('reads from another database as soon as its environment variables say so', async () => {
      const elsewhere = await createShopDatabase();
      const client = new Client({ connectionString: elsewhere.url });
      await client.connect();
      await client.query('delete from line_items; delete from orders where id > 7');
      await client.end();
      const token = await shop.token();
      await shop.set([{ name: 'CUBEJS_DB_NAME', value: new URL(elsewhere.url).pathname.slice(1) }]);
      await until(
        'the other database',
        () => shop.value(token, 'orders.count'),
        (value) => value === '7',
      );
      await elsewhere.drop();
    });
  });
});
