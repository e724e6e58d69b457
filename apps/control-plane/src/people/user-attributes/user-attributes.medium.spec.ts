import 'reflect-metadata';
import type { Principal } from '@plinth/auth';
import { startFixture, transports, walk, type Fixture } from '../../testing/deployment-fixture';
import { announcedEvents } from '../../testing/recorded-actions-fixture';
import { newTenantAdmin, viewerBeside } from '../../testing/account-fixture';

describe.each(transports)('user attributes over %s', (transport) => {
  let platform: Fixture;
  let admin: Principal;

  beforeAll(async () => {
    platform = await startFixture(transport);
  });
  afterAll(() => platform.stop());
  beforeEach(async () => {
    admin = await newTenantAdmin(platform);
  });

  const create = (name: string, type = 'string', more: object = {}) =>
    platform.call(admin, 'createUserAttribute', { body: { name, type, ...more } });
  const list = (query: object = {}) => platform.call(admin, 'getUserAttributes', { query: { ...query } });
  const values = (by = admin) => platform.call(by, 'getUserAttributeValues', { path: { userId: admin.userId } });
  const set = (userAttributeId: number | string, value?: unknown) =>
    platform.call(admin, 'upsertUserAttributeValue', {
      body: { userId: String(admin.userId), userAttributeId, ...(value !== undefined && { value }) },
    });

  it.each([
    'getUserAttributes',
    'createUserAttribute',
    'updateUserAttribute',
    'deleteUserAttribute',
    'getUserAttributeValues',
    'upsertUserAttributeValue',
  ] as const)('refuses %s to everybody but administrators', async (operationId) => {
    const request = { path: { id: 1, userId: 1 }, body: { name: 'x', type: 'string', userId: 1, userAttributeId: 1 } };
    expect(await platform.refusal(viewerBeside(admin), operationId, request)).toBe('access.denied');
  });

  it("keeps another tenant's attributes and users out of reach", async () => {
    const { id } = await create('region');
    const stranger = await newTenantAdmin(platform);
    const path = { id, userId: admin.userId };
    for (const operationId of ['updateUserAttribute', 'deleteUserAttribute'] as const) {
      expect(await platform.refusal(stranger, operationId, { path, body: {} })).toBe('user_attribute.not_found');
    }
    expect(await platform.refusal(stranger, 'getUserAttributeValues', { path })).toBe('user.not_found');
    const foreign = (userId: number | null) => ({ body: { userId, userAttributeId: id, value: 'x' } });
    const upsert = 'upsertUserAttributeValue';
    expect(await platform.refusal(stranger, upsert, foreign(admin.userId))).toBe('user.not_found');
    expect(await platform.refusal(stranger, upsert, foreign(stranger.userId))).toBe('user_attribute.not_found');
    expect((await values())[0]).toMatchObject({ value: null });
  });

  it('refuses a name that is taken, from one of two at once', async () => {
    const outcomes = await Promise.allSettled([create('region'), create('region')]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const again = { body: { name: 'region', type: 'number' } };
    expect(await platform.refusal(admin, 'createUserAttribute', again)).toBe('user_attribute.name_taken');
  });

  it('refuses a default that is not of the type, new and changed', async () => {
    const body = { name: 'quota', type: 'number', defaultValue: 'many' };
    expect(await platform.refusal(admin, 'createUserAttribute', { body })).toBe('request.invalid');
    const { id } = await create('quota', 'number', { defaultValue: '5' });
    const change = { path: { id }, body: { defaultValue: '"5"' } };
    expect(await platform.refusal(admin, 'updateUserAttribute', change)).toBe('request.invalid');
    expect((await list()).items).toMatchObject([{ defaultValue: '5' }]);
  });

  it.each([
    ['string', 5],
    ['number', '5'],
    ['boolean', 'true'],
    ['string_array', [1]],
    ['string_array', 'a'],
    ['number_array', ['1']],
  ])('refuses for %s the value %j, and keeps what was set', async (type, wrong) => {
    const { id } = await create('fact', type);
    const body = { userId: admin.userId, userAttributeId: id, value: wrong };
    expect(await platform.refusal(admin, 'upsertUserAttributeValue', { body })).toBe('request.invalid');
    expect(await values()).toMatchObject([{ value: null }]);
  });

  it.each([
    ['string', 'south', '"north"', 'south'],
    ['number', 0, '5', '0'],
    ['boolean', false, 'true', 'false'],
    ['string_array', ['a', 'b'], '[]', 'a, b'],
    ['number_array', [1, 2.5], '[3]', '1, 2.5'],
  ])('gives a user of the type %s the value %j, again and again', async (type, value, defaultValue, formattedValue) => {
    const { id, name } = await create('fact', type, { defaultValue, displayName: 'Fact' });
    const expected = { userId: admin.userId, userAttributeId: id, name, type, value, formattedValue };
    expect(await set(String(id), value)).toMatchObject(expected);
    await set(id, value);
    expect(await values()).toMatchObject([{ ...expected, displayName: 'Fact' }]);
  });

  it('shows the default until there is a value, and no value where the user is expressly without one', async () => {
    const { id } = await create('quota', 'number', { defaultValue: '5' });
    expect(await values()).toMatchObject([{ value: 5, formattedValue: '5' }]);
    expect(await set(id)).toMatchObject({ value: null, formattedValue: null });
    expect(await values()).toMatchObject([{ value: null }]);
    await platform.call(admin, 'deleteUserAttribute', { path: { id } });
    expect(await values()).toEqual([]);
    expect(await announcedEvents(platform.database, admin.tenantId, 'user_attribute.deleted')).toEqual([
      { attributeId: id },
    ]);
  });

  it('changes what is given, with an empty body too, and clears with null', async () => {
    const { id } = await create('region', 'string', { description: 'where', defaultValue: 'north' });
    const update = (body?: object) => platform.call(admin, 'updateUserAttribute', { path: { id }, body });
    expect(await update({ displayName: 'Region' })).toMatchObject({ displayName: 'Region', description: 'where' });
    expect(await update({})).toMatchObject({ displayName: 'Region', defaultValue: 'north' });
    expect(await update()).toMatchObject({ displayName: 'Region' });
    expect(await update({ description: null, defaultValue: null })).toMatchObject({
      description: null,
      defaultValue: null,
    });
  });

  it('lists newest first in both styles with the same rows, and refuses both at once', async () => {
    for (const name of ['a', 'b', 'c']) await create(name, name === 'b' ? 'number' : 'string');
    const names = (rows: { name: string }[]) => rows.map(({ name }) => name);
    const slice = await list({ offset: 1, limit: 1 });
    expect([names(slice.items), names(slice.data), slice.count]).toEqual([['b'], ['b'], 3]);
    const seen = await walk((after) => list({ first: 2, ...(after !== undefined && { after }) }));
    expect(names(seen)).toEqual(['c', 'b', 'a']);
    expect(names((await list({ name: 'a' })).items)).toEqual(['a']);
    expect(await list({ type: 'number' })).toMatchObject({ items: [{ name: 'b' }], count: 1 });
    const mixed = { query: { first: 1, offset: 0 } };
    expect(await platform.refusal(admin, 'getUserAttributes', mixed)).toBe('request.invalid');
  });
});
