import 'reflect-metadata';
import { systemPrincipal } from '@plinth/auth';
import { startEmbed, transports, type EmbedFixture, type TestAccount } from '../testing/embed-fixture';

describe.each(transports)('what content is told of embed tenants and embed users, by %s', (transport) => {
  let platform: EmbedFixture;
  let account: TestAccount;

  beforeAll(async () => {
    platform = await startEmbed(transport);
  });
  afterAll(() => platform?.stop());
  beforeEach(() => {
    account = platform.newAccount();
  });

  const everybody = { body: { embedTenantName: null } };
  const audience = (request: object, { tenantId } = account) =>
    platform.call(systemPrincipal(tenantId), 'describeEmbedAudience', request);
  const provision = (externalId: string, more: object = {}) => {
    const request = { path: { embedTenantName: 'acme' }, body: { externalId, ...more } };
    return platform.call(account.admin, 'provisionEmbedUser', request);
  };
  const people = async (embedUserIds: number[], { tenantId } = account) => {
    const request = { body: { embedUserIds } };
    return (await platform.call(systemPrincipal(tenantId), 'describeEmbedPeople', request)).people;
  };

  it('is for the platform alone', async () => {
    expect(await platform.refusal(account.admin, 'describeEmbedAudience', everybody)).toMatchObject({ status: 403 });
    const request = { body: { embedUserIds: [1] } };
    expect(await platform.refusal(account.admin, 'describeEmbedPeople', request)).toMatchObject({ status: 403 });
  });

  it('is nothing of embed tenants that are not there, those of other accounts among them', async () => {
    await provision('ada');
    const acme = { body: { embedTenantName: 'acme' } };
    const { tenantId } = platform.newAccount();
    const outcome = await platform.refusal(systemPrincipal(tenantId), 'describeEmbedAudience', acme);
    expect(outcome).toEqual({ status: 404, code: 'embed_tenant.not_found' });
  });

  it('is the group of an embed tenant, and that of everybody as soon as there is one', async () => {
    const nobody = { embedTenantId: null, embedTenantName: null, groupId: null };
    expect(await audience(everybody)).toEqual(nobody);
    await provision('ada');
    const { groupId } = await audience(everybody);
    const acme = await audience({ body: { embedTenantName: 'ACME' } });
    expect(acme).toMatchObject({ embedTenantId: expect.any(Number), embedTenantName: 'acme' });
    expect([typeof groupId, acme.groupId === groupId]).toEqual(['number', false]);
  });

  it('is the name of a user, or else their id at the host, of this account alone', async () => {
    const { id } = await provision('ada', { userProfile: { displayName: 'Ada L.' }, email: 'ada@host.test' });
    const { id: other } = await provision('grace');
    expect(await people([other, id, 999_999_999])).toEqual(
      expect.arrayContaining([
        { id, email: 'ada@host.test', firstName: 'Ada L.', picture: null },
        { id: other, email: '', firstName: 'grace', picture: null },
      ]),
    );
    expect(await people([id], platform.newAccount())).toEqual([]);
  });

  it('has names also while embedding is off, and audiences not', async () => {
    const { id } = await provision('ada');
    account.isEmbeddingEnabled = false;
    expect(await people([id])).toHaveLength(1);
    const outcome = await platform.refusal(systemPrincipal(account.tenantId), 'describeEmbedAudience', everybody);
    expect(outcome).toEqual({ status: 403, code: 'embedding.off' });
  });
});
