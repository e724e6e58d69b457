import 'reflect-metadata';
import { systemPrincipal } from '@plinth/auth';
import { startEmbed, transports, type EmbedFixture, type TestAccount } from '../testing/embed-fixture';

describe.each(transports)('what other services are told of embed users, by %s', (transport) => {
  let platform: EmbedFixture;
  let account: TestAccount;

  beforeAll(async () => {
    platform = await startEmbed(transport);
  });
  afterAll(() => platform?.stop());
  beforeEach(() => {
    account = platform.newAccount();
    account.groups.set('Finance', 4).set('Sales', 5);
    account.attributes.push({ id: 8, name: 'region', defaultValue: 'EU' }, { id: 9, name: 'desk', defaultValue: null });
  });

  const ada = { embedTenantName: 'acme', externalId: 'ada', provision: true };
  const resolve = (body: object) =>
    platform.call(systemPrincipal(account.tenantId), 'resolveEmbedSubject', { body: { ...ada, ...body } });
  const refusal = (body: object) =>
    platform.refusal(systemPrincipal(account.tenantId), 'resolveEmbedSubject', { body: { ...ada, ...body } });

  it('is for the platform alone', async () => {
    const outcome = await platform.refusal(account.admin, 'resolveEmbedSubject', { body: ada });
    expect(outcome).toEqual({ status: 403, code: 'access.denied' });
  });

  it('is nothing of users who are not there, unless they are to be provisioned', async () => {
    const unknown = { status: 404, code: 'embed_user.not_found' };
    expect(await refusal({ provision: false })).toEqual(unknown);
    await resolve({});
    expect(await refusal({ provision: false, embedTenantName: 'other' })).toEqual(unknown);
    account = platform.newAccount();
    expect(await refusal({ provision: false })).toEqual(unknown);
  });

  it('provisions nobody with groups or attributes that there are not', async () => {
    expect(await refusal({ groups: ['Finance', 'finance'] })).toEqual({ status: 400, code: 'user_group.unknown_name' });
    const userAttributes = [{ name: 'shoe', value: 1 }];
    expect(await refusal({ userAttributes })).toEqual({ status: 400, code: 'user_attribute.unknown_name' });
    expect(await refusal({ provision: false })).toMatchObject({ status: 404 });
  });

  it('keeps what is given to a user who is provisioned', async () => {
    const given = { groups: ['Finance'], userAttributes: [{ name: 'region', value: 'US' }], email: 'Ada@Acme.test' };
    const made = await resolve({ ...given, embedTenantName: 'Acme', externalId: ' ADA ' });
    expect(made).toEqual({
      embedUserId: expect.any(Number),
      embedTenantName: 'acme',
      externalId: 'ada',
      email: 'ada@acme.test',
      displayName: null,
      groups: ['Finance'],
      userAttributes: { region: 'US' },
      securityContext: {
        cubeCloud: {
          username: 'ada',
          email: 'ada@acme.test',
          externalId: 'ada',
          embedTenantName: 'acme',
          groups: ['Finance', 'system:tenant:acme', 'all_embed_users'],
          roles: [],
          userAttributes: { region: 'US' },
        },
      },
    });
    expect(await resolve({ provision: false })).toEqual(made);
  });

  it('lets what is given to a known user hold for the answer alone', async () => {
    const before = await resolve({ groups: ['Finance'], userAttributes: [{ name: 'desk', value: 3 }] });
    const given = { groups: ['Sales'], userAttributes: [{ name: 'region', value: null }], email: 'other@acme.test' };
    const other = await resolve({ ...given, securityContext: { plant: 7, cubeCloud: { groups: ['Admins'] } } });
    expect(other).toMatchObject({ email: null, groups: ['Sales'], userAttributes: { desk: 3 } });
    expect(other.securityContext).toMatchObject({
      plant: 7,
      cubeCloud: { email: 'ada@cubecloud.dev', groups: ['Sales', 'system:tenant:acme', 'all_embed_users'] },
    });
    expect(await resolve({})).toEqual(before);
  });

  it('leaves out a group of the account that is gone, and tells the new name of one', async () => {
    await resolve({ groups: ['Finance', 'Sales'] });
    account.groups.delete('Finance');
    account.groups.delete('Sales');
    account.groups.set('Revenue', 5);
    expect(await resolve({})).toMatchObject({ groups: ['Revenue'] });
  });

  it('makes one user of twenty who ask at the same moment', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => resolve({})));
    expect(new Set(all.map(({ embedUserId }) => embedUserId)).size).toBe(1);
  });
});
