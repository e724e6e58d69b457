import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { createEmptyDatabase, type TestDatabase } from '@plinth/testing';
import { SignJWT } from 'jose';
import { ApiServer } from '../../testing/kubernetes/api-server';
import { driverOf, fixtureLimits, officialImages } from '../../testing/kubernetes/cluster-fixture';
import type { EngineStart, RunningEngine } from '../engine-driver';
import type { KubernetesDriver } from './kubernetes-driver';

const never = new AbortController().signal;
const root = resolve(__dirname, '../../../../..');

const MODEL = `cubes:
  - name: orders
    data_source: shop
    sql: "SELECT n AS id, CASE WHEN n % 2 = 0 THEN 'even' ELSE 'odd' END AS kind FROM generate_series(1, 60000) n"
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true, public: true }
      - { name: kind, sql: kind, type: string }
    measures:
      - { name: count, type: count }
    access_policy:
      - group: everything
        row_level: { allow_all: true }
      - group: odd
        row_level:
          filters: [{ member: kind, operator: equals, values: [odd] }]
  - name: absent
    sql: SELECT 1 AS id
    measures:
      - { name: count, type: count }
`;
const CONFIGURATION = `
const { constructor } = require;
module.exports = {
  queryRewrite: (query, { securityContext }) => {
    if (securityContext.only) query.filters.push({ member: 'orders.id', operator: 'equals', values: [securityContext.only] });
    if (securityContext.iat || securityContext.exp) throw new Error('times are shown');
    return query;
  },
  checkAuth: (request) => { request.securityContext = { cubeCloud: { groups: ['everything'] } }; },
};`;

