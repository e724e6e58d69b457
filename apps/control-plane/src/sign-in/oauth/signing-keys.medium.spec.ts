import { createPublicKey, verify } from 'node:crypto';
import { systemPrincipal } from '@plinth/auth';
import { newTenant } from '../../testing/access-fixture';
import { startFixture, type Fixture } from '../../testing/deployment-fixture';
import { signingKeys } from '../../index';
import { TenantAddresses } from '../../tenancy/tenants/tenant-addresses.service';
import { TenantsRepository } from '../../tenancy/tenants/tenants.repository';
import { WorkloadTokens } from './workload-tokens.service';

const config = {
  signingKeyRotationDays: 90,
  publicUrlTemplate: 'https://{host}',
  invitationLifetimeHours: 1,
  passwordResetLifetimeHours: 1,
  passwordHashConcurrency: 1,
  signInAttemptsPerAccount: 1,
  signInAttemptsPerAddress: 1,
};

describe('the signing keys of a tenant', () => {
  let platform: Fixture;
  let tenantId: number;

  beforeAll(async () => {
    platform = await startFixture();
  });
  afterAll(() => platform.stop());
  beforeEach(async () => {
    tenantId = (await newTenant(platform)).id;
  });

  const keysOf = async (id = tenantId) =>
    (await platform.call(systemPrincipal(id), 'listSigningKeys')).keys as { kid: string; n: string; alg: string }[];
  const keys = () => signingKeys(platform.database, platform.secrets, config);
  const rotate = () => keys().rotate(tenantId);

  it('are one at first, whoever asks at the same time, and no other tenant has it', async () => {
    const lists = await Promise.all([keysOf(), keysOf(), keysOf()]);
    expect(new Set(lists.flat().map(({ kid }) => kid)).size).toBe(1);
    const other = await keysOf((await newTenant(platform)).id);
    expect(other[0]?.kid).not.toBe(lists[0]?.[0]?.kid);
  });

  it('are the current and the previous one, and an older one signs no more', async () => {
    const [first] = await keysOf();
    const second = await rotate();
    expect((await keysOf()).map(({ kid }) => kid)).toEqual([second.keyId, first?.kid]);
    const third = await rotate();
    expect((await keysOf()).map(({ kid }) => kid)).toEqual([third.keyId, second.keyId]);
    const body = { keyId: first?.kid ?? '', data: 'header.payload' };
    expect(await platform.refusal(systemPrincipal(tenantId), 'signForIssuer', { body })).toBe('service.unavailable');
  });

  it('are replaced when their time has come', async () => {
    const [first] = await keysOf();
    await platform.database.readAsSystem(
      {
        name: 'age the key',
        text: `update signing_key set created_at = now() - interval '91 days' where tenant_id = $1`,
      },
      [tenantId],
    );
    const [current, previous] = await keysOf();
    expect([current?.kid === first?.kid, previous?.kid]).toEqual([false, first?.kid]);
  });

  it('show nothing private', async () => {
    expect(Object.keys((await keysOf())[0] ?? {}).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
    const [row] = await platform.database.readAsSystem<{ text: string }>(
      { name: 'whole key', text: 'select k::text as text from signing_key k where tenant_id = $1' },
      [tenantId],
    );
    expect(row?.text).not.toMatch(/PRIVATE|"d"/);
  });

  it('sign tokens that name their issuer and key, for an hour', async () => {
    const addresses = new TenantAddresses(platform.database, new TenantsRepository(), config);
    const tokens = new WorkloadTokens(keys(), addresses);
    const { token, expiresAt, issuedAt } = await tokens.sign(tenantId, {
      sub: 'cube:deployment:1',
      aud: 'sts.amazonaws.com',
    });
    const [header = '', payload = '', signature = ''] = token.split('.');
    const [key] = await keysOf();
    const parsed = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as object;
    expect(parsed(header)).toEqual({ alg: 'RS256', typ: 'JWT', kid: key?.kid });
    expect(parsed(payload)).toMatchObject({ iss: await addresses.baseUrl(tenantId), sub: 'cube:deployment:1' });
    expect(expiresAt.getTime() - issuedAt.getTime()).toBe(3_600_000);
    const publicKey = createPublicKey({ key: { ...key }, format: 'jwk' });
    const isGenuine = verify(
      'sha256',
      Buffer.from(`${header}.${payload}`),
      publicKey,
      Buffer.from(signature, 'base64url'),
    );
    expect(isGenuine).toBe(true);
  });
});
