import { CUSTOM, ENTERPRISE, GROUP, PATCH_OP, USER } from './schemas';
import { readPatch, type Change, type MemberChange } from './patch';

type Json = Record<string, unknown>;

const changes = (...Operations: unknown[]): Change[] => readPatch('User', { schemas: [PATCH_OP], Operations }).changes;
const members = (...Operations: unknown[]): MemberChange[] =>
  readPatch('Group', { schemas: [PATCH_OP], Operations }).members;
const at = (name: string, sub?: string, schema = USER) => ({ schema, name, ...(sub && { sub }) });
const type = (value: string) => ({ kind: 'compare', path: at('emails', 'type'), operator: 'eq', value });

describe('what is no PATCH', () => {
  const operation = { op: 'add', path: 'title', value: 'x' };

  it.each<[string, Json]>([
    ['without schemas', { Operations: [operation] }],
    ['of another schema', { schemas: [USER], Operations: [operation] }],
    ['without operations', { schemas: [PATCH_OP] }],
    ['with no operation', { schemas: [PATCH_OP], Operations: [] }],
    ['with 1,001 operations', { schemas: [PATCH_OP], Operations: Array(1_001).fill(operation) }],
    ['with an operation that is a text', { schemas: [PATCH_OP], Operations: ['add'] }],
    ['with an unknown operation', { schemas: [PATCH_OP], Operations: [{ ...operation, op: 'move' }] }],
    ['without op', { schemas: [PATCH_OP], Operations: [{ path: 'title' }] }],
    ['with a path that is no text', { schemas: [PATCH_OP], Operations: [{ ...operation, path: 7 }] }],
  ])('%s is refused', (_what, body) => {
    expect(() => readPatch('User', body)).toThrow(expect.objectContaining({ code: 'scim.invalid_syntax' }));
  });

  it.each<[Json, string]>([
    [{ op: 'remove' }, 'scim.no_target'],
    [{ op: 'replace', value: 'x' }, 'scim.invalid_value'],
    [{ op: 'replace', path: 'shoeSize', value: 'x' }, 'scim.invalid_path'],
    [{ op: 'replace', path: 'schemas', value: 'x' }, 'scim.invalid_path'],
    [{ op: 'replace', path: '', value: 'x' }, 'scim.invalid_value'],
    [{ op: 'replace', path: 'emails[type eq "work"].value.x', value: 'x' }, 'scim.invalid_path'],
    [{ op: 'replace', path: 'emails[type eq "work"] x', value: 'x' }, 'scim.invalid_filter'],
    [{ op: 'replace', path: 'emails[', value: 'x' }, 'scim.invalid_filter'],
    [{ op: 'replace', path: 'name[type eq "work"]', value: 'x' }, 'scim.invalid_path'],
    [{ op: 'replace', path: 'meta.created', value: 'x' }, 'scim.mutability'],
    [{ op: 'replace', path: `${ENTERPRISE}:manager.$ref`, value: 'x' }, 'scim.mutability'],
    [{ op: 'replace', path: `${ENTERPRISE}:manager.displayName`, value: 'x' }, 'scim.mutability'],
    [{ op: 'remove', path: `${ENTERPRISE}:manager.displayName` }, 'scim.mutability'],
    [{ op: 'replace', path: `${ENTERPRISE}:manager`, value: { displayName: 'x' } }, 'scim.mutability'],
    [{ op: 'remove', path: 'userName' }, 'scim.mutability'],
    [{ op: 'remove', path: USER }, 'scim.mutability'],
    [{ op: 'replace', path: 'userName', value: '' }, 'scim.invalid_value'],
    [{ op: 'replace', path: 'title', value: {} }, 'scim.invalid_value'],
    [{ op: 'replace', path: 'title', value: 'x'.repeat(8_193) }, 'scim.invalid_value'],
    [{ op: 'replace', path: 'active', value: 'perhaps' }, 'scim.invalid_value'],
  ])('%j is refused with %s', (operation, code) => {
    expect(() => changes(operation)).toThrow(expect.objectContaining({ code }));
  });

  it.each<Json>([
    { op: 'add', path: 'title' },
    { op: 'replace', path: 'title' },
    { op: 'replace', path: 'emails[type eq "work"].value' },
    { op: 'replace', path: ENTERPRISE },
    { op: 'replace', path: ENTERPRISE, value: 'x' },
    { op: 'replace', path: ENTERPRISE, value: { shoeSize: 1 } },
    { op: 'replace', value: { [ENTERPRISE]: 'x' } },
    { op: 'replace', path: 'title', value: ['x', 'y'] },
    { op: 'replace', path: 'name', value: 'Jane Doe' },
    { op: 'replace', path: 'name', value: true },
    { op: 'replace', path: 'name', value: {} },
    { op: 'replace', path: 'name', value: { nick: 'x' } },
    { op: 'replace', path: 'name', value: { givenName: {} } },
    { op: 'replace', value: { name: { nick: 'x' } } },
    { op: 'replace', value: { name: 'Jane Doe' } },
    { op: 'add', path: 'emails', value: [{ foo: 'x' }] },
    { op: 'replace', path: 'emails', value: { foo: 'x' } },
    { op: 'replace', path: 'emails', value: [{ value: 'x' }, { foo: 'x' }] },
    { op: 'replace', path: 'emails', value: [{ value: null }] },
    { op: 'replace', path: 'emails', value: [null] },
    { op: 'replace', path: 'emails', value: [['x']] },
    { op: 'replace', path: 'emails[type eq "work"]', value: { foo: 'x' } },
    { op: 'replace', path: 'emails[type eq "work"]', value: [{ value: 'x' }, { value: 'y' }] },
    { op: 'replace', path: 'addresses[type eq "work"]', value: 'Street 1' },
  ])('%j says nothing that could be done', (operation) => {
    expect(() => changes(operation)).toThrow(expect.objectContaining({ code: 'scim.invalid_value' }));
  });
});

