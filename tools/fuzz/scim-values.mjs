import fc from 'fast-check';
import { hostileText, hostileValue } from './hostile-values.mjs';
import { Reference } from './schema-values.mjs';

const PATCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

const attributes = fc.constantFrom(
  ...['userName', 'USERNAME', 'externalId', 'displayName', 'active', 'id', 'name.givenName', 'name', 'emails'],
  ...['emails.value', 'emails[type eq "work"].value', 'members', 'members.value', 'groups', 'roles', 'meta.created'],
  ...['meta.lastModified', 'schemas', 'password', `${ENTERPRISE}:department`, 'nothing', 'a.b.c', ''],
);
const ofOneOf = (kind) => fc.nat(30).map((index) => new Reference(kind, index, 'string'));
const word = fc.constantFrom('ada', 'ada@example.test', 'Modellers', 'True', 'False', 'work', '2026-11-22T00:00:00Z');

const literal = fc.oneof(
  { weight: 4, arbitrary: word.map((text) => JSON.stringify(text)) },
  {
    weight: 2,
    arbitrary: fc.constantFrom('true', 'false', 'null', '1', '-1.5', '1e400', '"', '""', '"\\ud800"', '"\\u0000"'),
  },
  { weight: 1, arbitrary: hostileText.map((text) => JSON.stringify(text)) },
);
const operator = fc.constantFrom('eq', 'EQ', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le', 'xx', '');
const comparison = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(attributes, operator, literal).map((parts) => parts.join(' ')) },
  { weight: 1, arbitrary: attributes.map((attribute) => `${attribute} pr`) },
);

/** Filters of the language of RFC 7644, and what comes near it. */
export const filter = fc.oneof(
  { weight: 5, arbitrary: comparison },
  {
    weight: 3,
    arbitrary: fc.tuple(comparison, fc.constantFrom('and', 'or', 'AND'), comparison).map((p) => p.join(' ')),
  },
  { weight: 1, arbitrary: comparison.map((inner) => `not (${inner})`) },
  { weight: 1, arbitrary: comparison.map((inner) => `emails[${inner}]`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(10, 200, 2_000).map((depth) => `${'('.repeat(depth)}active eq true${')'.repeat(depth)}`),
  },
  { weight: 1, arbitrary: fc.constantFrom(30, 300).map((count) => Array(count).fill('userName eq "a"').join(' or ')) },
  { weight: 1, arbitrary: hostileText },
);

const email = fc.nat(50).map((number) => `scim-${number}@example.test`);
const members = fc.array(fc.oneof(fc.record({ value: ofOneOf('users') }), fc.record({ value: hostileValue })), {
  maxLength: 4,
});

const resource = (kind) =>
  kind === 'Users'
    ? fc.record(
        {
          schemas: fc.constant(['urn:ietf:params:scim:schemas:core:2.0:User']),
          userName: email,
          externalId: fc.nat(50).map(String),
          active: fc.constantFrom(true, false, 'True', 'False'),
          name: fc.record({ givenName: word, familyName: word }, { requiredKeys: [] }),
          emails: fc.array(fc.record({ value: email, type: word, primary: fc.boolean() }), { maxLength: 3 }),
        },
        { requiredKeys: ['userName'] },
      )
    : fc.record(
        {
          schemas: fc.constant(['urn:ietf:params:scim:schemas:core:2.0:Group']),
          displayName: fc.nat(60).map((number) => `Group ${number}`),
          externalId: fc.nat(50).map(String),
          members,
        },
        { requiredKeys: ['displayName'] },
      );

const value = fc.oneof(word, members, fc.boolean(), email, resource('Users'), hostileValue);
const path = fc.oneof(
  { weight: 6, arbitrary: attributes },
  { weight: 2, arbitrary: ofOneOf('users').map((reference) => new MemberPath(reference)) },
  { weight: 1, arbitrary: filter.map((inner) => `members[${inner}]`) },
  { weight: 1, arbitrary: hostileText },
);

/** `members[value eq "ID"]` of a user that exists when the request is sent. */
class MemberPath extends Reference {
  constructor(reference) {
    super(reference.kind, reference.index, 'string');
  }

  resolve(world) {
    return `members[value eq "${super.resolve(world)}"]`;
  }
}

const change = fc.record(
  { op: fc.constantFrom('add', 'replace', 'remove', 'Add', 'Replace', 'Remove', 'move'), path, value },
  { requiredKeys: ['op'] },
);

const patch = fc.record({
  schemas: fc.constantFrom([PATCH_SCHEMA], [PATCH_SCHEMA], [], null),
  Operations: fc.oneof(
    { weight: 8, arbitrary: fc.array(change, { minLength: 1, maxLength: 4 }) },
    { weight: 1, arbitrary: change.map((one) => Array(500).fill(one)) },
    { weight: 1, arbitrary: hostileValue },
  ),
});

/** Bodies of SCIM operations: their schemas in the document say little, their RFCs say much. */
export function scimBody({ id, path: operationPath }) {
  if (id.startsWith('patch')) return patch;
  if (id.startsWith('create') || id.startsWith('replace')) return resource(operationPath.split('/')[4]);
  return undefined;
}
