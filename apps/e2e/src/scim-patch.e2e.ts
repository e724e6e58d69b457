import { ENTERPRISE, PATCH_OP, USER } from '@plinth/scim-protocol';
import type { ApiClient } from './harness/api-client';
import { bodyOf, expectScimError, newPerson, ScimResources, type Json } from './harness/scim-resources';
import { onNats } from './harness/topologies';
import type { Topology } from './harness/topology';

describe.each(onNats)('changing users by SCIM: %s', (_name, start) => {
  let topology: Topology;
  let client: ApiClient;
  let users: ScimResources;

  beforeAll(async () => {
    topology = await start();
    const { token } = await topology.admin.call('createScimToken', { body: { name: 'Entra' } });
    client = topology.admin.as(`Bearer ${token}`);
    users = new ScimResources(client, 'Users');
  });
  afterAll(() => topology?.stop());

  const create = (more: Json = {}): Promise<Json> => users.create({ userName: newPerson(), ...more });
  const changed = async (id: unknown, ...operations: Json[]): Promise<Json> => {
    const reply = await users.patch(id, ...operations);
    expect({ operations, ...reply }).toMatchObject({ operations, status: 200 });
    return bodyOf(reply);
  };

  it('35 refuses what is no PATCH', async () => {
    const before = await create();
    const path = `${users.path}/${String(before['id'])}`;
    const Operations = [{ op: 'replace', path: 'title', value: 'Boss' }];
    for (const body of [
      { Operations },
      { schemas: [], Operations },
      { schemas: [USER], Operations },
      { schemas: [PATCH_OP] },
      { schemas: [PATCH_OP], Operations: [] },
      { schemas: [PATCH_OP], Operations: {} },
      { schemas: [PATCH_OP], Operations: [{ op: 'move', path: 'title' }] },
      { schemas: [PATCH_OP], Operations: [{ path: 'title', value: 'x' }] },
      { schemas: [PATCH_OP], Operations: ['replace'] },
    ]) {
      const reply = await client.send('PATCH', path, { body });
      expect([body, reply.status]).toEqual([body, 400]);
      expectScimError(reply, 400, 'Operations' in body && Array.isArray(body.Operations) ? undefined : 'invalidSyntax');
    }
    expect(await users.read(before['id'])).toEqual(before);
  });

  it.each([
    [{ op: 'remove' }, 'noTarget'],
    [{ op: 'remove', path: 'userName' }, 'mutability'],
    [{ op: 'replace', path: 'id', value: '1' }, 'mutability'],
    [{ op: 'replace', path: 'meta.version', value: '1' }, 'mutability'],
    [{ op: 'add', path: 'groups', value: [{ value: '1' }] }, 'mutability'],
    [{ op: 'replace', path: 'shoeSize', value: '1' }, 'invalidPath'],
    [{ op: 'replace', path: 'userName[type eq "work"]', value: '1' }, 'invalidPath'],
    [{ op: 'replace', path: 'emails[type eq "work"].size', value: '1' }, 'invalidPath'],
    [{ op: 'replace', path: 'emails[type eq', value: '1' }, 'invalidFilter'],
    [{ op: 'replace', path: 'emails[type regex "x"]', value: '1' }, 'invalidFilter'],
    [{ op: 'replace', path: 'userName', value: '' }, 'invalidValue'],
    [{ op: 'replace', path: 'userName', value: null }, 'invalidValue'],
    [{ op: 'replace', value: { userName: null } }, 'invalidValue'],
    [{ op: 'replace', path: 'active', value: 'maybe' }, 'invalidValue'],
    [{ op: 'replace', path: 'emails[type eq "nonexistent"]', value: { value: 'x' } }, 'noTarget'],
    [{ op: 'replace', path: 'title' }, 'invalidValue'],
    [{ op: 'replace', path: 'name', value: 'Jane Doe' }, 'invalidValue'],
    [{ op: 'replace', value: { name: { nick: 'x' } } }, 'invalidValue'],
    [{ op: 'replace', path: 'emails[type eq "work"]', value: { foo: 'x' } }, 'invalidValue'],
    [{ op: 'replace', path: 'emails', value: [{ foo: 'x' }] }, 'invalidValue'],
    [{ op: 'replace', path: `${ENTERPRISE}:manager.$ref`, value: 'x' }, 'mutability'],
    [{ op: 'replace', path: `${ENTERPRISE}:manager.displayName`, value: 'x' }, 'mutability'],
  ])(
    '36, 42, 43, 45, 52, 76, 82, 117, 120 refuses %p with %s, and the operations around it',
    async (operation, scimType) => {
      const before = await create({ emails: [{ value: newPerson(), type: 'work' }] });
      const title = { op: 'replace', path: 'title', value: 'X' };
      expectScimError(await users.patch(before['id'], title, operation, title), 400, scimType);
      expect(await users.read(before['id'])).toEqual(before);
    },
  );

  it('46, 82 projects the reply, and clears what is set to nothing', async () => {
    const { id } = await create({ title: 'Boss', nickName: 'B', name: { givenName: 'A', familyName: 'B' } });
    const operations = [
      { op: 'Replace', path: 'title', value: '' },
      { op: 'Replace', path: 'nickName', value: null },
      { op: 'Replace', path: 'name.familyName', value: '' },
    ];
    const reply = await users.patchWith(id, operations, { query: { attributes: 'userName' } });
    expect(reply.status).toBe(200);
    expect(Object.keys(bodyOf(reply)).sort()).toEqual(['id', 'schemas', 'userName']);
    const after = await users.read(id);
    for (const name of ['title', 'nickName', 'name.familyName']) expect(after).not.toHaveProperty(name);
    expect(after).toMatchObject({ name: { givenName: 'A' } });
  });

  it('37, 38, 40, 41 changes lists of addresses', async () => {
    const [first, second, third] = [newPerson(), newPerson(), newPerson()];
    const work = { value: first, type: 'work', primary: true };
    const { id, meta } = await create({ emails: [work] });
    expect((await changed(id, { op: 'add', path: 'emails', value: [work] }))['meta']).toEqual(meta);
    const home = { value: second, type: 'home', primary: true };
    const { emails } = await changed(id, { op: 'add', path: 'emails', value: [home] });
    expect(emails).toEqual([{ ...work, primary: false }, home]);
    const removed = await changed(id, { op: 'remove', path: 'emails[type eq "home"]' });
    expect(removed['emails']).toMatchObject([{ value: first }]);
    const replaced = await changed(id, { op: 'replace', value: { emails: [{ value: third, type: 'other' }] } });
    expect(replaced['emails']).toEqual([{ value: third, type: 'other' }]);
    expect(await changed(id, { op: 'remove', path: 'emails[type eq "other"]' })).not.toHaveProperty('emails');
    await changed(id, { op: 'add', path: 'emails', value: { value: first } });
    expect(await changed(id, { op: 'remove', path: 'emails' })).not.toHaveProperty('emails');
  });

  it('39 keeps the parts of a complex attribute that are not mentioned', async () => {
    const { id } = await create({ name: { givenName: 'A', familyName: 'B', middleName: 'M' } });
    await changed(id, { op: 'replace', path: 'name', value: { familyName: 'C' } });
    const after = await changed(id, { op: 'replace', value: { name: { middleName: 'N' } } });
    expect(after['name']).toEqual({ givenName: 'A', familyName: 'C', middleName: 'N' });
  });

  it('118 clears the part that is null or empty, and no other', async () => {
    const address = newPerson();
    const emails = [{ value: address, type: 'work', display: 'W' }];
    const { id } = await create({ emails, name: { givenName: 'A', familyName: 'B', middleName: 'M' } });
    const cleared = await changed(id, { op: 'replace', value: { name: { middleName: null } } });
    expect(cleared['name']).toEqual({ givenName: 'A', familyName: 'B' });
    const after = await changed(
      id,
      { op: 'replace', path: 'name', value: { familyName: '', givenName: 'C' } },
      { op: 'replace', path: 'emails[type eq "work"]', value: { display: null } },
    );
    expect([after['name'], (after['emails'] as Json[])[0]]).toEqual([
      { givenName: 'C' },
      { value: address, type: 'work' },
    ]);
  });

  it('119 takes an extension as a path, and removes it as a whole', async () => {
    const { id, userName } = await create({ [ENTERPRISE]: { department: 'd', division: 'e' } });
    const after = await changed(id, { op: 'replace', path: ENTERPRISE, value: { department: 'f', costCenter: '7' } });
    expect(after[ENTERPRISE]).toEqual({ department: 'f', division: 'e', costCenter: '7' });
    const bare = await changed(id, { op: 'remove', path: ENTERPRISE });
    expect(bare).toMatchObject({ schemas: [USER], userName });
    expect(bare).not.toHaveProperty([ENTERPRISE]);
  });

  it('44, 80 takes names in any case and with their URN, and names the schemas that are in use', async () => {
    const userName = newPerson();
    const { id } = await create();
    const renamed = newPerson();
    await changed(id, { op: 'replace', path: 'USERNAME', value: userName });
    await changed(id, { op: 'replace', path: `${USER}:userName`, value: renamed });
    await changed(id, { op: 'replace', value: { [ENTERPRISE]: { department: 'd' } } });
    const after = await changed(id, { op: 'add', path: `${ENTERPRISE.toUpperCase()}:costCenter`, value: '7' });
    expect(after).toMatchObject({
      schemas: [USER, ENTERPRISE],
      userName: renamed,
      [ENTERPRISE]: { department: 'd', costCenter: '7' },
    });
    const bare = await changed(
      id,
      { op: 'Remove', path: `${ENTERPRISE}:costCenter` },
      { op: 'Replace', path: `${ENTERPRISE}:department`, value: '' },
    );
    expect(bare['schemas']).toEqual([USER]);
    expect(bare).not.toHaveProperty([ENTERPRISE]);
  });

  it('59, 60, 76, 93 deactivates and reactivates in every dialect, and shows the user all the while', async () => {
    const { id, userName } = await create();
    for (const [operation, active] of [
      [{ op: 'replace', value: { active: false } }, false],
      [{ op: 'replace', value: { active: true } }, true],
      [{ op: 'Replace', path: 'active', value: 'False' }, false],
      [{ op: 'ADD', path: 'active', value: 'True' }, true],
      [{ op: 'replace', value: { ACTIVE: 'false' } }, false],
    ] as const) {
      expect(await changed(id, operation)).toMatchObject({ active });
      expect(await users.read(id)).toMatchObject({ active });
      expect(await users.find(`userName eq "${String(userName)}"`)).toMatchObject([{ id, active }]);
    }
  });

  it('60, 82 gives no access back by taking the word of it away', async () => {
    const { id } = await create({ active: false });
    for (const operation of [
      { op: 'remove', path: 'active' },
      { op: 'replace', path: 'active', value: null },
      { op: 'replace', value: { active: '' } },
    ]) {
      expect(await changed(id, operation)).toMatchObject({ active: false });
    }
  });

  it('77, 78, 83 fills in values of lists that are named by their kind', async () => {
    const { id } = await create();
    const address = newPerson();
    await changed(id, { op: 'Add', path: 'emails[type eq "work"].value', value: newPerson() });
    await changed(id, { op: 'Replace', path: 'emails[type eq "Work"].value', value: address });
    const after = await changed(
      id,
      { op: 'Add', path: 'addresses[type eq "work"].formatted', value: 'Street 1' },
      { op: 'Add', path: 'addresses[type eq "work"].locality', value: 'Town' },
      { op: 'Add', path: 'roles[primary eq "True"].value', value: 'reader' },
    );
    expect(after).toMatchObject({
      emails: [{ type: 'work', value: address }],
      addresses: [{ type: 'work', formatted: 'Street 1', locality: 'Town' }],
      roles: [{ primary: true, value: 'reader' }],
    });
  });

  it.each(['replace', 'add'])('79 sets dotted keys and keys with a URN by one %s', async (op) => {
    const { id } = await create();
    const value = {
      'name.givenName': 'a',
      'name.familyName': 'b',
      [`${ENTERPRISE}:employeeNumber`]: '1',
      displayName: 'c',
      id: 'ignored',
      shoeSize: 'ignored',
    };
    expect(await changed(id, { op, value })).toMatchObject({
      id,
      name: { givenName: 'a', familyName: 'b' },
      displayName: 'c',
      [ENTERPRISE]: { employeeNumber: '1' },
    });
  });

  it('81 sets and clears the manager in every form', async () => {
    const { id: boss } = await create();
    const { id } = await create();
    const path = `${ENTERPRISE}:manager`;
    const removals = [
      { op: 'Replace', path, value: '' },
      { op: 'Replace', path, value: null },
      { op: 'Remove', path },
      { op: 'Replace', path, value: [{ $ref: null, value: '' }] },
    ];
    const forms = [boss, { value: boss }, [{ $ref: 'x', value: boss }], { managerId: boss, value: boss }];
    for (const [at, value] of forms.entries()) {
      const set = await changed(id, { op: 'Add', path, value });
      expect(set).toMatchObject({
        [ENTERPRISE]: { manager: { value: boss, $ref: expect.stringMatching(new RegExp(`/Users/${String(boss)}$`)) } },
      });
      expect(await changed(id, removals[at] ?? {})).not.toHaveProperty([ENTERPRISE]);
    }
  });
});
