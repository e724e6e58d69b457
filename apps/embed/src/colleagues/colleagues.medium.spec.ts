import 'reflect-metadata';
import { systemPrincipal } from '@plinth/auth';
import { sessionOf, startEmbed, type EmbedFixture, type TestAccount } from '../testing/embed-fixture';

describe('what embed users are told of their embed tenant', () => {
  let platform: EmbedFixture;
  let account: TestAccount;

  beforeAll(async () => {
    platform = await startEmbed();
  });
  afterAll(() => platform?.stop());
  beforeEach(() => {
    account = platform.newAccount();
  });

  const provision = (embedTenantName: string, externalId: string, more: object = {}) =>
    platform.call(account.admin, 'provisionEmbedUser', { path: { embedTenantName }, body: { externalId, ...more } });
  const makeGroup = (embedTenantName: string, name: string) =>
    platform.call(account.admin, 'createGroup', { path: { embedTenantName }, body: { name } });
  const describeAll = (embedTenantName: string, ids: number[], { tenantId } = account) =>
    platform.call(systemPrincipal(tenantId), 'describeColleagues', {
      body: { embedTenantName, groupIds: ids, embedUserIds: ids },
    });

  it('is nothing for who makes no content, for users of the account, and without an embed tenant', async () => {
    await provision('acme', 'ada');
    const none = { status: 403, code: 'embed_session.no_embed_user' };
    for (const operationId of ['listEmbedColleagues', 'listEmbedColleagueGroups'] as const) {
      const plain = sessionOf(account, 'acme', 1);
      expect(await platform.refusal(plain, operationId)).toEqual({ status: 403, code: 'access.denied' });
      const refused = { status: 403, code: 'access.credential_not_accepted' };
      expect(await platform.refusal(account.admin, operationId)).toEqual(refused);
      for (const who of [sessionOf(account, null, 1, true), sessionOf(account, 'acme', null, true)])
        expect(await platform.refusal(who, operationId)).toEqual(none);
      const gone = sessionOf(account, 'gone', 1, true);
      expect(await platform.refusal(gone, operationId)).toEqual({ status: 404, code: 'embed_tenant.not_found' });
    }
  });

  it('is its users and the groups that it has made, and nobody of another embed tenant', async () => {
    const ada = await provision('acme', 'ada', { userProfile: { displayName: 'Ada L.' } });
    const bo = await provision('acme', 'bo', { email: 'bo@host.test' });
    await provision('globex', 'eve');
    const group = await makeGroup('acme', 'Planners');
    await makeGroup('globex', 'Spies');
    const session = sessionOf(account, 'acme', ada.id, true);
    const { items } = await platform.call(session, 'listEmbedColleagues');
    expect(items).toEqual([
      { id: ada.id, username: 'ada', email: null, firstName: 'Ada L.' },
      { id: bo.id, username: 'bo', email: 'bo@host.test', firstName: null },
    ]);
    const found = await platform.call(session, 'listEmbedColleagues', { query: { search: 'HOST' } });
    expect(found.items.map(({ id }) => id)).toEqual([bo.id]);
    const groups = await platform.call(session, 'listEmbedColleagueGroups');
    expect(groups.items).toEqual([{ id: group.id, name: 'Planners' }]);
  });

  it('is described to the platform alone, of the embed tenant that is named alone', async () => {
    const ada = await provision('acme', 'ada');
    const eve = await provision('globex', 'eve');
    const [own, other] = [await makeGroup('acme', 'Planners'), await makeGroup('globex', 'Spies')];
    const everything = [ada.id, eve.id, own.id, other.id, ...Array.from({ length: 20 }, (_, id) => id + 1)];
    const { groups, users } = await describeAll('ACME', everything);
    expect(groups).toEqual([{ id: own.id, name: 'Planners' }]);
    expect(users).toEqual([{ id: ada.id, username: 'ada', email: null, firstName: null }]);
    expect(await describeAll('acme', everything, platform.newAccount())).toEqual({ groups: [], users: [] });
    const body = { embedTenantName: 'acme', groupIds: [], embedUserIds: [] };
    const outcome = await platform.refusal(account.admin, 'describeColleagues', { body });
    expect(outcome).toEqual({ status: 403, code: 'access.denied' });
  });
});
