import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { systemPrincipal, type Principal } from '@plinth/auth';
import type { Schemas } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import { createEmptyDatabase, boundMs, type TestDatabase } from '@plinth/testing';
import { startRuntimes, type Deployment, type RuntimeFixture } from '../testing/runtime-fixture';

const SECRET = 'correct-horse-battery';

const adminOf = (tenantId: number): Principal => ({
  ...systemPrincipal(tenantId),
  kind: 'api-key',
  credentialId: 'api-key:1',
  userId: 7,
  isAdmin: true,
});

/** Something that listens and never says a word. */
async function listening(): Promise<{ server: Server; port: number }> {
  const server = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

describe('a test of data sources', () => {
  let runtimes: RuntimeFixture;
  let source: TestDatabase;
  let variables: Record<string, string>;
  beforeAll(async () => {
    [runtimes, source] = await Promise.all([startRuntimes(), createEmptyDatabase()]);
    const { hostname, port, pathname, username, password } = new URL(source.url);
    variables = {
      CUBEJS_DB_TYPE: 'postgres',
      CUBEJS_DB_HOST: hostname,
      CUBEJS_DB_PORT: port,
      CUBEJS_DB_NAME: pathname.slice(1),
      CUBEJS_DB_USER: decodeURIComponent(username),
      CUBEJS_DB_PASS: decodeURIComponent(password),
    };
  });
  afterAll(async () => {
    await runtimes?.stop();
    await source?.drop();
  });

  const call = (principal: Principal, deploymentId: number, given: Record<string, string> = {}) =>
    runtimes.call(principal, 'testDataSources', {
      path: { deploymentId },
      body: { env_variables: Object.entries(given).map(([name, value]) => ({ name, value })) },
    });
  const test = async (given: Record<string, string>): Promise<Schemas['TestedDataSource'][]> => {
    const { id, tenantId } = runtimes.newDeployment({}, variables);
    const { items } = await call(adminOf(tenantId), id, given);
    expect(JSON.stringify(items)).not.toContain(SECRET);
    return items;
  };

  it('is not there for another tenant', async () => {
    const { id, tenantId } = runtimes.newDeployment({}, variables);
    await expect(call(adminOf(tenantId + 1), id)).rejects.toMatchObject({ code: 'deployment.not_found' });
  });

  it('refuses a third test of a tenant while two are running', async () => {
    const { id, tenantId } = runtimes.newDeployment({}, variables);
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => call(adminOf(tenantId), id)));
    const refused = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason as { code: string }] : []));
    expect(refused.map(({ code }) => code)).toEqual(['request.rate_limited']);
  });

  it('names no kind of database', async () => {
    expect(await test({ CUBEJS_DB_TYPE: '' })).toEqual([
      expect.objectContaining({
        name: 'default',
        reachable: false,
        cause: 'not_configured',
        message: expect.stringContaining('CUBEJS_DB_TYPE is not set'),
      }),
    ]);
  });

  describe('of several at once', () => {
    let silent: { server: Server; port: number };
    let sources: Map<string, Schemas['TestedDataSource']>;
    let tookMs: number;
    /** What is wrong with each, beside variables with which the database is reached. */
    const faults = () => ({
      driver: { TYPE: 'mysql' },
      unserved: { TYPE: 'sqlite' },
      unknown: { HOST: 'db.invalid' },
      metadata: { HOST: '169.254.169.254' },
      socket: { HOST: '/var/run/postgresql' },
      closed: { PORT: '1' },
      silent: { PORT: String(silent.port) },
      wrong: { PASS: SECRET },
      user: { USER: SECRET, PASS: SECRET },
      nowhere: { NAME: 'nowhere' },
      tls: { SSL: 'true' },
      address: { HOST: `u:${SECRET}@h`, PASS: SECRET },
    });
    const variablesOf = (name: string, fault: Record<string, string>) => {
      const own = Object.entries(variables).map(([variable, value]) => [variable.slice('CUBEJS_DB_'.length), value]);
      return Object.entries({ ...(Object.fromEntries(own) as Record<string, string>), ...fault }).map(
        ([variable, value]) => [`CUBEJS_DS_${name.toUpperCase()}_DB_${variable}`, value],
      );
    };
    beforeAll(async () => {
      silent = await listening();
      const given = Object.entries(faults()).flatMap(([name, fault]) => variablesOf(name, fault));
      const names = [...Object.keys(faults()), 'default'].join();
      const began = performance.now();
      const items = await test({ ...(Object.fromEntries(given) as Record<string, string>), CUBEJS_DATASOURCES: names });
      tookMs = performance.now() - began;
      sources = new Map(items.map((item) => [item.name, item]));
    });
    afterAll(() => silent.server.close());

    it('tells of each, the default one first', () => {
      expect([...sources.keys()]).toEqual(['default', ...Object.keys(faults())]);
      expect(sources.get('default')).toMatchObject({ type: 'postgres', reachable: true, cause: null });
    });

    it.each([
      ['a driver that is not installed', 'driver', 'driver', '@cubejs-backend/mysql-driver'],
      ['a kind that is not served', 'unserved', 'driver', 'it reads files of the machine'],
      ['an unknown host', 'unknown', 'unknown_host', 'has no address'],
      ['a metadata service', 'metadata', 'address_refused', 'must not be used'],
      ['a socket of the machine', 'socket', 'address_refused', 'must not be used'],
      ['a closed port', 'closed', 'refused', 'Nobody listens'],
      ['a wrong password', 'wrong', 'credentials', 'password is wrong'],
      ['a secret as a user', 'user', 'credentials', 'user name or'],
      ['a database that is not there', 'nowhere', 'database', 'does not exist'],
      ['TLS where there is none', 'tls', 'tls', 'TLS'],
      ['a secret in an address', 'address', 'unknown_host', 'has no'],
    ])('names %s', (_what, name, cause, message) => {
      const found = { name, reachable: false, cause, message: expect.stringContaining(message) };
      expect(sources.get(name)).toEqual(expect.objectContaining(found));
    });

    it('names a host that does not answer, within 15 seconds', () => {
      expect(sources.get('silent')).toMatchObject({ cause: 'timeout' });
      expect(tookMs).toBeLessThan(boundMs(15_000));
    });
  });

  it('reaches the database with saved variables, and with those that a mask stands for', async () => {
    expect(await test({})).toEqual([
      expect.objectContaining({ name: 'default', type: 'postgres', reachable: true, cause: null, message: null }),
    ]);
    expect(await test({ CUBEJS_DB_PASS: '[ENCRYPTED]' })).toMatchObject([{ reachable: true }]);
  });

  describe('with an OIDC token in a file that a variable names', () => {
    /** PostgreSQL's client reads a password from a file that nobody else may read. */
    const withToken = (token: string) => {
      const { CUBEJS_DB_PASS: password = '', ...others } = variables;
      const deployment = runtimes.newDeployment({}, others);
      deployment.tokenVariables = { PGPASSFILE: 'cube_cloud_token_a' };
      const minted = {
        name: 'a',
        fileName: 'cube_cloud_token_a',
        targetEnvVar: 'PGPASSFILE',
        expiresAt: new Date().toISOString(),
      };
      deployment.mint = () => [{ ...minted, token: `*:*:*:*:${token || password}` }];
      return deployment;
    };
    const outcome = async ({ id, tenantId }: Deployment) => (await call(adminOf(tenantId), id)).items;
    const left = () => readdirSync(tmpdir()).filter((name) => name.startsWith(`plinth-engines-${process.pid}-`));

    it('is refused as that token is', async () => {
      expect(await outcome(withToken('wrong'))).toMatchObject([{ cause: 'credentials' }]);
    });

    it('does not come to an end without the token', async () => {
      const deployment = withToken('');
      deployment.mint = () => {
        throw new AppError('service.unavailable', 'Nobody signs');
      };
      await expect(outcome(deployment)).rejects.toMatchObject({ code: 'service.unavailable' });
    });

    it('reaches the database, and leaves no file', async () => {
      const before = left();
      expect(await outcome(withToken(''))).toMatchObject([{ reachable: true }]);
      expect(left()).toEqual(before);
    });
  });
});
