import 'reflect-metadata';
import { systemPrincipal, type Principal } from '@plinth/auth';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { newDeployment, startFixture, transports, type Fixture } from '../../testing/deployment-fixture';
import { newTenantAdmin, viewerBeside } from '../../testing/account-fixture';

describe.each(transports)('OIDC tokens of deployments over %s', (transport) => {
  let platform: Fixture;
  let admin: Principal;
  let deploymentId: number;

  beforeAll(async () => {
    platform = await startFixture(transport);
  });
  afterAll(() => platform.stop());
  beforeEach(async () => {
    admin = await newTenantAdmin(platform);
    deploymentId = (await platform.call(admin, 'createDeployment', { body: newDeployment('sales') })).id;
    await issue(true);
  });

  const issue = (oidcEnabled: boolean) => platform.call(admin, 'updateTenantSettings', { body: { oidcEnabled } });
  const configure = (body: object) => platform.call(admin, 'createOidcTokenConfig', { body });
  const custom = (name: string, more: object = {}) =>
    configure({ audienceType: 'Custom', customAudience: `https://${name}.test`, name, ...more });
  const order = (more: object = {}) => ({ path: { deploymentId }, body: { component: 'cube_api', ...more } });
  const mint = async (by = admin, more?: object) => (await platform.call(by, 'mintOidcTokens', order(more))).items;
  const keysOf = async ({ tenantId }: Principal) =>
    createLocalJWKSet((await platform.call(systemPrincipal(tenantId), 'listSigningKeys')) as never);
  const verify = async (token: string, audience: string) => {
    return (await jwtVerify(token, await keysOf(admin), { audience })).payload;
  };
  const recorded = (tenantId: number) =>
    platform.database.readAsSystem<{ event: Record<string, unknown> }>(
      {
        name: 'minted-tokens',
        text: `select payload as event from outbox
               where tenant_id = $1 and payload ->> 'event' = 'Minted OIDC token'
               union all
               select jsonb_build_object('deploymentId', deployment_id, 'attributes', attributes) from audit_event
               where tenant_id = $1 and event = 'Minted OIDC token'`,
      },
      [tenantId],
    );

  it('mints nothing while the tenant issues no tokens, and for no config that is off', async () => {
    await custom('one', { isEnabled: false });
    expect(await mint()).toEqual([]);
    await custom('two');
    await issue(false);
    expect(await mint()).toEqual([]);
    expect(await recorded(admin.tenantId)).toEqual([]);
  });

  it('takes the right to the secrets of the deployment, and a credential that reaches it', async () => {
    await custom('one');
    const grant = (action: string) => ({ action, deploymentIds: [deploymentId] });
    const runtime = { ...viewerBeside(admin), deploymentIds: [deploymentId], grants: [grant('SecretsManage')] };
    expect(await mint(runtime)).toHaveLength(1);
    for (const by of [viewerBeside(admin), { ...runtime, grants: [grant('DeploymentUpdate')] }]) {
      expect(await platform.refusal(by, 'mintOidcTokens', order())).toBe('access.denied');
    }
    const elsewhere = { ...admin, deploymentIds: [deploymentId + 1] };
    expect(await platform.refusal(elsewhere, 'mintOidcTokens', order())).toBe('access.deployment_out_of_scope');
  });

  it('mints nothing for a deployment of another tenant, nor by its configs or keys', async () => {
    await custom('one');
    const stranger = await newTenantAdmin(platform);
    await platform.call(stranger, 'updateTenantSettings', { body: { oidcEnabled: true } });
    expect(await platform.refusal(stranger, 'mintOidcTokens', order())).toBe('deployment.not_found');
    const { id } = await platform.call(stranger, 'createDeployment', { body: newDeployment('theirs') });
    const own = await platform.call(stranger, 'mintOidcTokens', { path: { deploymentId: id } });
    expect(own.items).toEqual([]);
    const [{ token = '' } = {}] = await mint();
    await expect(jwtVerify(token, await keysOf(stranger))).rejects.toThrow();
  });

  it('mints a token for each config that its audience can verify, for an hour', async () => {
    await configure({ audienceType: 'AWS' });
    await custom('snowflake', {
      subFormat: '{region}:{deployment_id}:{component}',
      customClaims: { scp: 'session:role-any', groups: 'a,b' },
      targetEnvVar: 'SNOWFLAKE_TOKEN_FILE',
    });
    const [aws, snowflake] = await mint();
    expect(aws).toMatchObject({ name: 'aws', fileName: 'cube_cloud_token_aws', targetEnvVar: null });
    expect(snowflake).toMatchObject({ fileName: 'cube_cloud_token_snowflake', targetEnvVar: 'SNOWFLAKE_TOKEN_FILE' });
    const first = await verify(aws?.token ?? '', 'sts.amazonaws.com');
    expect(first.sub).toBe(`cube:deployment:${deploymentId}`);
    expect((first.exp ?? 0) - (first.iat ?? 0)).toBe(3_600);
    expect(first.exp).toBe(Date.parse(aws?.expiresAt ?? '') / 1_000);
    expect(await verify(snowflake?.token ?? '', 'https://snowflake.test')).toMatchObject({
      ...{ iss: first.iss, sub: `local:${deploymentId}:cube_api` },
      ...{ scp: 'session:role-any', groups: ['a', 'b'] },
    });
  });

  it('speaks for the whole deployment where no part is named', async () => {
    await custom('one', { subFormat: '{region}:{deployment_id}:{component}' });
    const [{ token = '' } = {}] = await mint(admin, { component: null });
    expect(await verify(token, 'https://one.test')).toMatchObject({ sub: `local:${deploymentId}:global` });
  });

  describe('for engines', () => {
    const asRuntime = () => systemPrincipal(admin.tenantId);
    const mintForEngine = (by = asRuntime()) => platform.call(by, 'mintEngineTokens', { body: { deploymentId } });
    const settings = () => platform.call(asRuntime(), 'describeEngineSettings', { body: { deploymentId } });

    it('are minted for runtimes alone, and for deployments of their tenant', async () => {
      await custom('one');
      const body = { deploymentId };
      expect(await platform.refusal(admin, 'mintEngineTokens', { body })).toBe('access.denied');
      const elsewhere = systemPrincipal((await newTenantAdmin(platform)).tenantId);
      expect(await platform.refusal(elsewhere, 'mintEngineTokens', { body })).toBe('deployment.not_found');
      expect(await recorded(admin.tenantId)).toEqual([]);
    });

    it('speak for the data API, and leave their lines in the audit log', async () => {
      await custom('one', { subFormat: '{deployment_id}:{component}' });
      const [{ token = '' } = {}] = (await mintForEngine()).items;
      expect(await verify(token, 'https://one.test')).toMatchObject({ sub: `${deploymentId}:cube_api` });
      const [line] = await recorded(admin.tenantId);
      expect(line?.event).toMatchObject({ deploymentId, attributes: { name: 'one', component: 'cube_api' } });
    });

    it('have no variable while the tenant issues none, nor of a config that is off', async () => {
      await custom('one', { targetEnvVar: 'ONE', isEnabled: false });
      await custom('two', { targetEnvVar: 'TWO' });
      await issue(false);
      expect((await settings()).tokenVariables).toEqual({});
      expect((await mintForEngine()).items).toEqual([]);
      await issue(true);
      expect((await settings()).tokenVariables).toEqual({ TWO: 'cube_cloud_token_two' });
    });

    it('are another revision when a variable is, and the same one when a token alone is', async () => {
      const { revision: before } = await settings();
      const { id } = await custom('one');
      expect((await settings()).revision).toBe(before);
      await platform.call(admin, 'updateOidcTokenConfig', { path: { id }, body: { targetEnvVar: 'ONE' } });
      const { revision: after } = await settings();
      expect(after).not.toBe(before);
      await platform.call(admin, 'updateOidcTokenConfig', { path: { id }, body: { customClaims: { scp: 'all' } } });
      expect((await settings()).revision).toBe(after);
    });

    it('of two configs with the same variable, the first one has it', async () => {
      for (const name of ['one', 'two']) await custom(name, { targetEnvVar: 'SAME' });
      expect((await settings()).tokenVariables).toEqual({ SAME: 'cube_cloud_token_one' });
    });
  });

  it('records every token with what it is for, and never the token', async () => {
    await custom('one');
    await custom('two');
    const minted = await mint();
    const lines = await recorded(admin.tenantId);
    const subject = `cube:deployment:${deploymentId}`;
    expect(lines.map(({ event }) => event)).toEqual(
      expect.arrayContaining(
        ['one', 'two'].map((name) =>
          expect.objectContaining({
            deploymentId,
            attributes: { name, component: 'cube_api', audience: `https://${name}.test`, subject, ttlSeconds: 3_600 },
          }),
        ),
      ),
    );
    expect(lines).toHaveLength(2);
    for (const { token } of minted) expect(JSON.stringify(lines)).not.toContain(token.split('.')[2]);
  });
});
