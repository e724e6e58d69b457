import 'reflect-metadata';
import type { Principal } from '@plinth/auth';
import type { Schemas } from '@plinth/contract';
import { decodeJwt, jwtVerify } from 'jose';
import { newTenant, type TestTenant } from '../../testing/access-fixture';
import { newDeployment, startFixture, transports, walk, type Fixture } from '../../testing/deployment-fixture';

const branch = (
  id: number,
  name: string,
  kind: Schemas['BranchDescription']['kind'],
  more: Partial<Schemas['BranchDescription']> = {},
): Schemas['BranchDescription'] => ({
  id,
  name,
  parentBranch: kind === 'deploy' ? null : 'main',
  kind,
  ownerEmail: null,
  ownerUserId: null,
  isStagingEnvironmentEnabled: false,
  lastHash: null,
  ...more,
});

describe.each(transports)('environments over %s', (transport) => {
  let platform: Fixture;
  let tenant: TestTenant;
  let admin: Principal;
  let deploymentId: number;
  let deploymentUrl: string;

  beforeAll(async () => {
    platform = await startFixture(transport);
    platform.branches.push(
      branch(4, 'dev-ann-1', 'dev', { ownerEmail: 'ann@a.test' }),
      branch(3, 'feature/a b', 'shared', { isStagingEnvironmentEnabled: true }),
      branch(2, 'quiet', 'shared'),
      branch(1, 'main', 'deploy'),
    );
  });
  afterAll(() => platform.stop());
  beforeEach(async () => {
    tenant = await newTenant(platform);
    admin = tenant.admin;
    const made = await platform.call(admin, 'createDeployment', { body: newDeployment('Sales') });
    ({ id: deploymentId, deploymentUrl } = made);
  });

  const tokenOperations = [
    'getDeploymentEnvironmentTokens',
    'createDeploymentEnvironmentToken',
    'createDeploymentEnvironmentTokenForMetaSync',
  ] as const;
  const list = (query: object = {}) =>
    platform.call(admin, 'getDeploymentEnvironments', { path: { deploymentId }, query: { ...query } });
  const place = (environmentId = 1) => ({ deploymentId, environmentId });
  const mint = async (body: object, principal = admin, operation: 'plain' | 'sync' = 'plain') => {
    const operationId =
      operation === 'plain' ? 'createDeploymentEnvironmentToken' : 'createDeploymentEnvironmentTokenForMetaSync';
    return (await platform.call(principal, operationId, { path: place(), body })).data;
  };
  const tokens = (principal = admin, query: object = {}) =>
    platform.call(principal, 'getDeploymentEnvironmentTokens', { path: place(), query: { ...query } });
  const ownContextOf = ({ userId, email }: Principal) => ({
    cubeCloud: { userId, username: email, email, groups: [], roles: ['Admin'], userAttributes: {} },
  });
  const member = (...actions: string[]): Principal => ({
    ...admin,
    isAdmin: false,
    grants: ['DeploymentRead', ...actions].map((action) => ({ action, deploymentIds: null })),
  });

  it('serves production, staging that is switched on, and dev branches, in both shapes', async () => {
    const { items, data, pagination } = await list();
    expect(items).toEqual([
      {
        id: '1',
        type: 'production',
        branch: 'main',
        user: null,
        api_credentials: [
          { type: 'rest', version: 1, url: `${deploymentUrl}/cubejs-api/v1` },
          { type: 'sql', version: 1, host: new URL(deploymentUrl).host, port: expect.any(Number), database: 'cube' },
        ],
      },
      expect.objectContaining({ id: '3', type: 'staging', branch: 'feature/a b', user: null }),
      expect.objectContaining({ id: '4', type: 'development', branch: 'dev-ann-1', user: 'ann@a.test' }),
    ]);
    expect(items[1]?.api_credentials[0]?.url).toBe(`${deploymentUrl}/dev-mode/feature%2Fa%20b/cubejs-api/v1`);
    expect(data).toMatchObject({
      environments: [
        {
          id: '1',
          name: 'main',
          api_credentials: { rest: { url: `${deploymentUrl}/cubejs-api/v1` }, sql: { host: expect.any(String) } },
        },
        { id: '3', name: 'feature/a b', type: 'staging' },
        { id: '4', type: 'development' },
      ],
    });
    expect(pagination).toEqual({ offset: 0, limit: 20, total: 3 });
  });

  it('filters by type and pages either way', async () => {
    expect((await list({ type: 'staging' })).items.map(({ id }) => id)).toEqual(['3']);
    const walked = await walk((after) => list({ first: 1, ...(after && { after }) }));
    expect(walked.map(({ id }) => id)).toEqual(['1', '3', '4']);
    expect(await list({ offset: 1, limit: 1 })).toMatchObject({
      items: [{ id: '3' }],
      data: { environments: [{ id: '3' }] },
      pagination: { offset: 1, limit: 1, total: 3 },
      pageInfo: { hasNextPage: true, hasPreviousPage: true },
    });
    const { pageInfo } = await list({ first: 1 });
    const query = { after: pageInfo.endCursor, type: 'staging' };
    expect(await platform.refusal(admin, 'getDeploymentEnvironments', { path: { deploymentId }, query })).toBe(
      'request.cursor_invalid',
    );
  });

  it.each([2, 99])('has no environment %i for a branch that is not served', async (environmentId) => {
    const body = { security_context: {} };
    for (const operationId of tokenOperations) {
      expect(await platform.refusal(admin, operationId, { path: place(environmentId), body })).toBe(
        'environment.not_found',
      );
    }
  });

  it("knows no environment of somebody else's dev branch, and shows it to administrators alone", async () => {
    const owner = { ...member(), userId: await tenant.newUser() };
    platform.branches.push(branch(5, 'dev-bob-1', 'dev', { ownerEmail: 'b@a.test', ownerUserId: owner.userId }));
    const body = { security_context: {} };
    for (const operationId of tokenOperations) {
      for (const stranger of [member('DeploymentUpdate'), admin]) {
        expect(await platform.refusal(stranger, operationId, { path: place(5), body })).toBe('environment.not_found');
      }
      await platform.call(owner, operationId, { path: place(5), body });
    }
    const seenBy = async (principal: Principal) =>
      (await platform.call(principal, 'getDeploymentEnvironments', { path: { deploymentId } })).items.map(
        ({ id }) => id,
      );
    expect(await seenBy(member('DeploymentUpdate'))).toEqual(['1', '3']);
    expect(await seenBy(owner)).toEqual(['1', '3', '5']);
    expect(await seenBy(admin)).toEqual(['1', '3', '4', '5']);
    platform.branches.pop();
  });

  describe('tokens', () => {
    const context = { team: 'sales', nested: { a: ['\0'] } };

    it('signs the context and the scopes that are allowed, and shows what it signed', async () => {
      const data = await mint({
        security_context: { ...context, scope: ['admin'], exp: 1 },
        scopes: ['sql-runner', 'meta', 'root', 'meta-private'],
        expires_in: 60,
      });
      expect(data).toMatchObject({ security_context: context, scopes: ['meta', 'sql-runner'] });
      const { iat = 0, exp = 0, ...claims } = decodeJwt(data.token);
      expect(claims).toEqual({
        ...context,
        scope: ['meta', 'sql-runner'],
        sub: `user:${admin.userId}`,
        aud: 'data-api',
        jti: expect.any(String),
        plinth: { deployment: deploymentId, environment: '1', purpose: 'environment', generation: 0 },
      });
      expect(exp - iat).toBe(60);
      expect(new Date(data.expires_at).getTime()).toBe(exp * 1_000);
    });

    it.each(['plain', 'sync'] as const)(
      'signs the own context of a caller who may not change the deployment, whatever they ask for: %s',
      async (operation) => {
        const own = ownContextOf(admin);
        const forged = { ...context, cubeCloud: { userId: 1, groups: ['finance'] } };
        const data = await mint({ security_context: forged, scopes: ['sql-runner'] }, member(), operation);
        expect(data).toMatchObject({ security_context: own, scopes: operation === 'sync' ? ['meta'] : [] });
        const { cubeCloud, team } = decodeJwt(data.token);
        expect({ cubeCloud, team }).toEqual({ ...own, team: undefined });
      },
    );

    it('gives sql-runner to those who may use it alone', async () => {
      const body = { security_context: {}, scopes: ['meta', 'sql-runner'] };
      expect((await mint(body, member('DeploymentUpdate'))).scopes).toEqual(['meta']);
      expect((await mint(body, member('DeploymentUpdate', 'SqlRunnerRead'))).scopes).toEqual(['meta', 'sql-runner']);
    });

    it('limits a token for metadata sync to metadata, private only when asked for and allowed', async () => {
      const body = { security_context: { team: 'sales' }, scopes: ['sql-runner', 'meta-private'] };
      expect((await mint({ security_context: {} }, admin, 'sync')).scopes).toEqual(['meta']);
      expect((await mint(body, member(), 'sync')).scopes).toEqual(['meta']);
      const allowed = await mint(body, member('SchemaRead', 'DeploymentUpdate'), 'sync');
      expect(allowed).toMatchObject({ scopes: ['meta', 'meta-private'], security_context: { team: 'sales' } });
      const { iat = 0, exp = 0 } = decodeJwt(allowed.token);
      expect(exp - iat).toBe(86_400);
    });

    it('signs with the secret of the deployment, which differs from any other and is stored sealed', async () => {
      const other = await platform.call(admin, 'createDeployment', { body: newDeployment('Other') });
      const secretOf = async (id: number): Promise<Uint8Array> => {
        const statement = {
          name: 'secret',
          text: 'select sealed_secret from deployment_secret where deployment_id = $1',
        };
        const [row] = await platform.database.readAsSystem<{ sealed_secret: string }>(statement, [id]);
        return new TextEncoder().encode(platform.secrets.open(row?.sealed_secret ?? '', `deployment:${id}:secret`));
      };
      const { token } = await mint({ security_context: {} });
      const { cubeApiToken } = await platform.call(admin, 'deploymentToken', { path: { deploymentId } });
      for (const signed of [token, cubeApiToken]) {
        await jwtVerify(signed, await secretOf(deploymentId));
        await expect(jwtVerify(signed, await secretOf(other.id))).rejects.toThrow('signature');
      }
    });

    it('lists the tokens of the caller alone, newest first, without those that have ended', async () => {
      const first = await mint({ security_context: { n: 1 } });
      const second = await mint({ security_context: { n: 2 } });
      await mint({ security_context: { n: 3 } }, { ...admin, userId: await tenant.newUser(), credentialId: 'other' });
      const text = `update environment_token set expires_at = now() where id = (select max(id) from environment_token where owner = $1)`;
      await mint({ security_context: { n: 4 } });
      await platform.database.readAsSystem({ name: 'expire-newest', text }, [`user:${admin.userId}`]);
      const page = await tokens();
      expect(page.items).toEqual([second, first]);
      expect(page).toMatchObject({ data: page.items, pagination: { offset: 0, limit: 20, total: 2 } });
      expect((await tokens({ ...admin, credentialId: 'another key of the same user' })).items).toHaveLength(2);
    });

    it('pages through the newest 1000 and no further', async () => {
      const { token } = await mint({ security_context: {} });
      const text = `insert into environment_token
          (tenant_id, deployment_id, environment_id, owner, credential_id, sealed_content, created_at, expires_at)
        select tenant_id, deployment_id, environment_id, owner, credential_id, sealed_content, created_at, expires_at
        from environment_token cross join generate_series(1, 1004) where owner = $1`;
      await platform.database.readAsSystem({ name: 'many-tokens', text }, [`user:${admin.userId}`]);
      const rows = await walk((after) => tokens(admin, { first: 400, ...(after && { after }) }));
      expect(rows).toHaveLength(1_000);
      expect(rows.every((row) => row.token === token)).toBe(true);
      expect(await tokens(admin, { offset: 998, limit: 50 })).toMatchObject({
        items: { length: 2 },
        pagination: { total: 1_000 },
        pageInfo: { hasNextPage: false },
      });
    });

    it('stores neither token nor context in the clear', async () => {
      const { token } = await mint({ security_context: { team: 'telling-context' } });
      const text = 'select row_to_json(t)::text as row from environment_token t where deployment_id = $1';
      const rows = await platform.database.readAsSystem<{ row: string }>({ name: 'token-rows', text }, [deploymentId]);
      expect(rows).toHaveLength(1);
      expect(rows[0]?.row).not.toContain(token.split('.')[2]);
      expect(rows[0]?.row).not.toContain('telling-context');
    });

    it('answers a repeat with the same key by the same token', async () => {
      const request = { path: place(), body: { security_context: {} }, idempotencyKey: 'token-1' };
      const first = await platform.call(admin, 'createDeploymentEnvironmentToken', request);
      expect(await platform.call(admin, 'createDeploymentEnvironmentToken', request)).toEqual(first);
      expect((await tokens()).items).toHaveLength(1);
    });
  });
});