describe('every dialect comes out the same', () => {
  it.each<[string, unknown[], unknown[]]>([
    [
      'a path in any case, with or without its URN',
      [
        { op: 'Replace', path: 'TITLE', value: 'x' },
        { op: 'replace', path: `${USER}:title`, value: 'x' },
        { OP: 'REPLACE', PATH: 'title', Value: 'x' },
        { op: 'replace', value: { title: 'x' } },
        { op: 'replace', value: { [`${USER}:Title`]: 'x' } },
        { op: 'replace', value: { [USER]: { title: 'x' } } },
      ],
      [{ op: 'replace', path: at('title'), value: 'x' }],
    ],
    [
      'dots and extensions',
      [
        { op: 'add', path: `${ENTERPRISE}:department`, value: 'd' },
        { op: 'add', value: { [`${ENTERPRISE}:department`]: 'd' } },
        { op: 'add', value: { [ENTERPRISE]: { department: 'd' } } },
        { op: 'add', value: { [ENTERPRISE.replace(':User', 'User')]: { department: 'd' } } },
      ],
      [{ op: 'add', path: at('department', undefined, ENTERPRISE), value: 'd' }],
    ],
    [
      'parts of a complex attribute',
      [
        { op: 'replace', path: 'name.givenName', value: 'x' },
        { op: 'replace', value: { 'name.givenName': 'x' } },
      ],
      [{ op: 'replace', path: at('name', 'givenName'), value: 'x' }],
    ],
    [
      'booleans',
      [true, 'True', 'TRUE', ['true']].map((value) => ({ op: 'Add', path: 'active', value })),
      [{ op: 'add', path: at('active'), value: true }],
    ],
    [
      'managers',
      ['7', 7, { value: '7' }, [{ $ref: '../7', value: '7' }]].map((value) => ({
        op: 'add',
        path: `${ENTERPRISE}:manager`,
        value,
      })),
      [{ op: 'add', path: at('manager', undefined, ENTERPRISE), value: { value: '7' } }],
    ],
    [
      'nothing',
      [
        { op: 'Remove', path: 'title' },
        ...['', null, []].map((value) => ({ op: 'Replace', path: 'title', value })),
        { op: 'add', path: 'title', value: '' },
      ],
      [{ op: 'remove', path: at('title') }],
    ],
    [
      'the whole of an extension',
      [
        { op: 'Remove', path: ENTERPRISE },
        { op: 'replace', path: ENTERPRISE.toUpperCase(), value: null },
        { op: 'replace', value: { [ENTERPRISE]: null } },
      ],
      [{ op: 'remove', path: at('', undefined, ENTERPRISE) }],
    ],
    [
      'an extension as a path',
      [
        { op: 'replace', path: ENTERPRISE, value: { department: 'd', shoeSize: 1 } },
        { op: 'replace', value: { [ENTERPRISE]: { Department: 'd' } } },
      ],
      [{ op: 'replace', path: at('department', undefined, ENTERPRISE), value: 'd' }],
    ],
    [
      'parts to set and parts to clear',
      [
        { op: 'replace', path: 'name', value: { GIVENNAME: 'x', middleName: null, nick: 'y' } },
        { op: 'replace', path: 'name', value: [{ givenName: 'x', middleName: '' }] },
        { op: 'replace', value: { name: { givenName: 'x', middleName: [] } } },
      ],
      [{ op: 'replace', path: at('name'), value: { givenName: 'x', middleName: null } }],
    ],
    [
      'values that a condition chooses',
      ['emails[type eq "work"].value', 'Emails[Type EQ "work"].Value', ' emails [ type eq work ] .value '].map(
        (path) => ({
          op: 'replace',
          path,
          value: 'x',
        }),
      ),
      [{ op: 'replace', path: at('emails', 'value'), filter: type('work'), value: 'x' }],
    ],
    [
      'facts of the tenant',
      [
        { op: 'replace', path: `${CUSTOM}:team`, value: 'x' },
        { op: 'replace', value: { [CUSTOM]: { team: 'x' } } },
        { op: 'replace', value: { [`${CUSTOM}:team`]: 'x' } },
      ],
      [{ op: 'replace', path: at('team', undefined, CUSTOM), value: 'x' }],
    ],
  ])('%s', (_what, operations, expected) => {
    for (const operation of operations) expect(changes(operation)).toEqual(expected);
  });

  it('keys that stand for nothing or belong to the service are left out', () => {
    const value = {
      ...{ id: '1', meta: {}, groups: [], schemas: [], password: 'x', shoeSize: 1, __proto__: { a: 1 } },
      ...{ [ENTERPRISE]: { shoeSize: 1 }, [`${ENTERPRISE}:manager.displayName`]: 'x' },
    };
    expect(changes({ op: 'replace', value })).toEqual([]);
    expect(changes({ op: 'replace', path: 'password', value: 'x' })).toEqual([]);
  });

  it('an empty list adds nothing, and replaces everything', () => {
    expect(changes({ op: 'add', path: 'emails', value: [] })).toEqual([{ op: 'add', path: at('emails') }]);
    expect(changes({ op: 'replace', path: 'emails', value: [] })).toEqual([{ op: 'remove', path: at('emails') }]);
  });
});

