import { attribute, commonAttributes, complex, KEY_LENGTH, plural, type Attribute, type Schema } from './attributes';

export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
/** Facts that the tenant keeps about its users; which there are is the tenant's affair. */
export const CUSTOM = 'urn:cube:params:1.0:UserAttribute';

export const LIST_RESPONSE = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
export const SEARCH_REQUEST = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest';
export const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

const contactKinds = ['work', 'home', 'other'];
const text = attribute;
/** Traits of the name by which there is one resource in the tenant. */
const key = { required: true, uniqueness: 'server', maxLength: KEY_LENGTH } as const;

const nameAttribute = complex('name', 'Parts of the name.', [
  text('formatted', 'The whole name as it is written.'),
  text('familyName', 'Family name.'),
  text('givenName', 'Given name.'),
  text('middleName', 'Middle names.'),
  text('honorificPrefix', 'Title before the name.'),
  text('honorificSuffix', 'Suffix after the name.'),
]);

const addressParts: readonly Attribute[] = [
  text('formatted', 'The whole address as it is written.'),
  text('streetAddress', 'Street and number.'),
  text('locality', 'City.'),
  text('region', 'State or region.'),
  text('postalCode', 'Postal code.'),
  text('country', 'Country.'),
];

const reference = (referenceTypes: readonly string[]): Attribute =>
  attribute('$ref', 'Address of the resource.', {
    type: 'reference',
    referenceTypes,
    caseExact: true,
    mutability: 'readOnly',
  });

const groupsAttribute = complex(
  'groups',
  'Groups that the user is a member of. They change with the groups.',
  [
    attribute('value', 'Id of the group.', { mutability: 'readOnly', caseExact: true }),
    reference(['Group']),
    attribute('display', 'Name of the group.', { mutability: 'readOnly' }),
  ],
  { multiValued: true, mutability: 'readOnly' },
);

const userSchema: Schema = {
  id: USER,
  name: 'User',
  description: 'A person who can sign in',
  attributes: [
    ...commonAttributes,
    text('userName', 'Name that the person signs in with, in any case.', key),
    nameAttribute,
    text('displayName', 'Name as people see it.'),
    text('nickName', 'What the person is called.'),
    attribute('profileUrl', 'Address of a page about the person.', {
      type: 'reference',
      referenceTypes: ['external'],
      caseExact: true,
    }),
    text('title', 'Job title.'),
    text('userType', 'Relation to the organisation.'),
    text('preferredLanguage', 'Preferred languages.'),
    text('locale', 'Language tag for formats.'),
    text('timezone', 'Time zone of the person.'),
    attribute('active', 'Whether the person may sign in.', { type: 'boolean' }),
    attribute('password', 'Accepted and dropped: people set their passwords themselves.', {
      mutability: 'writeOnly',
      returned: 'never',
      caseExact: true,
    }),
    plural(
      'emails',
      'Email addresses. The preferred one, else that for work, else the first is that of the account.',
      contactKinds,
      {},
      [
        text('value', 'The address. That of the account belongs to nobody else, whether active or not.', {
          uniqueness: 'server',
          maxLength: KEY_LENGTH,
        }),
      ],
    ),
    plural('phoneNumbers', 'Telephone numbers.', [...contactKinds, 'mobile', 'fax', 'pager']),
    plural('ims', 'Addresses for instant messages.', []),
    plural('photos', 'Addresses of pictures.', ['photo', 'thumbnail']),
    plural('addresses', 'Postal addresses.', contactKinds, {}, addressParts),
    plural('entitlements', 'What the person is entitled to elsewhere.', []),
    plural('roles', 'Roles at the identity provider. They grant nothing here.', []),
    groupsAttribute,
  ],
};

const enterpriseSchema: Schema = {
  id: ENTERPRISE,
  name: 'EnterpriseUser',
  description: 'A person in an organisation',
  attributes: [
    text('employeeNumber', 'Number of the employee.'),
    text('costCenter', 'Cost centre.'),
    text('organization', 'Organisation.'),
    text('division', 'Division.'),
    text('department', 'Department.'),
    complex('manager', 'Who the person reports to.', [
      attribute('value', 'Id of the manager.', { caseExact: true }),
      reference(['User']),
      attribute('displayName', 'Name of the manager.', { mutability: 'readOnly' }),
    ]),
  ],
};

const groupSchema: Schema = {
  id: GROUP,
  name: 'Group',
  description: 'A named set of users',
  attributes: [
    ...commonAttributes,
    text('displayName', 'Name of the group, unique in any case.', key),
    complex(
      'members',
      'Users in the group.',
      [
        attribute('value', 'Id of the user.', { caseExact: true }),
        reference(['User']),
        attribute('display', 'Name of the user.', { mutability: 'readOnly' }),
        attribute('type', 'Kind of the member.', { mutability: 'readOnly', canonicalValues: ['User'] }),
      ],
      { multiValued: true },
    ),
  ],
};

/** Kinds of resources that are provisioned. */
export type ResourceKind = 'User' | 'Group';

/** The schemas of a kind: its core schema first, then the extensions with a fixed list of attributes. */
export const schemasOf: Readonly<Record<ResourceKind, readonly [Schema, ...Schema[]]>> = {
  User: [userSchema, enterpriseSchema],
  Group: [groupSchema],
};

export const schemas: readonly Schema[] = [userSchema, enterpriseSchema, groupSchema];
