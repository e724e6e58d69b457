import 'reflect-metadata';
import { newTenant, type TestTenant } from '../../testing/access-fixture';
import { startFixture, transports, type Fixture } from '../../testing/deployment-fixture';

describe.each(transports)('settings of provisioning over %s', (transport) => {
  let platform: Fixture;
  let tenant: TestTenant;

  beforeAll(async () => {
    platform = await startFixture(transport);
  });
  afterAll(() => platform.stop());
  beforeEach(async () => {
    tenant = await newTenant(platform);
    await tenant.allowPersonalKeys(true);
  });

  const get = () => platform.call(tenant.admin, 'getScimSettings');
  const put = (body: object) => platform.call(tenant.admin, 'updateScimSettings', { body });
  const refusalOf = (body: object) =>
    put(body).then(
      () => Promise.reject(new Error('The settings were not refused')),
      ({ code, details }: { code: string; details?: { path: string }[] }) => [code, details?.[0]?.path],
    );
  const newRole = async (name: string): Promise<number> =>
    (await platform.call(tenant.admin, 'createRole', { body: { name, policies: [] } })).id;
  const deleteRole = (roleId: number) => platform.call(tenant.admin, 'deleteRole', { path: { roleId } });

  it('are for administrators alone, and for keys that are not limited to deployments', async () => {
    const viewer = await tenant.newUser();
    const path = { roleId: await tenant.builtInRole('Viewer'), userId: viewer };
    await platform.call(tenant.admin, 'assignRoleToUser', { path });
    for (const operationId of ['getScimSettings', 'updateScimSettings'] as const) {
      expect(await platform.refusal(await tenant.principalOf(viewer), operationId, { body: {} })).toBe('access.denied');
    }
    const limited = { ...tenant.admin, deploymentIds: [1] };
    expect(await platform.refusal(limited, 'updateScimSettings', { body: {} })).toMatch(/^access\./);
  });

  it('refuse Admin, unknown roles and those of another tenant, and tell where they stand', async () => {
    const foreign = await (await newTenant(platform)).builtInRole('Viewer');
    const roleId = await tenant.builtInRole('Viewer');
    for (const wrong of [await tenant.builtInRole('Admin'), 999_999, foreign]) {
      expect(await refusalOf({ defaultRoleId: wrong })).toEqual(['request.invalid', '/body/defaultRoleId']);
      const groupRoles = [
        { groupName: 'A', roleId },
        { groupName: 'B', roleId: wrong },
      ];
      expect(await refusalOf({ groupRoles })).toEqual(['request.invalid', '/body/groupRoles/1/roleId']);
    }
    expect(await get()).toMatchObject({ defaultRoleId: roleId, groupRoles: [] });
  });

  it('refuse a group that is named twice, in whatever case, and keep what was there', async () => {
    const roleId = await tenant.builtInRole('Explorer');
    await put({ groupRoles: [{ groupName: 'Sales', roleId }] });
    const groupRoles = ['Finance', 'SÄLES', 'säles'].map((groupName) => ({ groupName, roleId }));
    expect(await refusalOf({ defaultRoleId: roleId, groupRoles })).toEqual([
      'request.invalid',
      '/body/groupRoles/2/groupName',
    ]);
    expect(await get()).toMatchObject({
      defaultRoleId: await tenant.builtInRole('Viewer'),
      groupRoles: [{ groupName: 'Sales', roleId }],
    });
  });

  it('begin with Viewer and nothing else, and name the roles that can be given', async () => {
    const [developer, explorer, viewer] = await Promise.all(
      ['Developer', 'Explorer', 'Viewer'].map((name) => tenant.builtInRole(name)),
    );
    expect(await get()).toEqual({
      defaultRoleId: viewer,
      groupRoles: [],
      roles: [
        { id: developer, name: 'Developer' },
        { id: explorer, name: 'Explorer' },
        { id: viewer, name: 'Viewer' },
      ],
    });
  });

  it('keep what is not sent, keep the order of groups, and go back to Viewer with null', async () => {
    const custom = await newRole('Analysts');
    const groupRoles = [
      { groupName: 'Zebras', roleId: custom },
      { groupName: 'Ants', roleId: await tenant.builtInRole('Developer') },
    ];
    await put({ defaultRoleId: custom });
    const changed = await put({ groupRoles });
    expect(changed).toMatchObject({ defaultRoleId: custom, groupRoles });
    expect(changed.roles).toContainEqual({ id: custom, name: 'Analysts' });
    expect(await put({})).toEqual(changed);
    expect(await put({ defaultRoleId: null })).toMatchObject({
      defaultRoleId: await tenant.builtInRole('Viewer'),
      groupRoles,
    });
    expect(await put({ groupRoles: [] })).toMatchObject({ groupRoles: [] });
  });

  it('fall back to Viewer, and lose the entries, when the role is deleted', async () => {
    const [gone, kept] = [await newRole('Gone'), await newRole('Kept')];
    await put({
      defaultRoleId: gone,
      groupRoles: [
        { groupName: 'A', roleId: gone },
        { groupName: 'B', roleId: kept },
      ],
    });
    await deleteRole(gone);
    expect(await get()).toMatchObject({
      defaultRoleId: await tenant.builtInRole('Viewer'),
      groupRoles: [{ groupName: 'B', roleId: kept }],
    });
    await put({ groupRoles: [{ groupName: 'A', roleId: kept }] });
    expect((await get()).groupRoles).toEqual([{ groupName: 'A', roleId: kept }]);
  });

  it('are one of several lists that are put at once, never a mixture', async () => {
    const roleId = await tenant.builtInRole('Explorer');
    const lists = ['a', 'b', 'c', 'd'].map((letter) =>
      Array.from({ length: 20 }, (_, index) => ({ groupName: `${letter} ${index}`, roleId })),
    );
    await Promise.all(lists.map((groupRoles) => put({ groupRoles })));
    expect(lists).toContainEqual((await get()).groupRoles);
  });

  it("are each tenant's own", async () => {
    await put({ groupRoles: [{ groupName: 'Sales', roleId: await tenant.builtInRole('Explorer') }] });
    const stranger = await newTenant(platform);
    expect((await platform.call(stranger.admin, 'getScimSettings')).groupRoles).toEqual([]);
  });
});