describe('members of a group', () => {
  it.each([[[]], [''], [null], [[{}]], [[{ value: '' }]], [{ display: 'x' }], [[null]], [true]])(
    'are not removed by %j, which names nobody',
    (value) => {
      expect(() => members({ op: 'remove', path: 'members', value })).toThrow(
        expect.objectContaining({ code: 'scim.invalid_value' }),
      );
    },
  );

  it.each([
    ['members[display eq "x"]', 'scim.invalid_filter'],
    ['members[value ne "1"]', 'scim.invalid_filter'],
    ['members[not (value eq "1")]', 'scim.invalid_filter'],
    ['members[value eq "1" and value eq "2"]', 'scim.invalid_filter'],
    ['members.display', 'scim.mutability'],
    ['members[value eq "1"].display', 'scim.mutability'],
    ['members.value', 'scim.invalid_path'],
  ])('are not removed by %s', (path, code) => {
    expect(() => members({ op: 'remove', path })).toThrow(expect.objectContaining({ code }));
  });

  it.each<[string, unknown, MemberChange]>([
    ['Okta removing', { op: 'remove', path: 'members[value eq "1"]' }, { op: 'remove', ids: ['1'] }],
    [
      'Entra removing',
      { op: 'Remove', path: 'members', value: [{ $ref: null, value: '1' }] },
      { op: 'remove', ids: ['1'] },
    ],
    [
      'several at once',
      { op: 'remove', path: 'members[value eq "1" or value eq "2"]' },
      { op: 'remove', ids: ['1', '2'] },
    ],
    ['everybody', { op: 'remove', path: 'members' }, { op: 'replace', ids: [] }],
    ['adding', { op: 'Add', path: 'members', value: [{ value: '1' }, '1', 2] }, { op: 'add', ids: ['1', '2'] }],
    ['a bare id', { op: 'add', path: 'members', value: '1' }, { op: 'add', ids: ['1'] }],
    ['a push', { op: 'replace', path: 'members', value: [{ value: '1' }] }, { op: 'replace', ids: ['1'] }],
    ['an empty push', { op: 'replace', path: 'members', value: [] }, { op: 'replace', ids: [] }],
    ['an empty push without a path', { op: 'replace', value: { members: [] } }, { op: 'replace', ids: [] }],
    ['by URN', { op: 'add', path: `${GROUP}:members`, value: [{ VALUE: '1' }] }, { op: 'add', ids: ['1'] }],
  ])('%s', (_what, operation, expected) => {
    expect(members(operation)).toEqual([expected]);
  });

  it('are left alone by a rename', () => {
    const rename = { op: 'replace', value: { id: '1', displayName: 'N' } };
    expect(readPatch('Group', { schemas: [PATCH_OP], Operations: [rename] })).toEqual({
      changes: [{ op: 'replace', path: at('displayName', undefined, GROUP), value: 'N' }],
      members: [],
    });
  });
});
