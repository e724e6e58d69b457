import 'reflect-metadata';
import { systemPrincipal } from '@plinth/auth';
import { newTenant, type TestTenant } from '../../testing/access-fixture';
import { startFixture, type Fixture } from '../../testing/deployment-fixture';

describe('what the control plane tells of whoever reads data', () => {
  let platform: Fixture;
  let tenant: TestTenant;
  let userId: number;

  beforeAll(async () => {
    platform = await startFixture();
  });
  afterAll(() => platform.stop());
  beforeEach(async () => {
    tenant = await newTenant(platform);
    await tenant.allowPersonalKeys(true);
    userId = await tenant.newUser();
  });

  const describeCaller = (id: number | null) =>
    platform.call(systemPrincipal(tenant.id), 'describeDataCaller', { body: { userId: id } });

  it('is for the platform alone', async () => {
    expect(await platform.refusal(tenant.admin, 'describeDataCaller', { body: { userId } })).toBe('access.denied');
  });

  it("is nothing of a user who is not there, nor of another tenant's", async () => {
    const stranger = systemPrincipal((await newTenant(platform)).id);
    const body = { userId };
    expect(await platform.refusal(stranger, 'describeDataCaller', { body })).toBe('auth.credential_invalid');
  });

  it('is the security context that a token of theirs would have, and an empty one for the platform', async () => {
    await platform.call(tenant.admin, 'updateUser', { path: { id: userId }, body: { securityContext: { desk: 4 } } });
    const { email } = await tenant.principalOf(userId);
    const groups: string[] = [];
    const own = { userId, username: email, email, groups, roles: expect.any(Array), userAttributes: {} };
    expect(await describeCaller(userId)).toEqual({
      securityContext: { desk: 4, cubeCloud: own },
      isDownloadRestricted: false,
    });
    expect(await describeCaller(null)).toEqual({ securityContext: {}, isDownloadRestricted: false });
  });
});
