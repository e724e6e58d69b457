import 'reflect-metadata';
import { systemPrincipal } from '@plinth/auth';
import { operation, operations } from '@plinth/contract';
import { casesOf, exampleRequest } from '@plinth/testing';
import { sessionOf, startEmbed, type EmbedFixture, type TestAccount } from '../testing/embed-fixture';

/** Events come all the same, sessions are over, and content has its owners. */
const others = ['Event Delivery', 'Embed Session Facts', 'Embed Directory'];
const switched = operations.filter(({ service, tag }) => service === 'embed' && !others.includes(tag));

describe('an account that has switched embedding off', () => {
  let platform: EmbedFixture;
  let account: TestAccount;

  beforeAll(async () => {
    platform = await startEmbed();
    account = platform.newAccount();
  });
  afterAll(() => platform?.stop());

  it.each(casesOf(switched.map(({ operationId }) => operationId)))('gets 403 from %s', async (operationId) => {
    account.isEmbeddingEnabled = false;
    const isInternal = operationId === 'resolveEmbedSubject';
    const isOfSessions = operation(operationId).access.credentials?.includes('api-key') === false;
    const caller = isOfSessions ? sessionOf(account, 'acme', 1, true) : account.admin;
    const request = isInternal
      ? { body: { embedTenantName: 'acme', externalId: 'ada', provision: true } }
      : exampleRequest(operationId, { embedTenantName: 'acme', id: 1, publicId: 'q7XbT2mZk4Lw' });
    expect(
      await platform.refusal(isInternal ? systemPrincipal(account.tenantId) : caller, operationId, request),
    ).toEqual({ status: 403, code: 'embedding.off' });
  });

  it('finds everything as it was when it switches embedding on again', async () => {
    account.isEmbeddingEnabled = true;
    const path = { embedTenantName: 'acme' };
    await platform.call(account.admin, 'provisionEmbedUser', { path, body: { externalId: 'ada' } });
    account.isEmbeddingEnabled = false;
    await platform.refusal(account.admin, 'deleteEmbedTenant', { path });
    account.isEmbeddingEnabled = true;
    const { items } = await platform.call(account.admin, 'listEmbedTenants');
    expect(items).toMatchObject([{ name: 'acme', userCount: 1 }]);
  });
});
