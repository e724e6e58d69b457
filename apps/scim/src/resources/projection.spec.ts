import { ENTERPRISE, USER } from '@plinth/scim-protocol';
import { Projection } from './projection';

const user = {
  schemas: [USER, ENTERPRISE],
  id: '7',
  userName: 'jane',
  name: { givenName: 'Jane', familyName: 'Doe' },
  emails: [
    { value: 'a', type: 'work' },
    { value: 'b', type: 'home' },
  ],
  [ENTERPRISE]: { department: 'Sales', costCenter: '1' },
};
const always = { schemas: user.schemas, id: '7' };

describe('attributes of a reply', () => {
  it('are asked for or left out, not both', () => {
    const both = { attributes: 'userName', excludedAttributes: 'title' };
    expect(() => new Projection('User', both)).toThrow(expect.objectContaining({ code: 'scim.invalid_value' }));
  });

  it.each<[string | string[] | null, object]>([
    ['userName', { userName: 'jane' }],
    [' USERNAME , id', { userName: 'jane' }],
    [['userName', 'name.givenName'], { userName: 'jane', name: { givenName: 'Jane' } }],
    ['name.givenName,name.familyName', { name: user.name }],
    ['name,name.givenName', { name: user.name }],
    ['name.givenName,name', { name: user.name }],
    ['emails.value', { emails: [{ value: 'a' }, { value: 'b' }] }],
    [`${USER}:userName`, { userName: 'jane' }],
    [`${ENTERPRISE}:department`, { [ENTERPRISE]: { department: 'Sales' } }],
    [ENTERPRISE.toLowerCase(), { [ENTERPRISE]: user[ENTERPRISE] }],
    ['shoeSize', {}],
    ['__proto__,constructor', {}],
  ])('are id, schemas and %j', (attributes, expected) => {
    expect(new Projection('User', { attributes }).of(user)).toEqual({ ...always, ...expected });
  });

  it.each([null, undefined, '', ' , '])('are all when %j is asked for', (attributes) => {
    expect(new Projection('User', { attributes }).of(user)).toEqual(user);
  });

  it('are all but those that are left out, id and schemas apart', () => {
    const excludedAttributes = `id,schemas,name.familyName,emails.type,${ENTERPRISE}:costCenter,userName`;
    expect(new Projection('User', { excludedAttributes }).of(user)).toEqual({
      ...always,
      name: { givenName: 'Jane' },
      emails: [{ value: 'a' }, { value: 'b' }],
      [ENTERPRISE]: { department: 'Sales' },
    });
  });

  it.each([
    [{ excludedAttributes: 'MEMBERS' }, false],
    [{ attributes: 'displayName' }, false],
    [{ attributes: 'members.value' }, true],
    [{ excludedAttributes: 'members.display' }, true],
    [{}, true],
  ])('with %j need members: %p', (wanted, expected) => {
    expect(new Projection('Group', wanted).wants('members')).toBe(expected);
  });
});
