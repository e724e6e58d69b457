import { readResource, requireComplete } from './resource';
import { commonAttributes, type Attribute } from './attributes';
import { ENTERPRISE, schemas, USER } from './schemas';

const read = (body: Record<string, unknown>) => readResource('User', body);

describe('a resource in a body', () => {
  it.each<[string, Record<string, unknown>]>([
    ['a text that is an object', { title: {} }],
    ['a boolean that is neither', { active: 'yes' }],
    [
      'two primary values',
      {
        emails: [
          { value: 'a', primary: true },
          { value: 'b', primary: 'True' },
        ],
      },
    ],
    ['101 values', { emails: Array.from({ length: 101 }, (_each, n) => ({ value: `${n}` })) }],
    ['a long text', { title: 'x'.repeat(8_193) }],
    ['a long name', { userName: 'x'.repeat(513) }],
    ['a long address', { emails: [{ value: 'x'.repeat(513) }] }],
    ['the null character', { title: 'a\0b' }],
    ['half a character', { title: '\ud83d' }],
    ['a fact that is an object', { 'urn:cube:params:1.0:UserAttribute:x': { a: 1 } }],
    ['a list of facts with an object', { 'urn:cube:params:1.0:UserAttribute:x': [{}] }],
    ['a fact with the null character', { 'urn:cube:params:1.0:UserAttribute:x': ['\0'] }],
  ])('with %s is refused', (_what, body) => {
    expect(() => read(body)).toThrow(expect.objectContaining({ code: 'scim.invalid_value' }));
  });

  it('is in canonical form, however its names are written', () => {
    const expected = { [USER]: { userName: 'a', name: { givenName: 'G' } }, [ENTERPRISE]: { department: 'd' } };
    const body = { userName: 'a', name: { givenName: 'G' }, [ENTERPRISE]: { department: 'd' } };
    expect(read(body)).toEqual(expected);
    expect(read({ USERNAME: 'a', Name: { GIVENNAME: 'G' }, [ENTERPRISE.toLowerCase()]: { Department: 'd' } })).toEqual(
      expected,
    );
    expect(read({ [`${USER}:userName`]: 'a', 'name.givenName': 'G', [`${ENTERPRISE}:department`]: 'd' })).toEqual(
      expected,
    );
  });

  it('has neither what stands for nothing, nor what is unknown, nor what is the service’s own', () => {
    const nothing = {
      title: null,
      nickName: '',
      emails: [],
      roles: [null, {}],
      name: { givenName: null },
      [ENTERPRISE]: {},
    };
    const unknown = { shoeSize: 1, manager: '7', 'urn:acme:x': { a: 1 }, name: { nick: 'x' } };
    const own = { id: '1', meta: { version: '1' }, groups: [{ value: '1' }], password: 'x', schemas: [USER] };
    const pollution = JSON.parse(
      '{"__proto__":{"a":1},"constructor":"x","name.__proto__":"x","emails":[{"__proto__":{"a":1}}]}',
    ) as object;
    for (const body of [nothing, unknown, own, pollution]) expect(read({ ...body })).toEqual({});
    expect(({} as Record<string, unknown>)['a']).toBeUndefined();
  });

  it('has single values as lists and repeated ones once', () => {
    expect(read({ emails: 'x' })).toEqual({ [USER]: { emails: [{ value: 'x' }] } });
    const emails = [
      { value: 'x', type: 'work' },
      { type: 'work', value: 'x' },
    ];
    expect(read({ emails })[USER]?.['emails']).toEqual([{ type: 'work', value: 'x' }]);
  });

  it('needs what is required', () => {
    for (const body of [{}, { userName: ' ' }, { userName: [] }]) {
      expect(() => requireComplete('User', read(body))).toThrow(
        expect.objectContaining({ code: 'scim.invalid_value' }),
      );
    }
    expect(() => requireComplete('User', read({ userName: 'a' }))).not.toThrow();
    expect(() => requireComplete('Group', read({ displayName: 'a' }))).toThrow('displayName is required');
  });
});

describe('schemas', () => {
  const all = (attributes: readonly Attribute[]): Attribute[] =>
    attributes.flatMap((each) => [each, ...all(each.subAttributes ?? [])]);

  it.each(schemas.map((schema) => [schema.name, schema] as const))(
    '%s describes each name once, in whatever case',
    (_name, schema) => {
      for (const attributes of [schema.attributes, ...schema.attributes.map((each) => each.subAttributes ?? [])]) {
        const names = attributes.map(({ name }) => name.toLowerCase());
        expect(new Set(names).size).toBe(names.length);
      }
    },
  );

  it.each(schemas.map((schema) => [schema.name, schema] as const))(
    '%s has parts where values are complex, two levels at most',
    (_name, schema) => {
      for (const each of all(schema.attributes))
        expect([each.name, each.type === 'complex']).toEqual([each.name, each.subAttributes !== undefined]);
      for (const { subAttributes = [] } of schema.attributes)
        expect(subAttributes.every(({ type }) => type !== 'complex')).toBe(true);
      expect(all(schema.attributes).every(({ description }) => description.endsWith('.'))).toBe(true);
    },
  );

  it('lets clients write neither ids nor meta', () => {
    const writable = commonAttributes.filter(({ mutability }) => mutability !== 'readOnly').map(({ name }) => name);
    expect(writable).toEqual(['externalId']);
  });
});
