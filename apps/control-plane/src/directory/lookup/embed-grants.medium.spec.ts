import 'reflect-metadata';
import { systemPrincipal } from '@plinth/auth';
import { newTenant, type TestTenant } from '../../testing/access-fixture';
import { startFixture, type Fixture } from '../../testing/deployment-fixture';

describe('what the control plane tells the service that embeds', () => {
  let platform: Fixture;
  let tenant: TestTenant;

  beforeAll(async () => {
    platform = await startFixture();
  });
  afterAll(() => platform.stop());
  beforeEach(async () => {
    tenant = await newTenant(platform);
  });

  const nothing = { groups: [], groupIds: [], userAttributes: [] };
  const resolve = (request: object) =>
    platform.call(systemPrincipal(tenant.id), 'resolveEmbedGrants', { body: { ...nothing, ...request } });
  const refusal = (request: object) =>
    platform.refusal(systemPrincipal(tenant.id), 'resolveEmbedGrants', { body: { ...nothing, ...request } });
  const newGroup = (name: string) => platform.call(tenant.admin, 'createUserGroup', { body: { name } });
  const newAttribute = (body: { name: string; type: 'number' | 'string_array'; defaultValue?: string }) =>
    platform.call(tenant.admin, 'createUserAttribute', { body });

  it('is for the platform alone', async () => {
    expect(await platform.refusal(tenant.admin, 'resolveEmbedGrants', { body: nothing })).toBe('access.denied');
  });

  it("refuses a name that there is not, be it another tenant's or of another case", async () => {
    await newGroup('Finance');
    expect(await refusal({ groups: ['Finance', 'finance'] })).toBe('user_group.unknown_name');
    expect(await refusal({ userAttributes: [{ name: 'plant', value: 1 }] })).toBe('user_attribute.unknown_name');
    tenant = await newTenant(platform);
    expect(await refusal({ groups: ['Finance'] })).toBe('user_group.unknown_name');
  });

  it('refuses a value of another type, and an attribute that is named twice', async () => {
    await newAttribute({ name: 'plant', type: 'number' });
    expect(await refusal({ userAttributes: [{ name: 'plant', value: '7' }] })).toBe('user_attribute.wrong_type');
    const twice = [7, 8].map((value) => ({ name: 'plant', value }));
    expect(await refusal({ userAttributes: twice })).toBe('request.invalid');
    expect(await resolve({ userAttributes: [{ name: 'plant', value: null }] })).toMatchObject({ groups: [] });
  });

  it('is that an account embeds, until it switches that off', async () => {
    const describeEmbedding = () => platform.call(systemPrincipal(tenant.id), 'describeEmbedding', { body: {} });
    expect(await platform.refusal(tenant.admin, 'describeEmbedding', { body: {} })).toBe('access.denied');
    const standard = { origins: [], locale: null, timeZone: null, hasComments: true, allowsAi: true };
    expect(await describeEmbedding()).toEqual({ isEnabled: true, ...standard });
    await platform.call(tenant.admin, 'updateTenantSettings', {
      body: { embeddingEnabled: false, embedOrigins: ['https://app.example.com'] },
    });
    expect(await describeEmbedding()).toMatchObject({ isEnabled: false, origins: ['https://app.example.com'] });
  });

  it('finds groups by names and ids, and all attributes with their defaults', async () => {
    const [finance, sales] = [await newGroup('Finance'), await newGroup('Sales')];
    await newGroup('Others');
    const plant = await newAttribute({ name: 'plant', type: 'number' });
    const regions = await newAttribute({ name: 'regions', type: 'string_array', defaultValue: '["EU"]' });
    expect(await resolve({ groups: ['Sales'], groupIds: [finance.id, 999_999_999] })).toEqual({
      groups: [
        { id: finance.id, name: 'Finance' },
        { id: sales.id, name: 'Sales' },
      ],
      attributes: [
        { id: plant.id, name: 'plant', defaultValue: null },
        { id: regions.id, name: 'regions', defaultValue: ['EU'] },
      ],
    });
  });
});
