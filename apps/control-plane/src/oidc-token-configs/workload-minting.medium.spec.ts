import 'reflect-metadata';
import { systemPrincipal, type Principal } from '@plinth/auth';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { newDeployment, startFixture, transports, type Fixture } from '../deployments/deployment-fixture';
import { newTenantAdmin } from '../users/account-fixture';

describe.each(transports)('OIDC tokens of deployments over %s', (transport) => {
  let platform: Fixture;
  let admin: Principal;
  let service: Principal;
  let deploymentId: number;

  beforeAll(async () => {
    platform = await startFixture(transport);
  });
  afterAll(() => platform.stop());
  beforeEach(async () => {
    admin = await newTenantAdmin(platform);
    service = systemPrincipal(admin.tenantId);
    deploymentId = (await platform.call(admin, 'createDeployment', { body: newDeployment('sales') })).id;
    await issue(true);
  });

  const issue = (oidcEnabled: boolean) => platform.call(admin, 'updateTenantSettings', { body: { oidcEnabled } });
  const configure = (body: object) => platform.call(admin, 'createOidcTokenConfig', { body });
  const custom = (name: string, more: object = {}) =>
    configure({ audienceType: 'Custom', customAudience: `https://${name}.test`, name, ...more });
  const order = (more: object = {}) => ({ body: { deploymentId, component: 'cube_api', ...more } });
  const mint = async (more?: object) => (await platform.call(service, 'mintWorkloadTokens', order(more))).tokens;
  const verify = async (token: string, audience: string) => {
    const { keys } = await platform.call(service, 'listSigningKeys');
    const verified = await jwtVerify(token, createLocalJWKSet({ keys: keys as never }), { audience });
    return verified.payload;
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

  it('mints nothing for a deployment of another tenant, nor by its configs or keys', async () => {
    await custom('one');
    const stranger = await newTenantAdmin(platform);
    await platform.call(stranger, 'updateTenantSettings', { body: { oidcEnabled: true } });
    const theirs = systemPrincipal(stranger.tenantId);
    expect(await platform.refusal(theirs, 'mintWorkloadTokens', order())).toBe('deployment.not_found');
    const own = await platform.call(theirs, 'mintWorkloadTokens', order({ deploymentId: null }));
    expect(own.tokens).toEqual([]);
    const [{ token = '' } = {}] = await mint();
    const { keys } = await platform.call(theirs, 'listSigningKeys');
    await expect(jwtVerify(token, createLocalJWKSet({ keys: keys as never }))).rejects.toThrow();
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

  it('speaks for the platform itself where there is no deployment', async () => {
    await custom('one', { subFormat: '{region}:{deployment_id}:{component}' });
    const [{ token = '' } = {}] = await mint({ deploymentId: null, component: null });
    expect(await verify(token, 'https://one.test')).toMatchObject({ sub: 'control-plane:global:global' });
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