/** The engine of the official image, as its packages are on npm, behind the driver and its cube.js. */
describe('the engine of the official image', () => {
  let cluster: ApiServer;
  let database: TestDatabase;
  let driver: KubernetesDriver;
  let engine: RunningEngine;
  const said: string[] = [];

  const order = (more: Partial<EngineStart> = {}): EngineStart => {
    const { hostname, port, pathname, username, password } = new URL(database.url);
    return {
      place: { tenantId: 1, deploymentId: 7, environmentId: 70, branchName: 'main', isProduction: true },
      pod: 'production-70-1',
      version: '1.7.43',
      region: 'local',
      variables: {
        CUBEJS_DATASOURCES: 'default,shop',
        // Its main database is not there.
        ...{ CUBEJS_DB_TYPE: 'postgres', CUBEJS_DB_HOST: hostname, CUBEJS_DB_PORT: '1', CUBEJS_DB_NAME: 'absent' },
        CUBEJS_DS_SHOP_DB_TYPE: 'postgres',
        CUBEJS_DS_SHOP_DB_HOST: hostname,
        CUBEJS_DS_SHOP_DB_PORT: port,
        CUBEJS_DS_SHOP_DB_NAME: pathname.slice(1),
        CUBEJS_DS_SHOP_DB_USER: username,
        CUBEJS_DS_SHOP_DB_PASS: password,
        CUBEJS_DEV_MODE: 'true',
        CUBEJS_API_SECRET: 'known to the tenant',
        NODE_OPTIONS: '--require=/nowhere.js',
      },
      tokenVariables: {},
      tokens: [],
      commitHash: 'c0ffee',
      modelRoot: 'model/',
      model: [{ path: 'cubes/orders.yml', content: MODEL }],
      configuration: CONFIGURATION,
      transpiled: [],
      checked: false,
      ...more,
    };
  };
  const load = async (query: object, securityContext: object, route = 'load') => {
    for (;;) {
      const { status, body } = await engine.request({
        route,
        method: 'POST',
        search: '',
        body: { query },
        securityContext: { ...securityContext },
      });
      const content = JSON.parse(await text(body)) as { data?: Record<string, unknown>[]; error?: string };
      if (content.error !== 'Continue wait') return { status, ...content };
    }
  };
  const everything = { cubeCloud: { groups: ['everything'] } };
  const address = () => `http://${String(cluster.list('Service')[0]?.spec?.['clusterIP'])}:4000`;
  const secret = () =>
    Buffer.from(cluster.list('Secret')[0]?.data?.['CUBEJS_API_SECRET'] ?? '', 'base64').toString('utf8');

  beforeAll(async () => {
    database = await createEmptyDatabase();
    cluster = await ApiServer.start(officialImages(root));
    driver = await driverOf(cluster);
    engine = await driver.start(order(), (news) => void (news.kind === 'log' && said.push(news.message)), never);
  });
  afterAll(async () => {
    await engine?.stop(0);
    await driver?.close();
    await cluster?.stop();
    await database?.drop();
  });

  describe('refuses', () => {
    const key = () => new TextEncoder().encode(secret());
    const tokenOf = (claims: object, times: { iat?: number; exp?: number }, sign = key()) =>
      new SignJWT({ ...claims, ...times }).setProtectedHeader({ alg: 'HS256' }).sign(sign);
    const statusWith = async (token: string | undefined) => {
      const headers = token === undefined ? {} : { authorization: token };
      return (await fetch(`${address()}/cubejs-api/v1/meta`, { headers })).status;
    };
    const now = () => Math.floor(Date.now() / 1_000);

    it.each([
      ['nobody', async () => undefined],
      [
        'the secret that the deployment has set',
        () => tokenOf({}, { iat: now(), exp: now() + 60 }, new TextEncoder().encode('known to the tenant')),
      ],
      ['a token that is over', () => tokenOf({}, { iat: now() - 120, exp: now() - 60 })],
      ['a token that never ends', () => tokenOf({}, { iat: now() })],
      ['a token of an hour', () => tokenOf({}, { iat: now(), exp: now() + 3_600 })],
      ['a token that nobody has signed', async () => `${Buffer.from('{"alg":"none"}').toString('base64url')}.e30.`],
      ['what is no token', async () => 'x'],
    ])('%s', async (_who, token) => {
      expect(await statusWith(await token())).toBe(403);
    });

    it('but takes one of ours', async () => {
      expect(await statusWith(await tokenOf({}, { iat: now(), exp: now() + 60 }))).toBe(200);
    });
  });

  it('shows rows by the groups of the user, and what cube.js says of others', async () => {
    const count = async (context: object) => (await load({ measures: ['orders.count'] }, context)).data?.[0];
    expect(await count(everything)).toEqual({ 'orders.count': '60000' });
    expect(await count({ cubeCloud: { groups: ['odd'] } })).toEqual({ 'orders.count': '30000' });
    expect(await count({ ...everything, only: '7' })).toEqual({ 'orders.count': '1' });
    expect(await load({ measures: ['orders.count'] }, {})).toMatchObject({
      error: expect.stringMatching(/hidden member/),
    });
  });

  it('keeps to the limits of rows', async () => {
    const { data } = await load({ dimensions: ['orders.id'] }, everything);
    expect(data).toHaveLength(fixtureLimits.defaultRows);
    const refused = await load({ dimensions: ['orders.id'], limit: fixtureLimits.maxRows + 1 }, everything);
    expect(refused.error).toMatch(/limit/);
  });

  it('names an unknown member, and says what of cube.js has no effect', async () => {
    const { status, error } = await load({ measures: ['orders.nope'] }, everything);
    expect([status, error]).toEqual([400, expect.stringContaining('orders.nope')]);
    expect(said).toContain('cube.js: `checkAuth` has no effect here');
  });

  it('is ready without its main database, whose error is the reply to a query', async () => {
    expect(await load({ measures: ['absent.count'] }, everything)).toMatchObject({
      error: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('does not start with a model that does not compile, and says where', async () => {
    const model = [{ path: 'cubes/orders.yml', content: MODEL.replace('sql: kind', 'sqll: kind') }];
    const place = { ...order().place, environmentId: 72 };
    const failed = driver.start(order({ model, place }), () => undefined, never).catch((reason: unknown) => reason);
    expect(String(await failed)).toMatch(/^ModelBroken: .*orders.*sql/s);
  });
});
