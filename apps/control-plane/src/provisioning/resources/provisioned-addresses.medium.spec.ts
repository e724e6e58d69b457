import 'reflect-metadata';
import { USER } from '@plinth/scim-protocol';
import { newTenant, type TestTenant } from '../../testing/access-fixture';
import { startFixture, type Fixture } from '../../testing/deployment-fixture';
import { newUser } from '../../testing/account-fixture';

describe('addresses of provisioned users', () => {
  let platform: Fixture;
  let tenant: TestTenant;

  beforeAll(async () => {
    platform = await startFixture('in-process');
  });
  afterAll(() => platform?.stop());
  beforeEach(async () => {
    tenant = await newTenant(platform);
  });

  const bodyOf = (userName: string, ...addresses: string[]) => {
    const emails = addresses.map((value) => ({ value, type: 'work' }));
    return { userName, resource: { [USER]: { userName, ...(emails.length > 0 && { emails }) } } };
  };
  const create = (userName: string, ...addresses: string[]) =>
    platform.call(tenant.admin, 'createProvisionedUser', { body: bodyOf(userName, ...addresses) });
  const replace = (id: number, userName: string, ...addresses: string[]) =>
    platform.call(tenant.admin, 'replaceProvisionedUser', { body: { id, ...bodyOf(userName, ...addresses) } });
  const deactivate = (id: number) => {
    const changes = [{ op: 'replace', path: { schema: USER, name: 'active' }, value: false }];
    return platform.call(tenant.admin, 'patchProvisionedUser', { body: { id, changes } });
  };
  const refusal = (...args: Parameters<typeof create>) =>
    platform.refusal(tenant.admin, 'createProvisionedUser', { body: bodyOf(...args) });
  const account = async (id: number) =>
    (await platform.call(tenant.admin, 'getUsers', { query: { first: 100 } })).items.find((user) => user.id === id);
  const emailsOf = ({ resource }: { resource: Record<string, unknown> }) =>
    (resource[USER] as { emails?: unknown }).emails;

  it('128 and names are taken while their users are there, active or not', async () => {
    const { id } = await create('ada', 'ada@acme.test');
    await deactivate(id);
    expect(await refusal('other', 'ADA@acme.test')).toBe('user.email_taken');
    expect(await refusal('ADA', 'other@acme.test')).toBe('user.username_taken');
    await platform.call(tenant.admin, 'deleteProvisionedUser', { body: { id } });
    expect((await create('ada', 'ada@acme.test')).id).not.toBe(id);
  });

  it('127 are none for whom the identity provider names none, and several may have none', async () => {
    const [ada, grace] = [await create('ada@acme.test'), await create('grace@acme.test')];
    expect([emailsOf(ada), emailsOf(grace)]).toEqual([undefined, undefined]);
    expect(await account(ada.id)).toMatchObject({ email: '', username: 'ada@acme.test' });
    const { items } = await platform.call(tenant.admin, 'getUsers', { query: { search: 'grace@' } });
    expect(items.map(({ id }) => id)).toEqual([grace.id]);
  });

  it('127 are free for others when they are the name of a user without any, and when they are removed', async () => {
    await create('ada@acme.test');
    const other = await create('other', 'ada@acme.test');
    expect(await account(other.id)).toMatchObject({ email: 'ada@acme.test' });
    await replace(other.id, 'other');
    expect(await account(other.id)).toMatchObject({ email: '' });
    expect(await account((await create('third', 'ada@acme.test')).id)).toMatchObject({ email: 'ada@acme.test' });
  });

  it('127 stay with who signs in here, whatever an identity provider leaves out', async () => {
    const { id, email } = await platform.call(tenant.admin, 'createUser', { body: newUser('joan') });
    expect(emailsOf(await replace(id, 'joan'))).toBeUndefined();
    expect(await account(id)).toMatchObject({ email });
  });
});
