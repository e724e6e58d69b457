import { readdirSync, readFileSync } from 'node:fs';
import type { Principal } from '@plinth/auth';
import type { BodyOf } from '@plinth/contract';
import { createEmptyDatabase, deadlineMs, until, type TestDatabase } from '@plinth/testing';
import { Client } from 'pg';
import { newBelongings } from './gates/belongings-fixture';
import { startServices, type EngineAnswer, type Services } from './gates/services-fixture';

const modelOf = (title: string): string => `cubes:
  - name: orders
    title: ${title}
    sql_table: public.orders
    measures:
      - { name: count, type: count }
      - { name: total, sql: amount, type: sum }
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: status, sql: status, type: string }
`;
const totals = {
  query: { measures: ['orders.total'], dimensions: ['orders.status'], order: { 'orders.status': 'asc' } },
};
const rows = [
  { 'orders.status': 'done', 'orders.total': '6' },
  { 'orders.status': 'open', 'orders.total': '4' },
];

/** Processes of engines that this one has started. */
function enginePids(): number[] {
  const children = readdirSync('/proc/self/task').flatMap((task) =>
    readFileSync(`/proc/self/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
  );
  return children
    .filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('libs/engine/src/engine/main'))
    .map(Number);
}

describe('a deployment with a database', () => {
  let services: Services;
  let source: TestDatabase;
  let admin: Principal;
  let path: { deploymentId: number };
  let devBranch: string;

  beforeAll(async () => {
    [services, source] = await Promise.all([startServices({ PLINTH_SANDBOX: 'auto' }), createEmptyDatabase()]);
    const client = new Client(source.url);
    await client.connect();
    await client.query(`create table orders (id int, status text, amount int);
      insert into orders values (1, 'open', 4), (2, 'done', 5), (3, 'done', 1)`);
    await client.end();
    admin = await services.newTenant('local');
    const { deploymentId } = await newBelongings(services, admin, 'Shop');
    path = { deploymentId };
    const { branchName } = await services.call(admin, 'startDevMode', { path, body: { branchName: 'main' } });
    devBranch = branchName ?? '';
    const { hostname, port, pathname, username, password } = new URL(source.url);
    const variables = {
      CUBEJS_DB_TYPE: 'postgres',
      CUBEJS_DB_HOST: hostname,
      CUBEJS_DB_PORT: port,
      CUBEJS_DB_NAME: pathname.slice(1),
      CUBEJS_DB_USER: username,
      CUBEJS_DB_PASS: password,
    };
    const body = { env_variables: Object.entries(variables).map(([name, value]) => ({ name, value })) };
    await services.call(admin, 'setEnvVariables', { path, body });
    await publish('Orders');
    await until(
      'production',
      () => titleOf(),
      (title) => title === 'Orders',
      90_000,
    );
  });
  afterAll(async () => {
    await services?.stop();
    await source?.drop();
  });

  const put = (title: string) =>
    services.call(admin, 'updateFiles', {
      path,
      body: { branchName: devBranch, files: [{ path: 'model/cubes/orders.yml', content: modelOf(title) }] },
    });
  const publish = async (title: string): Promise<void> => {
    await put(title);
    await services.call(admin, 'commitChanges', { path, body: { branchName: devBranch, message: title } });
  };
  const ask = (more: Partial<BodyOf<'queryEngine'>> = {}): Promise<EngineAnswer> =>
    services.query(admin.tenantId, path.deploymentId, {
      environmentId: 1,
      branchName: 'main',
      isProduction: true,
      route: 'load',
      method: 'POST',
      search: '',
      body: totals,
      securityContext: {},
      caller: 'somebody',
      ...more,
    });
  /** As the public client asks. */
  const answer = async (more: Partial<BodyOf<'queryEngine'>> = {}): Promise<EngineAnswer> =>
    until(
      'an answer',
      () => ask(more),
      ({ body }) => body.error !== 'Continue wait',
      90_000,
    );
  const titleOf = async (more: Partial<BodyOf<'queryEngine'>> = {}): Promise<unknown> => {
    const { body } = await answer({ route: 'meta', method: 'GET', body: null, ...more });
    return (body['cubes'] as { title: string }[] | undefined)?.[0]?.title;
  };

  it('refuses an unknown member by its name', async () => {
    const { status, body } = await answer({ body: { query: { measures: ['orders.nothing'] } } });
    expect([status, body.error]).toEqual([400, expect.stringContaining('nothing')]);
  });

  it('answers what the database holds', async () => {
    expect(await answer()).toMatchObject({ status: 200, body: { data: rows } });
  });

  it('serves a dev branch as it is, and production with it once it is merged, while nobody is refused', async () => {
    const failures: unknown[] = [];
    let polling = true;
    const poll = async (): Promise<void> => {
      while (polling) {
        const { status, body } = await answer();
        if (status !== 200 || JSON.stringify(body.data) !== JSON.stringify(rows)) failures.push({ status, body });
      }
    };
    const polls = Array.from({ length: 5 }, () => poll());
    const dev = { branchName: devBranch, isProduction: false };
    try {
      for (const title of ['Second', 'Third']) {
        await put(title);
        expect(await titleOf(dev)).toBe(title);
        expect(await titleOf()).not.toBe(title);
        await publish(title);
        await until(
          'production',
          () => titleOf(),
          (seen) => seen === title,
          60_000,
        );
      }
    } finally {
      polling = false;
      await Promise.all(polls);
    }
    expect(failures).toEqual([]);
  });

  it('keeps production on the last good model while a broken one waits, and tells its author what is wrong', async () => {
    const broken = modelOf('Broken').replace('type: sum', 'type: nonsense');
    const files = [{ path: 'model/cubes/orders.yml', content: broken }];
    await services.call(admin, 'updateFiles', { path, body: { branchName: devBranch, files } });
    await expect(answer({ branchName: devBranch, isProduction: false })).rejects.toMatchObject({
      code: 'engine.model_broken',
      message: expect.stringContaining('model/cubes/orders.yml'),
    });
    expect(await answer()).toMatchObject({ status: 200, body: { data: rows } });
  });

  it('answers every client within ten seconds when its engine is killed while it is asked', async () => {
    await answer();
    const waits: number[] = [];
    const poll = async (): Promise<void> => {
      for (let round = 0; round < 10; round++) {
        const asked = performance.now();
        const { status } = await answer();
        expect(status).toBe(200);
        waits.push(performance.now() - asked);
      }
    };
    const polls = Array.from({ length: 5 }, () => poll());
    const pids = enginePids();
    expect(pids.length).toBeGreaterThan(0);
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    await Promise.all(polls);
    expect(Math.max(...waits)).toBeLessThan(deadlineMs(10_000));
  });
});
