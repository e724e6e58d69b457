import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { systemPrincipal } from '@plinth/auth';
import { startEmbed, type EmbedFixture, type TestAccount } from '../testing/embed-fixture';

describe('events of groups and attributes of an account', () => {
  let platform: EmbedFixture;
  let account: TestAccount;

  beforeAll(async () => {
    platform = await startEmbed();
  });
  afterAll(() => platform?.stop());
  beforeEach(async () => {
    account = platform.newAccount();
    account.groups.set('Finance', 4).set('Sales', 5);
    account.attributes.push({ id: 8, name: 'region', defaultValue: null }, { id: 9, name: 'desk', defaultValue: null });
    const userAttributes = [
      { name: 'region', value: 'EU' },
      { name: 'desk', value: 3 },
    ];
    await resolve({ groups: ['Finance', 'Sales'], userAttributes, provision: true });
  });

  const resolve = (more: object = { provision: false }) =>
    platform.call(systemPrincipal(account.tenantId), 'resolveEmbedSubject', {
      body: { embedTenantName: 'acme', externalId: 'ada', ...more },
    });
  const bodyOf = (type: string, payload: object, { tenantId }: TestAccount = account) => ({
    tenantId,
    events: [{ eventId: randomUUID(), type, payload }],
  });
  const deliver = (body: ReturnType<typeof bodyOf>) =>
    platform.call(systemPrincipal(body.tenantId), 'deliverEventsToEmbed', { body });

  it('are for the platform alone to deliver', async () => {
    const body = bodyOf('user_group.deleted', { groupId: 4 });
    expect(await platform.refusal(account.admin, 'deliverEventsToEmbed', { body })).toMatchObject({ status: 403 });
    expect(await resolve()).toMatchObject({ groups: ['Finance', 'Sales'] });
  });

  it('that this build does not know stay with their sender', async () => {
    const body = bodyOf('user_group.renamed', { groupId: 4 });
    const refusal = await platform.refusal(systemPrincipal(account.tenantId), 'deliverEventsToEmbed', { body });
    expect(refusal).toEqual({ status: 503, code: 'service.unavailable' });
  });

  it("take nothing from another account's users", async () => {
    await deliver(bodyOf('user_group.deleted', { groupId: 4 }, platform.newAccount()));
    expect(await resolve()).toMatchObject({ groups: ['Finance', 'Sales'] });
  });

  it('take the group or the attribute from all who have it, once', async () => {
    const gone = bodyOf('user_group.deleted', { groupId: 4 });
    await deliver(gone);
    await deliver(bodyOf('user_attribute.deleted', { attributeId: 8 }));
    expect(await resolve()).toMatchObject({ groups: ['Sales'], userAttributes: { desk: 3 } });
    const path = { embedTenantName: 'acme' };
    await platform.call(account.admin, 'provisionEmbedUser', {
      path,
      body: { externalId: 'ada', groups: ['Finance'] },
    });
    await deliver(gone);
    expect(await resolve()).toMatchObject({ groups: ['Finance'] });
  });
});
