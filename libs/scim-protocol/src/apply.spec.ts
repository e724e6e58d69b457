import { applyChanges } from './apply';
import { readPatch } from './patch';
import type { Resource } from './resource';
import { CUSTOM, ENTERPRISE, PATCH_OP, USER } from './schemas';

const apply = (resource: Resource, ...Operations: unknown[]): Resource =>
  applyChanges(resource, readPatch('User', { schemas: [PATCH_OP], Operations }).changes);
const user = (core: Resource[string], more: Resource = {}): Resource => ({
  [USER]: { userName: 'a', ...core },
  ...more,
});
const work = { value: 'w', type: 'work' };
const home = { value: 'h', type: 'home' };

describe('changes of a resource', () => {
  it('leave the given one as it is, also when one of them fails', () => {
    const before = user({ title: 'T', emails: [work] });
    const copy = structuredClone(before);
    apply(before, { op: 'replace', path: 'title', value: 'U' }, { op: 'remove', path: 'emails' });
    const failing = { op: 'replace', path: 'emails[type eq "nonexistent"]', value: home };
    expect(() => apply(before, { op: 'replace', path: 'title', value: 'U' }, failing)).toThrow(
      expect.objectContaining({ code: 'scim.no_target' }),
    );
    expect(before).toEqual(copy);
  });

  it.each<[string, Resource, unknown]>([
    ['the same text', user({ title: 'T' }), { op: 'replace', path: 'title', value: 'T' }],
    ['the same address', user({ emails: [work, home] }), { op: 'add', path: 'emails', value: [home] }],
    ['no address', user({ emails: [work] }), { op: 'add', path: 'emails', value: [] }],
    ['a removal of nothing', user({ emails: [work] }), { op: 'remove', path: 'emails[type eq "fax"]' }],
    ['a removal of what is absent', user({}), { op: 'remove', path: `${ENTERPRISE}:manager` }],
    ['clearing a part of what is absent', user({}), { op: 'replace', path: 'name', value: { middleName: null } }],
    [
      'clearing a part of no value',
      user({ emails: [home] }),
      { op: 'replace', path: 'emails[type eq "work"]', value: { value: null } },
    ],
    ['a removal of an extension that is absent', user({}), { op: 'remove', path: ENTERPRISE }],
    ['the same part', user({ name: { givenName: 'G' } }), { op: 'add', value: { 'name.givenName': 'G' } }],
  ])('by %s change nothing', (_what, before, operation) => {
    expect(apply(before, operation)).toEqual(before);
  });

  it.each<[string, Resource, unknown[], Resource]>([
    [
      'parts that are not mentioned stay',
      user({ name: { givenName: 'G', familyName: 'F' } }),
      [{ op: 'replace', path: 'name', value: { familyName: 'N' } }],
      user({ name: { givenName: 'G', familyName: 'N' } }),
    ],
    [
      'a part that is null or empty is cleared alone',
      user({ name: { givenName: 'G', middleName: 'M', familyName: 'F' }, addresses: [{ type: 'work', region: 'R' }] }),
      [
        { op: 'replace', value: { name: { middleName: null } } },
        { op: 'replace', path: 'name', value: { givenName: 'H', familyName: '' } },
        { op: 'replace', path: 'addresses[type eq "work"]', value: { region: null, locality: 'L' } },
      ],
      user({ name: { givenName: 'H' }, addresses: [{ type: 'work', locality: 'L' }] }),
    ],
    [
      'a value that a condition chooses keeps its other parts',
      user({ emails: [{ ...work, display: 'W' }, home] }),
      [{ op: 'replace', path: 'emails[type eq "work"]', value: { display: null } }],
      user({ emails: [work, home] }),
    ],
    [
      'an extension goes as a whole, and alone',
      user({ title: 'T' }, { [ENTERPRISE]: { department: 'd', division: 'e' }, [CUSTOM]: { team: 'x' } }),
      [{ op: 'remove', path: ENTERPRISE }],
      user({ title: 'T' }, { [CUSTOM]: { team: 'x' } }),
    ],
    [
      'attributes of an extension that are not mentioned stay',
      user({}, { [ENTERPRISE]: { department: 'd', division: 'e' } }),
      [{ op: 'replace', path: ENTERPRISE, value: { department: 'f', division: null, costCenter: 'c' } }],
      user({}, { [ENTERPRISE]: { department: 'f', costCenter: 'c' } }),
    ],
    [
      'the last part takes the attribute with it',
      user({ name: { givenName: 'G' } }),
      [{ op: 'remove', path: 'name.givenName' }],
      user({}),
    ],
    [
      'the last attribute takes the extension with it',
      user({}, { [ENTERPRISE]: { department: 'd' } }),
      [{ op: 'replace', path: `${ENTERPRISE}:department`, value: '' }],
      user({}),
    ],
    [
      'a list is replaced as a whole',
      user({ emails: [work] }),
      [{ op: 'replace', path: 'emails', value: [home] }],
      user({ emails: [home] }),
    ],
    [
      'a list is added to',
      user({ emails: [work] }),
      [{ op: 'add', path: 'emails', value: home }],
      user({ emails: [work, home] }),
    ],
    [
      'a condition removes what it fits',
      user({ emails: [work, home] }),
      [{ op: 'remove', path: 'emails[type eq "WORK"]' }],
      user({ emails: [home] }),
    ],
    [
      'conditions know not, or, pr and the comparisons',
      user({ emails: [work, home, { value: 'x' }] }),
      [
        {
          op: 'remove',
          path: 'emails[not (type pr) or value sw "w" and value ew "w" and value co "w" and value ne "h"]',
        },
      ],
      user({ emails: [home] }),
    ],
    [
      'a value of a usual kind is made where it is missing, and found by the next operation',
      user({}),
      [
        { op: 'replace', path: 'addresses[type eq "work"].locality', value: 'L' },
        { op: 'add', path: 'addresses[type eq "work"].formatted', value: 'F' },
      ],
      user({ addresses: [{ type: 'work', locality: 'L', formatted: 'F' }] }),
    ],
    [
      'add makes a value of any kind',
      user({}),
      [{ op: 'add', path: 'emails[type eq "nonexistent"].value', value: 'x' }],
      user({ emails: [{ type: 'nonexistent', value: 'x' }] }),
    ],
    [
      'a text as condition on a boolean is one',
      user({}),
      [{ op: 'add', path: 'roles[primary eq "True"].value', value: 'r' }],
      user({ roles: [{ primary: true, value: 'r' }] }),
    ],
    [
      'a list of the tenant is one value',
      user({}, { [CUSTOM]: { levels: ['1'] as never } }),
      [{ op: 'add', path: `${CUSTOM}:levels`, value: [2, 3] }],
      user({}, { [CUSTOM]: { levels: [2, 3] as never } }),
    ],
  ])('%s', (_what, before, operations, after) => {
    expect(apply(before, ...operations)).toEqual(after);
  });
});

describe('the primary value', () => {
  const primary = { value: 'p', type: 'work', primary: true };

  it('is the one that came last', () => {
    const added = apply(user({ emails: [primary] }), {
      op: 'add',
      path: 'emails',
      value: [{ ...home, primary: true }],
    });
    expect(added[USER]?.['emails']).toEqual([
      { ...primary, primary: false },
      { ...home, primary: true },
    ]);
    const marked = apply(added, { op: 'replace', path: 'emails[type eq "work"].primary', value: 'True' });
    expect(marked[USER]?.['emails']).toEqual([primary, { ...home, primary: false }]);
  });

  it('stays when another one is added or changed', () => {
    const after = apply(user({ emails: [primary, home] }), {
      op: 'replace',
      path: 'emails[type eq "home"].value',
      value: 'x',
    });
    expect(after[USER]?.['emails']).toEqual([primary, { ...home, value: 'x' }]);
  });
});
