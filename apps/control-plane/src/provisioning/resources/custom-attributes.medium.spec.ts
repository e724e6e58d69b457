import 'reflect-metadata';
import { CUSTOM, parseFilter, USER } from '@plinth/scim-protocol';
import { newTenant, type TestTenant } from '../../testing/access-fixture';
import { startFixture, transports, type Fixture } from '../../testing/deployment-fixture';

describe.each(transports)('facts of the tenant about provisioned users over %s', (transport) => {
  let platform: Fixture;
  let tenant: TestTenant;

  beforeAll(async () => {
    platform = await startFixture(transport);
  });
  afterAll(() => platform.stop());
  beforeEach(async () => {
    tenant = await newTenant(platform);
    for (const [name, type] of [
      ['team', 'string'],
      ['floor', 'number'],
      ['remote', 'boolean'],
      ['regions', 'string_array'],
      ['years', 'number_array'],
    ] as const) {
      await platform.call(tenant.admin, 'createUserAttribute', { body: { name, type } });
    }
  });

  const resourceOf = (userName: string, facts?: object) => ({
    userName,
    resource: { [USER]: { userName }, ...(facts && { [CUSTOM]: facts }) },
  });
  const create = (userName: string, facts?: object) =>
    platform.call(tenant.admin, 'createProvisionedUser', { body: resourceOf(userName, facts) });
  const replace = (id: number, userName: string, facts?: object) =>
    platform.call(tenant.admin, 'replaceProvisionedUser', { body: { id, ...resourceOf(userName, facts) } });
  const changeOf = (op: string, name: string, value?: unknown) => ({ op, path: { schema: CUSTOM, name }, value });
  const patch = (id: number, ...changes: object[]) =>
    platform.call(tenant.admin, 'patchProvisionedUser', { body: { id, changes } });
  const factsOf = ({ resource }: { resource: Record<string, unknown> }) => resource[CUSTOM];
  const refusalOf = (work: Promise<unknown>) =>
    work.then(
      () => Promise.reject(new Error('Nothing was refused')),
      ({ code, message }: { code: string; message: string }) => [code, message],
    );

  it('refuse names that there are not, and store nothing of the request', async () => {
    const unknown = ['scim.invalid_value', 'There is no user attribute desk'];
    const ada = await create('ada', { team: 'Sales' });
    expect(await refusalOf(create('grace', { desk: '7' }))).toEqual(unknown);
    expect(await refusalOf(replace(ada.id, 'ada', { desk: '7' }))).toEqual(unknown);
    expect(await refusalOf(patch(ada.id, changeOf('replace', 'team', 'Legal'), changeOf('remove', 'desk')))).toEqual(
      unknown,
    );
    const body = { offset: 0, limit: 10 };
    const { items } = await platform.call(tenant.admin, 'findProvisionedUsers', { body });
    expect(items.map(({ resource }) => resource[USER])).not.toContainEqual(
      expect.objectContaining({ userName: 'grace' }),
    );
    expect(items.map(factsOf)).toContainEqual({ team: 'Sales' });
  });

  it('refuse values of another type', async () => {
    const { id } = await create('ada');
    const wrong = ['scim.invalid_value', 'floor takes a number value'];
    expect(await refusalOf(patch(id, changeOf('add', 'floor', 'third')))).toEqual(wrong);
  });

  it('take the texts of identity providers for values of their types, in whatever case of the name', async () => {
    const { id } = await create('ada', { TEAM: 7, floor: '3', Remote: 'True', regions: 'EMEA, APAC', years: ['1', 2] });
    const facts = { team: '7', floor: 3, remote: true, regions: ['EMEA', 'APAC'], years: [1, 2] };
    expect(factsOf(await platform.call(tenant.admin, 'getProvisionedUser', { body: { id } }))).toEqual(facts);
    const values = await platform.call(tenant.admin, 'getUserAttributeValues', { path: { userId: id } });
    expect(Object.fromEntries(values.map(({ name, value }) => [name, value]))).toEqual(facts);
  });

  it('change as a whole, go one by one, and stay when a replacement does not name them', async () => {
    const { id } = await create('ada', { team: 'Sales', floor: 3, years: [1, 2] });
    expect(factsOf(await patch(id, changeOf('add', 'YEARS', [3, 4]), changeOf('remove', 'Floor')))).toEqual({
      team: 'Sales',
      years: [3, 4],
    });
    expect(factsOf(await replace(id, 'ada', { floor: '5' }))).toEqual({ team: 'Sales', floor: 5, years: [3, 4] });
    expect(factsOf(await patch(id, ...['team', 'floor', 'years'].map((name) => changeOf('remove', name))))).toBe(
      undefined,
    );
  });

  it('go all at once with the name of their schema', async () => {
    const { id } = await create('ada', { team: 'Sales', floor: 3 });
    expect(factsOf(await patch(id, { op: 'remove', path: { schema: CUSTOM, name: '' } }))).toBe(undefined);
    const values = await platform.call(tenant.admin, 'getUserAttributeValues', { path: { userId: id } });
    expect(values.filter(({ value }) => value !== null)).toEqual([]);
  });

  it('leave the version of the user alone when they are said again', async () => {
    const { id, lastModified } = await create('ada', { floor: 3, regions: ['EMEA'] });
    expect((await replace(id, 'ada', { Floor: '3', regions: 'EMEA' })).lastModified).toBe(lastModified);
    expect((await replace(id, 'ada')).lastModified).toBe(lastModified);
    expect((await replace(id, 'ada', { floor: '4' })).lastModified).not.toBe(lastModified);
  });

  it('come with each user of a list, and only with theirs', async () => {
    for (const name of ['ada', 'grace', 'joan']) await create(name, name === 'joan' ? undefined : { team: name });
    const body = { offset: 0, limit: 10 };
    const { items } = await platform.call(tenant.admin, 'findProvisionedUsers', { body });
    const seen = items.map((user) => [(user.resource[USER] as { userName: string }).userName, factsOf(user)]);
    expect(seen.slice(-3)).toEqual([
      ['ada', { team: 'ada' }],
      ['grace', { team: 'grace' }],
      ['joan', undefined],
    ]);
  });

  it('are what users are found by, whatever their types, also by one of several values', async () => {
    await create('ada', { team: 'Sales', floor: 3, remote: true, regions: ['EMEA', 'APAC'] });
    await create('grace', { team: 'Sales 100%', floor: 13 });
    await create('joan');
    const stranger = await newTenant(platform);
    await platform.call(stranger.admin, 'createUserAttribute', { body: { name: 'team', type: 'string' } });
    await platform.call(stranger.admin, 'createProvisionedUser', { body: resourceOf('mary', { team: 'Sales' }) });
    const found = async (condition: string) => {
      const filter = parseFilter('User', condition);
      const body = { filter, offset: 0, limit: 10 };
      const { items } = await platform.call(tenant.admin, 'findProvisionedUsers', { body });
      return items.map(({ resource }) => (resource[USER] as { userName: string }).userName).filter(isPerson);
    };
    expect(await found(`${CUSTOM}:team eq "sales"`)).toEqual(['ada']);
    expect(await found(`${CUSTOM}:TEAM sw "Sales"`)).toEqual(['ada', 'grace']);
    expect(await found(`${CUSTOM}:team co "0%"`)).toEqual(['grace']);
    expect(await found(`${CUSTOM}:floor eq 3`)).toEqual(['ada']);
    expect(await found(`${CUSTOM}:remote eq true`)).toEqual(['ada']);
    expect(await found(`${CUSTOM}:regions eq "apac"`)).toEqual(['ada']);
    expect(await found(`${CUSTOM}:regions pr`)).toEqual(['ada']);
    expect(await found(`${CUSTOM}:team ne "Sales"`)).toEqual(['grace', 'joan']);
    expect(await found(`not (${CUSTOM}:floor pr) and ${CUSTOM}:desk ne "1"`)).toEqual(['joan']);
    expect(await found(`${CUSTOM}:x' eq "x'"`)).toEqual([]);
    const body = { filter: parseFilter('User', `${CUSTOM}:floor gt 3`), offset: 0, limit: 10 };
    expect(await platform.refusal(tenant.admin, 'findProvisionedUsers', { body })).toBe('scim.invalid_filter');
  });
});

/** The tenant has an administrator besides. */
const isPerson = (userName: string): boolean => ['ada', 'grace', 'joan', 'mary'].includes(userName);
